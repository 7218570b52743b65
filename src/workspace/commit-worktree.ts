import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { maskControls } from '../core/index.ts';
import type { CheckpointResult } from '../ports/index.ts';
import { demandGit, GitProblem } from './git.ts';
import { type CheckpointOrder, makeCheckpoint } from './make-checkpoint.ts';
import { toRef, type WorktreePlace } from './worktree-place.ts';

export interface WorktreeCommitOrder extends Pick<CheckpointOrder, 'repository' | 'baseline' | 'runId' | 'scratchDir'> {
  readonly place: WorktreePlace;
  /** The first line of the commit's message. */
  readonly subject: string;
}

/**
 * Commits all that a run left uncommitted in its worktree: what git ignores, what was linked, and other repositories in it stay as they are. Where an agent went to
 * another branch, the branch of the worktree follows if it only has to be moved forward.
 *
 * @throws GitProblem during a merge and its like, and where the folder is no worktree any more: a commit would go to somebody else's branch then
 */
export async function commitWorktree({ place, ...order }: WorktreeCommitOrder): Promise<CheckpointResult> {
  const { repository } = order;
  if (!isOwnWorktree(place.path, repository)) throw new GitProblem('the folder is not the worktree any more that it was');
  const made = await makeCheckpoint({ ...order, branch: null });
  const strayed = await leadBranch(order, place.branch);
  return strayed === '' ? made : { ...made, note: [made.note, strayed].filter((part) => part !== '').join('; ') };
}

/** What an agent wrote into `.git` could name the main checkout: its folder of git must name this one back. */
function isOwnWorktree(path: string, { top, gitDir }: Pick<CheckpointOrder['repository'], 'top' | 'gitDir'>): boolean {
  try {
    const real = realpathSync(path);
    const back = readFileSync(join(gitDir, 'gitdir'), 'utf8').trim();
    return realpathSync(top) === real && basename(dirname(gitDir)) === 'worktrees' && back === join(real, '.git');
  } catch {
    return false;
  }
}

/** A sentence where the branch does not have the work; empty where it has. */
async function leadBranch({ repository }: Pick<CheckpointOrder, 'repository'>, branch: string): Promise<string> {
  const { git } = repository;
  const ref = toRef(branch);
  const current = await git(['symbolic-ref', '--quiet', 'HEAD']);
  if (current.stdout.trim() === ref) return '';
  const [head, tip] = await Promise.all([demandGit(git, ['rev-parse', 'HEAD']), git(['rev-parse', '--verify', '--quiet', ref])]);
  if (tip.ok && head === tip.stdout) return '';
  const isBehind = !tip.ok || (await git(['merge-base', '--is-ancestor', tip.stdout.trim(), head.trim()])).ok;
  const elsewhere = (await git(['for-each-ref', '--format=%(worktreepath)', ref])).stdout.trim();
  if (isBehind && elsewhere === '') {
    await demandGit(git, ['update-ref', '-m', 'ralph: end of the run', ref, head.trim(), tip.stdout.trim()]);
    return '';
  }
  const place = current.ok ? maskControls(current.stdout.trim().replace('refs/heads/', '')) : 'no branch';
  return `the worktree is on ${place}, whose commits ${branch} has not`;
}
