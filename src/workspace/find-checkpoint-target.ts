import type { Repository } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';
import { demandPlainBranch, readCurrentBranch } from './own-branch.ts';
import type { GitStatus } from './parse-status.ts';
import { toRef } from './worktree-place.ts';

/** Where a checkpoint goes. */
export interface CheckpointTarget {
  readonly ref: string;
  readonly parent: string | null;
  /** What the ref must still be when it is moved; empty: it must not exist. */
  readonly expected: string;
  /** Whether the commit becomes the one that the user's index is compared with. */
  readonly isCurrent: boolean;
  /** Whether the ref is a branch by its own name, and not the HEAD that leads to one. */
  readonly isNamed: boolean;
}

export interface TargetOrder {
  readonly repository: Repository;
  /** Null: the current branch. */
  readonly branch: string | null;
  /** The only branch that may be the current one; `null`: any. */
  readonly ownBranch: string | null;
}

/** Names that git stores but that no command takes as a branch afterwards. */
const unusable = /^-|^HEAD$/;

/**
 * The current branch, or the tip of a named one, which begins at the current commit when it does not exist.
 *
 * @throws GitProblem for a name that is none for a branch, and when the branch is checked out in another working tree, which would be
 * pulled from under it; where the current branch is not the one that it must be; and where a branch is only another name for another one.
 */
export async function findCheckpointTarget(order: TargetOrder, status: GitStatus): Promise<CheckpointTarget> {
  const { repository, branch, ownBranch } = order;
  const current = { parent: status.head, expected: status.head ?? '', isCurrent: true };
  const named = branch ?? ownBranch;
  if (named === null || (ownBranch === null && named === status.branch)) return { ...current, ref: 'HEAD', isNamed: false };
  if (named === ownBranch) {
    if (status.branch === ownBranch) return { ...current, ref: toRef(ownBranch), isNamed: true };
    throw new GitProblem(`the worktree is on ${await readCurrentBranch(repository)} and not on ${ownBranch}`);
  }
  if (unusable.test(named)) throw new GitProblem(`${JSON.stringify(named)} is no name for a branch`);
  const ref = toRef(named);
  await demandPlainBranch(repository, named);
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)';
  const lines = (await demandGit(repository.git, ['for-each-ref', format, ref])).split('\n');
  const [, tip = null, otherTree = ''] = lines.map((line) => line.split('\0')).find(([name]) => name === ref) ?? [];
  if (otherTree !== '') throw new GitProblem(`the branch ${named} is checked out in ${otherTree}`);
  return { ref, parent: tip ?? status.head, expected: tip ?? '', isCurrent: false, isNamed: true };
}
