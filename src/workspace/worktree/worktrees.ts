import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError, toErrorMessage } from '../../core/values/errors.ts';
import type { Repository, RepositorySettings } from '../../git/contract.ts';
import { demandGit } from '../../git/git.ts';
import { demandTrueObjects } from '../../git/objects.ts';
import { countCommits, toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { toWorktreePlace } from '../../git/worktree-place.ts';
import type { Baseline } from '../snapshot/baseline-record.ts';
import { readContents, toDirty, toFailure, toShown } from './worktree-contents.ts';

export interface WorktreesSettings extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds them. */
  readonly stateDir: string;
  /** What was the user's own when the run in the worktree of this name began; `null`: not known. */
  readonly findBaseline: (name: string) => Baseline | null;
}

export interface WorktreeState {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** Commits on its branch that the branch checked out in `cwd` has not. */
  readonly commits: number;
  /** Files with changes that are not committed, from its top, but for copies of the user's own. */
  readonly uncommitted: readonly string[];
  /** What git ignores in it and nobody can make again, from its top; a folder that is ignored as a whole ends in `/`. */
  readonly ignored: readonly string[];
  /** What git ignores in it and a tool makes again: installed packages, caches. */
  readonly renewable: readonly string[];
}

interface OpenedWorktree {
  readonly path: string;
  readonly branch: string;
  readonly main: Repository;
  readonly worktree: Repository;
}

