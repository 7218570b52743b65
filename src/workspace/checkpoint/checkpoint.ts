import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { showName } from '../../core/text/file-name.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { GitStatus, IndexChange, Repository, StatusEntry } from '../../git/contract.ts';
import { demandGit, GitProblem } from '../../git/git.ts';
import { findOngoingOperation } from '../../git/git-activity.ts';
import { isOwnWorktree } from '../../git/git-places.ts';
import { demandPlainBranch, readCurrentBranch, returnToBranch, toRef, WITHOUT_NEW_LOGS } from '../../git/refs.ts';
import { readStatus } from '../../git/status.ts';
import { changeIndex, commitTree, readTree, toIndexChange, whileUnlocked, writeTree } from '../../git/trees.ts';
import type { WorktreePlace } from '../../git/worktree-place.ts';
import type { CheckpointResult } from '../../ports/workspace.ts';
import type { Baseline, DirtyFile } from '../snapshot/baseline-record.ts';
import { readFileVersion, toComparableLimit } from '../snapshot/file-version.ts';

const MAX_LEFT_OUT = 200;

interface CheckpointOrder {
  readonly repository: Repository;
  readonly baseline: Baseline;
  readonly runId: string;
  /** Of the commit. */
  readonly subject: string;
  /** Null: the current branch. */
  readonly branch: string | null;
  /** The only branch that may be the current one, in the worktree of a run; `null`: any. */
  readonly ownBranch: string | null;
  /** Folder for the temporary index. */
  readonly scratchDir: string;
}

/**
 * Commits what the run changed since it began and nothing else. The tree is put together in an index of our own; no hook runs, nothing
 * is signed or stashed. On the current branch the user's index learns of exactly the committed files, as `git commit --only` does it;
 * with a branch of their own, checkpoints leave HEAD, index and working tree alone.
 *
 * @throws GitProblem, or the system error when the temporary index cannot be made.
 */
export async function makeCheckpoint(order: CheckpointOrder): Promise<CheckpointResult> {
  const { repository } = order;
  demandNoOperation(repository);
  if (order.ownBranch !== null) await demandPlainBranch(repository, order.ownBranch);
  const status = await readStatus(repository);
  const plan = planCheckpoint(status, order.baseline, ({ path, content }) =>
    readFileVersion(join(repository.top, path), status.head, toComparableLimit(content)),
  );
  const leftOut = toBoundedList(plan.leftOut);
  try {
    const commit = await commitChange(order, status, plan.change);
    return { commit, leftOut, note: commit === null ? 'nothing new to commit' : '' };
  } catch (error) {
    return { commit: null, leftOut, note: toErrorMessage(error) };
  }
}

/** @throws GitProblem during a merge and its like */
function demandNoOperation({ gitDir }: Pick<Repository, 'gitDir'>): void {
  const operation = findOngoingOperation(gitDir);
  if (operation !== undefined) throw new GitProblem(`no checkpoint during ${operation}`);
}

/** Null when there is nothing to commit. */
async function commitChange(order: CheckpointOrder, status: GitStatus, change: IndexChange): Promise<string | null> {
  if (change.write.length + change.remove.length === 0) return null;
  const { git } = order.repository;
  const target = await findCheckpointTarget(order, status);
  const [tree, parentTree] = await Promise.all([storeChange(order, status.head, change), readParentTree(order, target)]);
  if (tree === parentTree) return null;
  const { subject, runId } = order;
  const commit = await commitTree(git, { tree, parent: target.parent, subject, runId });
  // The index first: if the branch then cannot be moved, the files show as staged; the other way round they would show as staged for
  // being undone.
  if (target.isCurrent) await whileUnlocked(() => changeIndex(git, change));
  const { isNamed, ref, expected } = target;
  const options = order.ownBranch === null ? {} : { config: WITHOUT_NEW_LOGS };
  await demandGit(git, ['update-ref', ...(isNamed ? ['--no-deref'] : []), '-m', subject, ref, commit, expected], options);
  return commit;
}

