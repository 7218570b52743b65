import type { Repository } from './find-repository.ts';
import { demandGit, GitProblem } from './git.ts';
import type { GitStatus } from './parse-status.ts';

/** Where a checkpoint goes. */
export interface CheckpointTarget {
  readonly ref: string;
  readonly parent: string | null;
  /** What the ref must still be when it is moved; empty: it must not exist. */
  readonly expected: string;
  /** Whether the commit becomes the one that the user's index is compared with. */
  readonly isCurrent: boolean;
}

/** Names that git stores but that no command takes as a branch afterwards. */
const unusable = /^-|^HEAD$/;

/**
 * The current branch, or the tip of a named one, which begins at the current commit when it does not exist.
 *
 * @throws GitProblem for a name that is none for a branch, and when the branch is checked out in another working tree, which would be
 * pulled from under it.
 */
export async function findCheckpointTarget(repository: Repository, status: GitStatus, branch: string | null): Promise<CheckpointTarget> {
  if (branch === null || branch === status.branch) {
    return { ref: 'HEAD', parent: status.head, expected: status.head ?? '', isCurrent: true };
  }
  if (unusable.test(branch)) throw new GitProblem(`${JSON.stringify(branch)} is no name for a branch`);
  const ref = `refs/heads/${branch}`;
  const format = '--format=%(refname)%00%(objectname)%00%(worktreepath)';
  const lines = (await demandGit(repository.git, ['for-each-ref', format, ref])).split('\n');
  const [, tip = null, otherTree = ''] = lines.map((line) => line.split('\0')).find(([name]) => name === ref) ?? [];
  if (otherTree !== '') throw new GitProblem(`the branch ${branch} is checked out in ${otherTree}`);
  return { ref, parent: tip ?? status.head, expected: tip ?? '', isCurrent: false };
}
