import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { createGit, type Git } from './git.ts';

/** A repository with a working tree. */
export interface Repository {
  /** Absolute path of the working tree's top. */
  readonly top: string;
  /** Absolute path of what stands for `.git` here: in a worktree its own folder, not the shared one. */
  readonly gitDir: string;
  /** The workspace, seen from the top: empty, or a path with `/` that ends in `/`. */
  readonly prefix: string;
  /** Whether a path (from the top) belongs to Ralph's own state, which is never part of the work. */
  readonly isOwnState: (path: string) => boolean;
  /** Git at the top. */
  readonly git: Git;
}

/** Where to look. */
export interface RepositorySettings {
  /** Absolute path of the folder the agents work in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the folders for state, relative to `cwd`. */
  readonly stateDirs: readonly string[];
}

/** A repository, or why git cannot be used. */
export type RepositorySearch = { readonly found: true; readonly repository: Repository } | { readonly found: false; readonly why: string };

/**
 * Finds the repository whose working tree holds the folder. A bare repository has none; a folder that its repository ignores is
 * treated as outside, because git would not notice a change in it. Never rejects.
 */
export async function findRepository(settings: RepositorySettings): Promise<RepositorySearch> {
  const here = createGit(settings.cwd, settings.env);
  const [topLevel, gitDir] = await Promise.all([here(['rev-parse', '--show-toplevel']), here(['rev-parse', '--absolute-git-dir'])]);
  if (!topLevel.ok || !gitDir.ok) return { found: false, why: topLevel.problem || gitDir.problem };
  const top = withoutLineEnd(topLevel.stdout);
  const prefix = toPrefix(top, settings.cwd);
  if (prefix === undefined) return { found: false, why: 'the folder is not inside the working tree of its repository' };
  if (prefix !== '' && (await here(['check-ignore', '--quiet', '.'])).ok)
    return { found: false, why: 'the repository around this folder ignores it' };
  return { found: true, repository: openRepository({ top, gitDir: withoutLineEnd(gitDir.stdout), prefix }, settings) };
}

/** A repository whose place is known. Asks git nothing. */
export function openRepository(place: Pick<Repository, 'top' | 'gitDir' | 'prefix'>, settings: RepositorySettings): Repository {
  const { top, gitDir, prefix } = place;
  const own = settings.stateDirs.flatMap((name) => [`${name}/`, `${prefix}${name}/`]);
  return {
    top,
    gitDir,
    prefix,
    isOwnState: (path) => own.some((folder) => `${path}/`.startsWith(folder)),
    git: createGit(top, settings.env),
  };
}

/** A path may itself end in a line feed: only git's own is taken off. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function toPrefix(top: string, cwd: string): string | undefined {
  try {
    const path = relative(realpathSync(top), realpathSync(cwd)).split(sep).join('/');
    if (path === '') return '';
    return path === '..' || path.startsWith('../') ? undefined : `${path}/`;
  } catch {
    return undefined;
  }
}