/** The worktrees of runs below the state folder, by name. Empty outside of a repository; one that git does not know any more is left out. */
export async function listWorktrees(settings: WorktreesSettings): Promise<readonly WorktreeState[]> {
  const folder = join(settings.cwd, settings.stateDir, 'worktrees');
  const names = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  const states = await Promise.all(names.map(({ name }) => readState(settings, name)));
  return states.filter((state) => state !== null).toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

async function readState(settings: WorktreesSettings, name: string): Promise<WorktreeState | null> {
  try {
    const { path, branch, main, worktree } = await openWorktree(settings, name);
    const commits = await countCommits(main.git, 'HEAD', toRef(branch));
    const { changed, ignored, renewable } = await readContents(settings, main, worktree, settings.findBaseline(name));
    return { name, path, branch, commits, uncommitted: changed, ignored, renewable };
  } catch {
    return null;
  }
}

/**
 * All that differs between a worktree and the commit from which it began, as one patch: commits, changes that are not committed, new files.
 *
 * @throws RalphError `worktree-unknown`, `worktree-failed`
 */
export async function diffWorktree(settings: WorktreesSettings, name: string): Promise<string> {
  const { path, branch, main, worktree } = await openWorktree(settings, name);
  // New files are shown by an index of our own: the one of the worktree stays as it is.
  const indexFile = `${path}.diff-index`;
  try {
    const base = (await demandGit(main.git, ['merge-base', 'HEAD', toRef(branch)])).trim();
    const options = { indexFile };
    await demandGit(worktree.git, ['read-tree', 'HEAD'], options);
    const { shared } = await readContents(settings, main, worktree, null);
    const leftOut = [...settings.stateDirs, ...shared].map((name) => `:(exclude,literal)${name}`);
    await demandGit(worktree.git, ['add', '--all', '--', '.', ...leftOut], options);
    return await demandGit(worktree.git, ['diff', '--cached', '--no-ext-diff', '--no-textconv', base], options);
  } catch (error) {
    throw toFailure(name, 'compared', toErrorMessage(error));
  } finally {
    rmSync(indexFile, { force: true });
  }
}

/**
 * Merges the branch of a worktree into the branch that is checked out in `cwd`. Nothing is merged where the worktree has changes that are not committed, and a merge
 * with conflicts is taken back. No hook runs.
 *
 * @returns how many commits came, and into which branch
 * @throws RalphError `worktree-unknown`, `worktree-dirty` (the worktree, or the files here that it would change), `worktree-conflict`, `worktree-failed`
 */
export async function mergeWorktree(
  settings: WorktreesSettings,
  name: string,
): Promise<{ readonly commits: number; readonly into: string; readonly branch: string }> {
  const { path, branch, main, worktree } = await openWorktree(settings, name);
  const { changed } = await readContents(settings, main, worktree, settings.findBaseline(name));
  if (changed.length > 0) throw toDirty(name, path, changed, 'They would not be merged.');
  const into = (await demandGit(main.git, ['rev-parse', '--abbrev-ref', 'HEAD'])).trim();
  const commits = await countCommits(main.git, 'HEAD', toRef(branch));
  await demandTrueObjects(main, toRef(branch), 'HEAD').catch((error: Error) => {
    throw toFailure(name, 'merged', error.message);
  });
  const merged = await main.git(['merge', '--no-edit', branch]);
  if (merged.ok) return { commits, into, branch };
  const conflicts = (await main.git(['diff', '--name-only', '--diff-filter=U'])).stdout.trim();
  await main.git(['merge', '--abort']);
  if (conflicts === '') {
    const inTheWay = await listInTheWay(main, branch);
    throw inTheWay.length > 0 && WOULD_OVERWRITE.test(merged.problem)
      ? toInTheWay(name, inTheWay)
      : toFailure(name, 'merged', merged.problem);
  }
  throw new RalphError({
    code: 'worktree-conflict',
    what: `${branch} and ${into} have both changed ${conflicts.split('\n').join(', ')}; nothing was merged.`,
    why: 'Which of two changes is right is for a person to say.',
    fix: `Merge by hand: git merge ${branch}`,
  });
}

/**
 * What git's configuration names to be run, here or in a worktree, and was not there when the run began: keys as git prints them, sorted. None of it is
 * run by what works on the worktree.
 *
 * @throws RalphError `worktree-unknown`, `worktree-failed`
 */
export async function listLeftOut(settings: WorktreesSettings, name: string): Promise<readonly string[]> {
  const { main, worktree } = await openWorktree(settings, name);
  const found = await Promise.all([main, worktree].map((repository) => repository.findPrograms?.()));
  return [...new Set(found.flatMap((findings) => findings?.keys ?? []))].sort();
}

/** Git's word for a merge that it did not begin, without the names. */
const WOULD_OVERWRITE = /would be overwritten by merge/;

/** What is not committed in the main checkout and changed on the branch too. */
async function listInTheWay(main: Repository, branch: string): Promise<readonly string[]> {
  const changed = await demandGit(main.git, ['diff', '--name-only', '-z', '--no-renames', `HEAD...${toRef(branch)}`]);
  const theirs = new Set(changed.split('\0'));
  return (await readStatus(main)).entries.map((entry) => entry.path).filter((path) => theirs.has(path));
}

function toInTheWay(name: string, paths: readonly string[]): RalphError {
  return new RalphError({
    code: 'worktree-dirty',
    what: `The worktree ${name} would change files that have changes here which are not committed: ${toShown(paths)}. Nothing was merged.`,
    why: 'Your changes would be overwritten.',
    fix: `Commit or stash them first, then: ralph worktrees merge ${name}`,
  });
}

async function openWorktree(settings: WorktreesSettings, name: string): Promise<OpenedWorktree> {
  const { path, branch } = toWorktreePlace(settings.cwd, settings.stateDir, name);
  if (!existsSync(path)) {
    throw new RalphError({
      code: 'worktree-unknown',
      what: `There is no worktree ${name} here.`,
      fix: 'See which there are: ralph worktrees',
      exitCode: 2,
    });
  }
  const [main, worktree] = await Promise.all([findRepository(settings), findRepository({ ...settings, cwd: path })]);
  if (!main.ok) throw toFailure(name, 'read', main.refused);
  if (!worktree.ok || worktree.value.top !== path) throw toFailure(name, 'read', worktree.ok ? `${path} is no worktree` : worktree.refused);
  return { path, branch, main: main.value, worktree: worktree.value };
}