async function readParentTree(order: CheckpointOrder, target: CheckpointTarget): Promise<string> {
  if (target.parent === null) return '';
  return (await demandGit(order.repository.git, ['rev-parse', '--verify', `${target.parent}^{tree}`])).trim();
}

async function storeChange(order: CheckpointOrder, head: string | null, change: IndexChange): Promise<string> {
  const { git } = order.repository;
  mkdirSync(order.scratchDir, { recursive: true });
  const index = { indexFile: join(order.scratchDir, `checkpoint-${process.pid}.index`) };
  try {
    await readTree(git, index, head);
    await changeIndex(git, change, index);
    return await writeTree(git, index);
  } finally {
    rmSync(index.indexFile, { force: true });
  }
}

function toBoundedList(names: readonly string[]): readonly string[] {
  const paths = names.map(showName);
  if (paths.length <= MAX_LEFT_OUT) return paths;
  return [...paths.slice(0, MAX_LEFT_OUT), `… and ${paths.length - MAX_LEFT_OUT} more`];
}

interface CheckpointTarget {
  readonly ref: string;
  readonly parent: string | null;
  /** What the ref must still be when it is moved; empty: it must not exist. */
  readonly expected: string;
  /** Whether the commit becomes the one that the user's index is compared with. */
  readonly isCurrent: boolean;
  /** Whether the ref is a branch by its own name, and not the HEAD that leads to one. */
  readonly isNamed: boolean;
}

interface TargetOrder {
  readonly repository: Repository;
  /** Null: the current branch. */
  readonly branch: string | null;
  /** The only branch that may be the current one; `null`: any. */
  readonly ownBranch: string | null;
}

/** Names that git stores but that no command takes as a branch afterwards. */
const UNUSABLE = /^-|^HEAD$/;

/**
 * The current branch, or the tip of a named one, which begins at the current commit when it does not exist.
 *
 * @throws GitProblem for a name that is none for a branch, and when the branch is checked out in another working tree, which would be
 * pulled from under it; where the current branch is not the one that it must be; and where a branch is only another name for another one.
 */
async function findCheckpointTarget(order: TargetOrder, status: GitStatus): Promise<CheckpointTarget> {
  const { repository, branch, ownBranch } = order;
  const current = { parent: status.head, expected: status.head ?? '', isCurrent: true };
  const named = branch ?? ownBranch;
  if (named === null || (ownBranch === null && named === status.branch)) return { ...current, ref: 'HEAD', isNamed: false };
  if (named === ownBranch) {
    if (status.branch === ownBranch) return { ...current, ref: toRef(ownBranch), isNamed: true };
    throw new GitProblem(`the worktree is on ${await readCurrentBranch(repository)} and not on ${ownBranch}`);
  }
  if (UNUSABLE.test(named)) throw new GitProblem(`${JSON.stringify(named)} is no name for a branch`);
  const ref = toRef(named);
  await demandPlainBranch(repository, named);
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)';
  const lines = (await demandGit(repository.git, ['for-each-ref', format, ref])).split('\n');
  const [, tip = null, otherTree = ''] = lines.map((line) => line.split('\0')).find(([name]) => name === ref) ?? [];
  if (otherTree !== '') throw new GitProblem(`the branch ${named} is checked out in ${otherTree}`);
  return { ref, parent: tip ?? status.head, expected: tip ?? '', isCurrent: false, isNamed: true };
}

/** What is to be committed, and what is not although it changed. */
interface CheckpointPlan {
  readonly change: IndexChange;
  /** The user's own files that changed since the run began. */
  readonly leftOut: readonly string[];
}

/** What a name that is not UTF-8 has become on its way here: git would not find the file. */
const UNDECODABLE = '\ufffd';

