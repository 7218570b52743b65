import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toSafeName } from '../../core/text/file-name.ts';
import { RalphError } from '../../core/values/errors.ts';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';
import { toGitFix } from '../../git/git.ts';
import { readStatus } from '../../git/status.ts';
import { readLink } from '../../process/paths.ts';
import { listUntouched } from '../snapshot/baseline.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';

/** What only a worktree has and no commit holds, nor the user: paths from its top, a folder that is ignored as a whole with `/` at its end. */
export interface WorktreeContents {
  /** Not committed. */
  readonly changed: readonly string[];
  /** Links to what it shares with the main checkout. */
  readonly shared: readonly string[];
  /** Ignored by git, and nobody can make it again: settings, data, what was built. */
  readonly ignored: readonly string[];
  /** Ignored by git, and a tool makes it again. */
  readonly renewable: readonly string[];
}

/**
 * @param baseline of the run in it: copies of what is the user's own are left out, unless the user has nothing of that name any more
 * @throws GitProblem
 */
export async function readContents(
  { cwd }: Pick<RepositorySettings, 'cwd'>,
  main: Repository,
  worktree: Repository,
  baseline: Baseline | null,
): Promise<WorktreeContents> {
  const status = await readStatus(worktree, { withIgnored: true });
  const untouched = listUntouched(status, worktree.top, baseline);
  const entries = status.entries.filter(({ path }) => !untouched.has(path) || (isThere(worktree.top, path) && !isThere(main.top, path)));
  const isShared = (path: string): boolean =>
    path.startsWith(main.prefix) && readLink(join(worktree.top, path)) === join(cwd, path.slice(main.prefix.length));
  const own = entries.filter(({ path }) => !isShared(path));
  const ignored = own.filter(({ kind, path }) => kind === 'ignored' && holdsFile(join(worktree.top, path))).map(({ path }) => path);
  return {
    changed: own.filter(({ kind }) => kind !== 'ignored').map(({ path }) => path),
    shared: entries.map(({ path }) => path).filter(isShared),
    ignored: ignored.filter((path) => !isRenewable(worktree.top, path)),
    renewable: ignored.filter((path) => isRenewable(worktree.top, path)),
  };
}

/** Folders that one tool alone writes, and writes again when it is asked. What is built (`dist`, `target`) is not among them: a person may want it. */
const RENEWABLE = new Set(['node_modules', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox']);

function isRenewable(top: string, path: string): boolean {
  if (!path.endsWith('/')) return false;
  // Python says itself which folder is an environment of its own, whatever its name.
  return RENEWABLE.has(path.split('/').at(-2) ?? '') || existsSync(join(top, path, 'pyvenv.cfg'));
}

/** So many folders are looked into; in more there is a file. */
const MOST_FOLDERS = 10_000;

/** Whether there is anything but folders; true where that cannot be seen. */
function holdsFile(path: string): boolean {
  const waiting = [path];
  try {
    for (let looked = 0; looked < MOST_FOLDERS; looked += 1) {
      const folder = waiting.pop();
      if (folder === undefined) return false;
      if (!lstatSync(folder).isDirectory()) return true;
      waiting.push(...readdirSync(folder).map((name) => join(folder, name)));
    }
  } catch {
    return true;
  }
  return true;
}

function isThere(top: string, path: string): boolean {
  return lstatSync(encodeNames(join(top, path)), { throwIfNoEntry: false }) !== undefined;
}

/** What says that a worktree has changes that only it has. */
export function toDirty(name: string, path: string, changed: readonly string[], why: string): RalphError {
  return new RalphError({
    code: 'worktree-dirty',
    what: `The worktree ${name} has changes that are not committed: ${toShown(changed)}.`,
    why,
    fix: `See them: ralph worktrees diff ${name}\nCommit them in ${path}, or give them up: ralph worktrees remove ${name} --force`,
  });
}

/** What says that a worktree has files that git ignores and only it has. */
export function toIgnoredWork(name: string, path: string, ignored: readonly string[], commits: number): RalphError {
  const warning = commits === 0 ? '' : `\n--force also gives up the commits of its branch. Merge them first: ralph worktrees merge ${name}`;
  return new RalphError({
    code: 'worktree-dirty',
    what: `The worktree ${name} has files that git ignores: ${toShown(ignored)}.`,
    why: 'They are in no commit and would be lost with it.',
    fix: `Move what you need out of ${path}, or give them up: ralph worktrees remove ${name} --force${warning}`,
  });
}

/** Why git could not do something with a worktree, and what mends it. */
export function toFailure(name: string, what: string, problem: string): RalphError {
  return new RalphError({
    code: 'worktree-failed',
    what: `The worktree ${name} could not be ${what}: ${problem}`,
    fix: toGitFix(problem) ?? 'Do what git says, then try again. What git knows of worktrees: git worktree list',
  });
}

const SHOWN_PATHS = 5;

/** Paths for a person, the first of them. */
export function toShown(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? `, and ${paths.length - SHOWN_PATHS} more` : '';
  const shown = paths.slice(0, SHOWN_PATHS).map(toSafeName);
  return `${shown.join(', ')}${more}`;
}
