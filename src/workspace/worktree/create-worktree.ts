import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRalphError, RalphError, toErrorMessage } from '../../core/values/errors.ts';
import type { Git, GitStatus, Repository, RepositorySettings, StatusEntry } from '../../git/contract.ts';
import { createGit, demandGit, toGitFix } from '../../git/git.ts';
import { toRef } from '../../git/refs.ts';
import { findRepository } from '../../git/repository.ts';
import { readStatus } from '../../git/status.ts';
import { changeIndex, readTree, toIndexChange, writeTree } from '../../git/trees.ts';
import { toWorktreePlace, type WorktreePlace } from '../../git/worktree-place.ts';
import { readFileSize } from '../snapshot/file-version.ts';
import { linkShared, planLinks, type SharedLinks } from './link-shared.ts';

export interface WorktreeOrder extends RepositorySettings {
  /** Name of the folder for state, relative to `cwd`, that holds the worktrees. */
  readonly stateDir: string;
  /** Becomes the last part of the path and of the branch. */
  readonly name: string;
  /** Paths relative to `cwd` that are linked instead of made anew: `node_modules`, `.venv`. */
  readonly links: readonly string[];
  /** Take the worktree of that name if it is there already, or its branch if only that is, as a resumed run does; otherwise that is an error. */
  readonly reuse: boolean;
}

/** A working tree of its own for one run. */
export interface Worktree extends WorktreePlace, SharedLinks {
  /** The folder in it that corresponds to the order's `cwd`. */
  readonly cwd: string;
  /** Files with uncommitted changes that were brought along, from the top of the repository. */
  readonly carried: readonly string[];
  /** Uncommitted files that were not: larger than 100 MB, or repositories of their own. */
  readonly notCarried: readonly string[];
  /** It was there before. */
  readonly isReused: boolean;
}

/**
 * Makes a git worktree of the current commit on a new branch, brings the uncommitted changes along (as uncommitted changes; the main
 * checkout and its index stay as they are) and links shared folders. No hook runs. Submodules are left empty, as git does it.
 *
 * @throws RalphError: `worktree-name`, `worktree-place`, `worktree-no-repository`, `worktree-no-commit`, `worktree-exists`,
 * `worktree-failed`.
 */
export async function createWorktree(order: WorktreeOrder): Promise<Worktree> {
  const place = toWorktreePlace(order.cwd, order.stateDir, order.name);
  const repository = await demandRepository(order);
  const isReused = existsSync(place.path);
  if (isReused) await checkReuse(order, place);
  const links = planLinks(order.links);
  try {
    const isThere = isReused || (order.reuse && (await restoreWorktree(place, repository)));
    const brought = isThere ? { carried: [], notCarried: [] } : await addWorktree(order, place, repository, links);
    const cwd = resolve(place.path, repository.prefix);
    mkdirSync(cwd, { recursive: true });
    return { ...place, cwd, ...brought, isReused, ...(await linkShared({ ...order, links }, cwd)) };
  } catch (error) {
    throw isRalphError(error) ? error : toFailure(order, place, error);
  }
}

async function demandRepository(order: WorktreeOrder): Promise<Repository> {
  const search = await findRepository(order);
  if (search.ok) return search.value;
  throw new RalphError({
    code: 'worktree-no-repository',
    what: `A worktree needs a git repository, and ${order.cwd} is in none: ${search.refused}.`,
    fix: 'Work in the folder itself: ralph run --in-place\nor make a repository and a first commit: git init; git add .; git commit',
    exitCode: 2,
  });
}

/** Brings a worktree back whose folder was removed, as its branch has it: nothing is carried over a second time. False without that branch. */
async function restoreWorktree(place: WorktreePlace, { git }: Repository): Promise<boolean> {
  const branch = await git(['rev-parse', '--verify', '--quiet', toRef(place.branch)]);
  if (!branch.ok) return false;
  // Git may still know of the folder that is gone; where it does not, this fails and nothing is lost.
  await git(['worktree', 'remove', '--force', place.path]);
  mkdirSync(dirname(place.path), { recursive: true });
  await demandGit(git, ['worktree', 'add', place.path, place.branch]);
  return true;
}

