import { RalphError } from '../core/index.ts';
import { isOutsideGit } from '../git/index.ts';

/** A run that is to leave its worktree, and what is asked of it. */
export interface InPlaceRun {
  readonly runId: string;
  /** Absolute path of the folder that it worked in. */
  readonly folder: string;
}

/** Why a run that worked in the folder itself cannot be landed. */
export function toLandInPlace({ runId, folder }: InPlaceRun): RalphError {
  const isOutside = isOutsideGit(folder);
  return new RalphError({
    code: 'land-in-place',
    what: `Run ${runId} worked in this folder itself: there is nothing to land.`,
    why: isOutside ? WITHOUT_REPOSITORY : 'Only a run in a worktree has a branch of its own.',
    fix: isOutside
      ? toWithoutGit(runId)
      : `Look at its work: git status; git diff\nKeep it: git add, git commit. Take it back: ralph undo ${runId}`,
  });
}

/** Why it cannot be offered to others. */
export function toOfferInPlace({ runId, folder }: InPlaceRun): RalphError {
  const isOutside = isOutsideGit(folder);
  return new RalphError({
    code: 'pr-in-place',
    what: `Run ${runId} worked in this folder itself, so it has no branch of its own to be offered.`,
    ...(isOutside ? { why: WITHOUT_REPOSITORY } : {}),
    fix: isOutside
      ? toWithoutGit(runId)
      : 'Make one: git switch -c BRANCH; git add; git commit; git push\nNext time: ralph run --worktree NAME',
  });
}

const WITHOUT_REPOSITORY = 'The folder is in no git repository: there are no branches, and nobody knows what the files were before.';

/** What helps where a run worked outside of git. */
export function toWithoutGit(runId: string): string {
  return `Its files are as it left them; what its turns said: ralph show ${runId}\nBefore the next run: git init, git add, git commit. Then: ralph run --worktree NAME`;
}
