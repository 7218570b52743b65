import type { ToolContext } from '../tool-context.ts';

/** A repository on GitHub. */
export interface GithubRepository {
  readonly owner: string;
  readonly name: string;
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/;
const SCP_LIKE = /^(?:[^@/]+@)?([^:/]+):(.+)$/;

/**
 * The repository that the address of a remote names; `null` where it is not on GitHub.
 *
 * @param env where `GITHUB_SERVER_URL` says which host is GitHub's, for those who have their own
 */
export function parseGithubUrl(address: string, env: ToolContext['env']): GithubRepository | null {
  const { host, path } = split(address);
  if (host.toLowerCase() !== findHost(env)) return null;
  const [owner = '', repository = '', ...rest] = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/');
  return rest.length === 0 && isRepositoryName(owner) && isRepositoryName(repository) ? { owner, name: repository } : null;
}

/** True for what GitHub takes as the name of an owner or a repository; no name that means a folder. */
export function isRepositoryName(name: string): boolean {
  return NAME.test(name) && name !== '.' && name !== '..';
}

function split(address: string): { host: string; path: string } {
  if (URL.canParse(address) && address.includes('://')) {
    const { hostname, pathname } = new URL(address);
    return { host: hostname, path: pathname };
  }
  const [, host = '', path = ''] = SCP_LIKE.exec(address) ?? [];
  return { host, path };
}

function findHost(env: ToolContext['env']): string {
  const server = env['GITHUB_SERVER_URL'] ?? '';
  return URL.canParse(server) ? new URL(server).hostname : 'github.com';
}
