import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { accept, type Result, refuse, tryOr } from '../core/values/result.ts';
import { isThere } from '../process/paths.ts';
import type { Git, GitPrograms, Repository, RepositorySearch, RepositorySettings } from './contract.ts';
import { createGit } from './git.ts';
import { isOutsideGit } from './git-places.ts';
import { createProgramGuard, readGitPrograms } from './git-programs.ts';

/**
 * Finds the repository whose working tree holds the folder. A bare repository has none; a folder that its repository ignores is
 * treated as outside, because git would not notice a change in it. Never rejects.
 */
export async function findRepository(settings: RepositorySettings): Promise<RepositorySearch> {
  const { cwd, env } = settings;
  // Every run asks, most of them more than once: what the folders themselves tell needs no process.
  if (isOutsideGit(cwd)) return refuse('not a git repository (or any of the parent directories): .git');
  const here = createGit({ cwd, env });
  const located = await locateRepository(here, cwd);
  if (!located.ok) return refuse(located.refused.problem);
  if (located.value.prefix !== '' && (await here(['check-ignore', '--quiet', '.'])).ok)
    return refuse('the repository around this folder ignores it');
  return accept(openRepository(located.value, settings));
}

/** Why a folder has no repository that git may work with. `elsewhere`: its configuration says that its files are in another place. */
export interface NoRepository {
  readonly kind: 'unreadable' | 'elsewhere';
  readonly problem: string;
}

/**
 * Asks git for the repository around a folder. Its working tree has to hold the folder and a `.git` of its own: otherwise `core.worktree`, which whoever can
 * write in the repository may have set, makes git work on other files. Never rejects.
 */
export async function locateRepository(
  git: Git,
  cwd: string,
): Promise<Result<Pick<Repository, 'top' | 'gitDir' | 'prefix'>, NoRepository>> {
  const asked = await askPlace(git);
  if (!asked.ok) return refuse({ kind: 'unreadable', problem: asked.refused });
  const prefix = toPrefix(asked.value.top, cwd);
  if (prefix === null || !isThere(join(asked.value.top, '.git')))
    return refuse({ kind: 'elsewhere', problem: 'the folder is not inside the working tree of its repository' });
  return accept({ ...asked.value, prefix });
}

/** The top of the working tree and its `.git`: a line each, unless a path holds a line end itself; then they are asked for one by one. */
async function askPlace(git: Git): Promise<Result<Pick<Repository, 'top' | 'gitDir'>, string>> {
  const both = await git(['rev-parse', '--show-toplevel', '--absolute-git-dir']);
  if (!both.ok) return refuse(both.problem);
  const [top, gitDir, ...rest] = both.stdout.split('\n');
  if (top !== undefined && gitDir !== undefined && rest.length === 1) return accept({ top, gitDir });
  const [first, second] = await Promise.all([git(['rev-parse', '--show-toplevel']), git(['rev-parse', '--absolute-git-dir'])]);
  if (!first.ok || !second.ok) return refuse(first.problem || second.problem);
  return accept({ top: withoutLineEnd(first.stdout), gitDir: withoutLineEnd(second.stdout) });
}

/** A repository whose place is known. Asks git nothing. */
export function openRepository(place: Pick<Repository, 'top' | 'gitDir' | 'prefix'>, settings: RepositorySettings): Repository {
  const { top, gitDir, prefix } = place;
  const own = settings.stateDirs.flatMap((name) => [`${name}/`, `${prefix}${name}/`]);
  const { programs } = settings;
  const env = withCeiling(settings.env, top);
  const plain = createGit({ cwd: top, env });
  const findPrograms = programs === undefined ? null : createProgramGuard({ top, gitDir, env, git: plain }, programs);
  return {
    top,
    gitDir,
    prefix,
    isOwnState: (path) => own.some((folder) => `${path}/`.startsWith(folder)),
    git: findPrograms === null ? plain : createGit({ cwd: top, env, guard: async () => (await findPrograms()).env }),
    findPrograms,
  };
}

/** Where what is in a folder is no repository any more, git works with none, and not with one around it. */
function withCeiling(env: Environment, top: string): Environment {
  const others = env['GIT_CEILING_DIRECTORIES'] ?? '';
  return { ...env, GIT_CEILING_DIRECTORIES: [dirname(top), others].filter((path) => path !== '').join(delimiter) };
}

/** The programs that git's configuration names in this folder; none outside of a working tree. One process at most. Never rejects. */
export async function captureGitPrograms({ cwd, env }: Pick<RepositorySettings, 'cwd' | 'env'>): Promise<GitPrograms> {
  return isOutsideGit(cwd) ? {} : readGitPrograms(createGit({ cwd, env }));
}

/** A path may itself end in a line feed: only git's own is taken off. */
function withoutLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

function toPrefix(top: string, cwd: string): string | null {
  return tryOr(() => {
    const path = relative(realpathSync(top), realpathSync(cwd)).split(sep).join('/');
    if (path === '') return '';
    return path === '..' || path.startsWith('../') ? null : `${path}/`;
  }, null);
}

/** What HEAD is, or was when a run began: where its work starts. */
export interface RunBase {
  /** Object id; `null` outside of git, and before the first commit. */
  readonly commit: string | null;
  /** The branch that was checked out, without `refs/heads/`; `null` where HEAD was detached, and outside of git. */
  readonly branch: string | null;
}

/** Reads it. Never rejects. */
export async function captureBase(settings: RepositorySettings): Promise<RunBase> {
  const search = await findRepository(settings);
  return search.ok ? readHead(search.value.git) : { commit: null, branch: null };
}

/** What HEAD is. Never rejects. */
export async function readHead(git: Git): Promise<RunBase> {
  const [commit, ref] = await Promise.all([
    git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    git(['symbolic-ref', '--quiet', 'HEAD']),
  ]);
  return { commit: commit.ok ? commit.stdout.trim() : null, branch: ref.ok ? toBranch(ref.stdout.trim()) : null };
}

function toBranch(ref: string): string | null {
  return ref.startsWith(HEADS) ? ref.slice(HEADS.length) : null;
}

const HEADS = 'refs/heads/';

/** Which of these folders (relative to the folder of the run, there or not) git would ignore; none where git cannot tell. Never rejects. */
export async function listIgnored(settings: RepositorySettings, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const found = await findRepository(settings);
  if (!found.ok) return [];
  const { git, prefix } = found.value;
  const input = folders.map((folder) => `${prefix}${folder}/\0`).join('');
  const { stdout } = await git(['check-ignore', '-z', '--stdin'], { input });
  const ignored = new Set(stdout.split('\0'));
  return folders.filter((folder) => ignored.has(`${prefix}${folder}/`));
}

/**
 * Which of these folders (relative to the folder of the run) hold files that git tracks; none outside git, and all of them where git cannot tell. Never
 * rejects.
 */
export async function listTracked(settings: RepositorySettings, folders: readonly string[]): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const found = await findRepository(settings);
  // A repository that git does not know for one is a broken one, not none.
  if (!found.ok) return existsSync(join(settings.cwd, '.git')) ? folders : [];
  const { git, prefix } = found.value;
  const result = await git(['ls-files', '-z', '--', ...folders.map((folder) => `:(top,literal)${prefix}${folder}`)]);
  if (!result.ok) return folders;
  const files = result.stdout.split('\0');
  return folders.filter((folder) => files.some((file) => file.startsWith(`${prefix}${folder}/`)));
}
