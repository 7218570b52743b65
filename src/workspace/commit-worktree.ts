import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CheckpointResult } from '../ports/index.ts';
import { GitProblem } from './git.ts';
import { type CheckpointOrder, demandNoOperation, makeCheckpoint } from './make-checkpoint.ts';
import { demandPlainBranch, returnToBranch } from './own-branch.ts';
import type { WorktreePlace } from './worktree-place.ts';

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

/** What an agent wrote into `.git` could name the main checkout: its folder of git must name this one back. */
export function isOwnWorktree(path: string, { top, gitDir }: Pick<CheckpointOrder['repository'], 'top' | 'gitDir'>): boolean {
  try {
    const real = realpathSync(path);
    const back = readFileSync(join(gitDir, 'gitdir'), 'utf8').trim();
    return realpathSync(top) === real && basename(dirname(gitDir)) === 'worktrees' && back === join(real, '.git');
  } catch {
    return false;
  }
}