async function addWorktree(
  order: WorktreeOrder,
  place: WorktreePlace,
  repository: Repository,
  links: readonly string[],
): Promise<CarriedChanges> {
  const { git } = repository;
  const status = await readStatus(repository);
  if (status.head === null) {
    throw new RalphError({
      code: 'worktree-no-commit',
      what: 'A worktree begins at a commit, and this repository has none.',
      fix: 'Make a first commit (git add .; git commit), or work in the folder itself: ralph run --in-place',
      exitCode: 2,
    });
  }
  mkdirSync(dirname(place.path), { recursive: true });
  const isTaken = (await git(['rev-parse', '--verify', '--quiet', toRef(place.branch)])).ok;
  try {
    await demandGit(git, ['worktree', 'add', '--no-track', '-b', place.branch, place.path, status.head]);
    return await carryChanges(repository, status, links, createGit({ cwd: place.path, env: order.env }), `${place.path}.index`);
  } catch (error) {
    // Half of a checkout, or of the person's changes, would be worse than no worktree. Nobody has worked in it yet.
    if (!isTaken) {
      await git(['worktree', 'remove', '--force', place.path]);
      await git(['branch', '--delete', '--force', place.branch]);
    }
    throw error;
  }
}

async function checkReuse(order: WorktreeOrder, place: WorktreePlace): Promise<void> {
  const git = createGit({ cwd: place.path, env: order.env });
  const top = await git(['rev-parse', '--show-toplevel']);
  const isWorktree = top.ok && top.stdout.replace(/\n$/, '') === realpathSync(place.path);
  if (order.reuse && isWorktree) return;
  throw new RalphError({
    code: 'worktree-exists',
    what: isWorktree ? `There already is a worktree called ${order.name}.` : `${place.path} exists and is no worktree.`,
    why: 'Two runs must not share a working tree.',
    fix: `Choose another name, or remove it: git worktree remove ${place.path}; git branch -D ${place.branch}`,
    exitCode: 2,
  });
}

function toFailure(order: WorktreeOrder, place: WorktreePlace, error: unknown): RalphError {
  const problem = toErrorMessage(error);
  return new RalphError({
    code: 'worktree-failed',
    what: `The worktree ${order.name} could not be made: ${problem}`,
    fix: toGitFix(problem) ?? `Choose another name, or remove what is left of it: git worktree prune; git branch -D ${place.branch}`,
    cause: error,
  });
}

/** What became of the uncommitted files. */
interface CarriedChanges {
  readonly carried: readonly string[];
  readonly notCarried: readonly string[];
}

/** A larger file that git does not know is rather data than work. */
const MAX_UNTRACKED_BYTES = 100 << 20;

/**
 * Brings uncommitted changes from one working tree into another of the same commit: changed, deleted and untracked files with their
 * modes, links and line ends. They go by a tree object, which is exact where a patch may not apply; afterwards they are uncommitted
 * there as well, none staged.
 *
 * @param links what is going to be linked instead, relative to the workspace.
 * @param indexFile path of an index file of ours, removed at the end.
 * @throws GitProblem
 */
async function carryChanges(
  from: Repository,
  status: GitStatus,
  links: readonly string[],
  to: Git,
  indexFile: string,
): Promise<CarriedChanges> {
  const linked = links.map((name) => `${from.prefix}${name}/`);
  const wanted = status.entries.filter(
    (entry) => entry.kind !== 'untracked' || !linked.some((folder) => `${entry.path}/`.startsWith(folder)),
  );
  const taken = new Set(wanted.filter((entry) => canCarry(entry, from.top)));
  const notCarried = wanted.filter((entry) => !taken.has(entry)).map((entry) => entry.path);
  const change = toIndexChange([...taken]);
  const carried = [...change.write, ...change.remove];
  if (carried.length === 0 || status.head === null) return { carried: [], notCarried };
  const index = { indexFile };
  try {
    await readTree(from.git, index, status.head);
    await changeIndex(from.git, change, index);
    const tree = await writeTree(from.git, index);
    await demandGit(to, ['read-tree', '-m', '-u', status.head, tree]);
    await demandGit(to, ['read-tree', '-m', status.head]);
    return { carried, notCarried };
  } finally {
    rmSync(indexFile, { force: true });
  }
}

function canCarry(entry: StatusEntry, top: string): boolean {
  if (entry.isRepository) return false;
  if (entry.kind !== 'untracked') return true;
  return readFileSize(join(top, entry.path)) <= MAX_UNTRACKED_BYTES;
}
