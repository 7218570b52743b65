import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { createGit, type Git, type GitResult } from './git.ts';
import { createProgramGuard, type GitPrograms, type ProgramFindings, readGitPrograms } from './git-programs.ts';

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
  /** What git's configuration would have it run now and may not; `null` where nothing was said about what it may. Never rejects. */
  readonly findPrograms: (() => Promise<ProgramFindings>) | null;
}

/** Where to look. */
export interface RepositorySettings {
  /** Absolute path of the folder the agents work in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of the folders for state, relative to `cwd`. */
  readonly stateDirs: readonly string[];
  /** The programs that git may run (filters, above all): others that its configuration names meanwhile are not. Absent: whatever it names. */
  readonly programs?: GitPrograms | undefined;
}

/** A repository, or why git cannot be used. */
export type RepositorySearch = { readonly found: true; readonly repository: Repository } | { readonly found: false; readonly why: string };

/**
 * Finds the repository whose working tree holds the folder. A bare repository has none; a folder that its repository ignores is
 * treated as outside, because git would not notice a change in it. Never rejects.
 */
export async function findRepository(settings: RepositorySettings): Promise<RepositorySearch> {
  // Every run asks, most of them more than once: what the folders themselves tell needs no process.
  if (isOutsideGit(settings.cwd)) return { found: false, why: 'not a git repository (or any of the parent directories): .git' };
  const here = createGit(settings.cwd, settings.env);
  const { place, problem } = await askPlace(here);
  if (place === null) return { found: false, why: problem };
  const { top, gitDir } = place;
  const prefix = toPrefix(top, settings.cwd);
  if (prefix === undefined) return { found: false, why: 'the folder is not inside the working tree of its repository' };
  if (prefix !== '' && (await here(['check-ignore', '--quiet', '.'])).ok)
    return { found: false, why: 'the repository around this folder ignores it' };
  return { found: true, repository: openRepository({ top, gitDir, prefix }, settings) };
}

/** True where no folder above has a `.git`: git finds no working tree then, for what would point it to another one is taken from it. */
export function isOutsideGit(cwd: string): boolean {
  try {
    for (let folder = realpathSync(cwd); ; folder = dirname(folder)) {
      if (existsSync(join(folder, '.git'))) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** The top of the working tree and its `.git`: a line each, unless a path holds a line end itself; then they are asked for one by one. */
async function askPlace(git: Git): Promise<{ readonly place: Pick<Repository, 'top' | 'gitDir'> | null; readonly problem: string }> {
  const both = await git(['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  if (!both.ok) return { place: null, problem: both.problem };
  const [top, gitDir, ...rest] = both.stdout.split('\n');
  if (top !== undefined && gitDir !== undefined && rest.length === 1) return { place: { top, gitDir }, problem: '' };
  const [first, second] = await Promise.all([git(['rev-parse', '--show-toplevel']), git(['rev-parse', '--absolute-git-dir'])]);
  return { place: toPlace(first, second), problem: first.problem || second.problem };
}

function toPlace(top: GitResult, gitDir: GitResult): Pick<Repository, 'top' | 'gitDir'> | null {
  return top.ok && gitDir.ok ? { top: withoutLineEnd(top.stdout), gitDir: withoutLineEnd(gitDir.stdout) } : null;
}

/** A repository whose place is known. Asks git nothing. */
export function openRepository(place: Pick<Repository, 'top' | 'gitDir' | 'prefix'>, settings: RepositorySettings): Repository {
  const { top, gitDir, prefix } = place;
  const own = settings.stateDirs.flatMap((name) => [`${name}/`, `${prefix}${name}/`]);
  const { env, programs } = settings;
  const plain = createGit(top, env);
  const findPrograms = programs === undefined ? null : createProgramGuard({ top, gitDir, env, git: plain }, programs);
  return {
    top,
    gitDir,
    prefix,
    isOwnState: (path) => own.some((folder) => `${path}/`.startsWith(folder)),
    git: findPrograms === null ? plain : createGit(top, env, async () => (await findPrograms()).env),
    findPrograms,
  };
}

/** The programs that git's configuration names in this folder; none outside of a working tree. One process at most. Never rejects. */
export async function captureGitPrograms({ cwd, env }: Pick<RepositorySettings, 'cwd' | 'env'>): Promise<GitPrograms> {
  return isOutsideGit(cwd) ? {} : readGitPrograms(createGit(cwd, env));
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
