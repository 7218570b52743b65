import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { countCommits, readCommit, toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';

export interface OfferOrder extends RepositorySettings {
  /** Short names. */
  readonly branch: string;
  readonly base: string | null;
  /** Null: the one that the base belongs to. */
  readonly remote: string | null;
}

/** What is known of it, and what can be done. */
export interface BranchOffer {
  /** Absolute path of the main checkout's top. */
  readonly top: string;
  readonly base: string;
  readonly commits: number;
  /** Null: the repository has none. */
  readonly remote: string | null;
  /** Where a push would go, without a name or password in it; empty without a remote. */
  readonly url: string;
  /** The address as the remote's own configuration has it, before git puts another in its place. */
  readonly ownUrl: string;
  /** Pushes the branch under its own name. Nothing is overwritten. Throws GitProblem. */
  readonly push: (env: Readonly<Record<string, string>>) => Promise<void>;
  /** Writes all that differs from where the branches part into a file. Throws GitProblem. */
  readonly writePatch: (file: string) => Promise<void>;
}

const PUSH_MS = 10 * 60_000;

/**
 * Looks at a branch that is to be offered. Changes nothing.
 *
 * @throws GitProblem with a reason for which it cannot be
 */
export async function openOffer(order: OfferOrder): Promise<BranchOffer> {
  const search = await findRepository(order);
  if (!search.ok) throw new GitProblem(search.refused);
  const { git, top } = search.value;
  const { base, branch } = order;
  if (base === null) throw new GitProblem('it is not known into which branch it should go');
  if ((await readCommit(git, toRef(branch))) === null) throw new GitProblem(`its branch ${branch} is gone`);
  const begin = await findBegin(search.value, base, order.remote);
  const commits = await countCommits(git, begin, toRef(branch));
  const remote = order.remote ?? (await findRemote(search.value, base));
  const url = remote === null ? '' : await readUrl(search.value, remote);
  return {
    top,
    base,
    commits,
    remote,
    url,
    ownUrl: remote === null ? '' : toPlainUrl((await git(['config', '--get', `remote.${remote}.url`])).stdout.trim()),
    async push(env) {
      const ref = toRef(branch);
      const args = [
        'push',
        '--porcelain',
        '--no-verify',
        '--no-signed',
        '--no-follow-tags',
        '--recurse-submodules=no',
        `--receive-pack=${order.programs?.[`remote.${remote}.receivepack`] ?? 'git-receive-pack'}`,
        '--',
        remote ?? '',
        `${ref}:${ref}`,
      ];
      await demandGit(git, args, { timeoutMs: PUSH_MS, env });
    },
    async writePatch(file) {
      mkdirSync(dirname(file), { recursive: true });
      const part = (await demandGit(git, ['merge-base', begin, toRef(branch)])).trim();
      await demandGit(git, ['diff', '--binary', '--no-ext-diff', '--no-textconv', `--output=${file}`, part, toRef(branch)]);
    },
  };
}

/** The base as it is here; where only others have it, as it was there when somebody last looked. */
async function findBegin({ git }: Repository, base: string, remote: string | null): Promise<string> {
  for (const ref of [toRef(base), `refs/remotes/${remote ?? 'origin'}/${base}`]) {
    const found = await readCommit(git, ref);
    if (found !== null) return found;
  }
  throw new GitProblem(`there is no branch ${JSON.stringify(base.slice(0, 100))}`);
}

async function findRemote({ git }: Repository, base: string): Promise<string | null> {
  const names = (await demandGit(git, ['remote'])).split('\n').filter((name) => name !== '');
  const own = (await git(['config', '--get', `branch.${base}.remote`])).stdout.trim();
  return [own, 'origin', names[0]].find((name) => name !== undefined && names.includes(name)) ?? null;
}

/** Where a push would go: git pushes to each address of a remote. */
async function readUrl({ git }: Repository, remote: string): Promise<string> {
  const name = JSON.stringify(remote.slice(0, 100));
  const { ok, stdout } = await git(['remote', 'get-url', '--push', '--all', '--', remote]);
  if (!ok) throw new GitProblem(`there is no remote ${name}`);
  const urls = stdout.trimEnd().split('\n').map(toPlainUrl);
  if (urls.length > 1) throw new GitProblem(`the remote ${name} has ${urls.length} addresses to push to: ${urls.join(', ').slice(0, 500)}`);
  return urls[0] ?? '';
}

/** An address as it may be shown: without what stands before the host of a web address, where a password may have an `@` in it, or behind its path. */
function toPlainUrl(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  return url.replace(/^([^:]*:\/\/)(?!git@[^/@]*(?:\/|$))[^/]*@/, '$1').replace(/[?#].*$/s, '');
}
