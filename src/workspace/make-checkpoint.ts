import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckpointResult } from '../ports/index.ts';
import type { Baseline } from './baseline.ts';
import { commitTree } from './commit-tree.ts';
import { showName } from './file-names.ts';
import { readFileVersion, toComparableLimit } from './file-version.ts';
import { type CheckpointTarget, findCheckpointTarget } from './find-checkpoint-target.ts';
import { findOngoingOperation } from './find-ongoing-operation.ts';
import type { Repository } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';
import { demandPlainBranch, WITHOUT_NEW_LOGS } from './own-branch.ts';
import type { GitStatus } from './parse-status.ts';
import { planCheckpoint } from './plan-checkpoint.ts';
import { readStatus } from './read-status.ts';
import { changeIndex, readTree, type TreeChange, writeTree } from './write-tree.ts';

/** Another git command holds the index for milliseconds; a lock that stays longer was left by a dead one. */
const lockTries = 5;
const lockWaitMs = 60;
const longestLeftOut = 200;

export interface CheckpointOrder {
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
    return { commit: null, leftOut, note: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws GitProblem during a merge and its like */
export function demandNoOperation({ gitDir }: Pick<Repository, 'gitDir'>): void {
  const operation = findOngoingOperation(gitDir);
  if (operation !== undefined) throw new GitProblem(`no checkpoint during ${operation}`);
}

/** Null when there is nothing to commit. */
async function commitChange(order: CheckpointOrder, status: GitStatus, change: TreeChange): Promise<string | null> {
  if (change.write.length + change.remove.length === 0) return null;
  const { git } = order.repository;
  const target = await findCheckpointTarget(order, status);
  const [tree, parentTree] = await Promise.all([storeChange(order, status.head, change), readParentTree(order, target)]);
  if (tree === parentTree) return null;
  const { subject, runId } = order;
  const commit = await commitTree(git, { tree, parent: target.parent, subject, runId });
  // The index first: if the branch then cannot be moved, the files show as staged; the other way round they would show as staged for
  // being undone.
  if (target.isCurrent) await changeUserIndex(order.repository, change);
  const { isNamed, ref, expected } = target;
  const options = order.ownBranch === null ? {} : { config: WITHOUT_NEW_LOGS };
  await demandGit(git, ['update-ref', ...(isNamed ? ['--no-deref'] : []), '-m', subject, ref, commit, expected], options);
  return commit;
}

async function readParentTree(order: CheckpointOrder, target: CheckpointTarget): Promise<string> {
  if (target.parent === null) return '';
  return (await demandGit(order.repository.git, ['rev-parse', '--verify', `${target.parent}^{tree}`])).trim();
}

async function storeChange(order: CheckpointOrder, head: string | null, change: TreeChange): Promise<string> {
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

async function changeUserIndex(repository: Repository, change: TreeChange): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeIndex(repository.git, change);
    } catch (error) {
      const isLocked = error instanceof GitProblem && error.message.includes('index.lock');
      if (!isLocked || attempt === lockTries) throw error;
      await sleep(lockWaitMs);
    }
  }
}

function toBoundedList(names: readonly string[]): readonly string[] {
  const paths = names.map(showName);
  if (paths.length <= longestLeftOut) return paths;
  return [...paths.slice(0, longestLeftOut), `… and ${paths.length - longestLeftOut} more`];
}