/**
 * Chooses what a checkpoint takes: everything that differs from the last commit, except what was the user's own when the run began,
 * what was ignored then, unresolved conflicts, and other repositories inside this one.
 *
 * A file of the user counts as the run's from the moment at which the last commit holds exactly what it was when the run began.
 *
 * @param readVersion what a file of the user is now, told in the way of the baseline.
 */
function planCheckpoint(status: GitStatus, baseline: Baseline, readVersion: (file: DirtyFile) => string): CheckpointPlan {
  const dirty = new Map(baseline.dirty.map((file) => [file.path, file]));
  const entries = status.entries.filter((entry) => !entry.isRepository && entry.kind !== 'ignored');
  const own = entries.flatMap((entry) => {
    const file = dirty.get(entry.path);
    return file && !isSettled(file, entry) ? [{ file, entry }] : [];
  });
  const ownPaths = new Set(own.map(({ file }) => file.path));
  const changed = own.filter(({ file }) => readVersion(file) !== file.content).map(({ file }) => file.path);
  const tracked = own.filter(({ entry }) => entry.kind !== 'untracked').map(({ file }) => file.path);
  const findObstacle = createObstacleFinder(tracked, baseline.ignored);
  const leftOut = new Set(changed);
  const taken = entries.filter((entry) => {
    if (ownPaths.has(entry.path)) return false;
    const obstacle = findObstacle(entry);
    if (obstacle !== undefined) leftOut.add(obstacle);
    return obstacle === undefined;
  });
  return { change: toIndexChange(taken), leftOut: [...leftOut] };
}

/** Somebody committed the user's version of it; nothing of the user's can be lost any more. */
function isSettled(own: DirtyFile, entry: StatusEntry): boolean {
  return !own.isStagedApart && entry.kind !== 'unmerged' && entry.head === own.content;
}

/**
 * Finds what keeps a file that is not the user's own from being committed, by the path to be named; undefined for nothing.
 *
 * @param tracked the user's own files that git knows: none of them can be a folder or lie in a file at the same time.
 */
function createObstacleFinder(tracked: readonly string[], ignored: readonly string[]): (entry: StatusEntry) => string | undefined {
  const files = new Set(tracked);
  const folders = new Set(tracked.flatMap(listFolders));
  const wasIgnored = new Set(ignored);
  return ({ path, kind }) => {
    if (kind === 'unmerged' || path.includes(UNDECODABLE) || wasIgnored.has(path)) return path;
    if (folders.has(`${path}/`) || listFolders(path).some((folder) => files.has(folder.slice(0, -1)))) return path;
    return listFolders(path).find((folder) => wasIgnored.has(folder));
  };
}

/** `a/b/c` -> `a/`, `a/b/`. */
function listFolders(path: string): string[] {
  return [...path.matchAll(/\//g)].map((match) => path.slice(0, match.index + 1));
}

export interface WorktreeCommitOrder extends Pick<CheckpointOrder, 'repository' | 'baseline' | 'runId' | 'scratchDir'> {
  readonly place: WorktreePlace;
  /** The first line of the commit's message. */
  readonly subject: string;
}

/**
 * Commits all that a run left uncommitted in its worktree: what git ignores, what was linked, and other repositories in it stay as they are. Where an agent went to
 * another branch, the branch of the worktree follows if it only has to be moved forward, and the worktree comes back to it: no other branch gets a commit of Ralph's.
 *
 * @throws GitProblem during a merge and its like, where the folder is no worktree any more, where an agent is on a branch with other commits, and where it made git's
 * own files lead elsewhere
 */
export async function commitWorktree({ place, ...order }: WorktreeCommitOrder): Promise<CheckpointResult> {
  const { repository } = order;
  if (!isOwnWorktree(place.path, repository)) throw new GitProblem('the folder is not the worktree any more that it was');
  demandNoOperation(repository);
  await demandPlainBranch(repository, place.branch);
  await returnToBranch(repository, place.branch);
  return makeCheckpoint({ ...order, branch: null, ownBranch: place.branch });
}
