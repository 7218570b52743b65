import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toSafeName } from '../core/text/file-name.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { isOutsideGit } from '../git/git-places.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { Layout } from '../runs/layout.ts';
import type { RunFile } from '../runs/run-file.ts';
import { closeWorktree, openRunWorkspace } from '../runs/run-workspace.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { listUncommitted } from '../workspace/snapshot/baseline.ts';

/** A run whose worktree shall have everything on its branch. */
export interface LeftOrder {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
}

/**
 * Commits what nobody committed in the worktree of a run.
 *
 * @param verb what is not done where something cannot be committed: `landed`
 * @throws RalphError `land-refused` that names it
 */
export async function commitLeft({ layout, paths, file, env }: LeftOrder, verb: string): Promise<void> {
  const { worktree } = file;
  if (worktree === null || !existsSync(join(layout.worktreesDir, worktree))) return;
  const end = await closeWorktree({ paths, file, layout }, openRunWorkspace({ paths, file, env }));
  const place = { cwd: file.workspace, env, stateDirs: toStateDirs(file.settings), programs: file.gitPrograms };
  const left = await listUncommitted(place, file.baseline);
  if (left.length === 0 && (end?.note ?? '') === '') return;
  throw new RalphError({
    code: 'land-refused',
    what: `Run ${paths.runId} was not ${verb}: its worktree ${worktree} has what is not on its branch${left.length === 0 ? '' : `: ${toNames(left)}`}.`,
    why: end === null || end.note === '' ? toReason(left, file) : end.note,
    fix: `Commit it there, or throw it away: ${join(layout.worktreesDir, worktree)}`,
  });
}

function toReason(left: readonly string[], { baseline }: RunFile): string {
  const own = new Set(baseline?.dirty.map(({ path }) => path));
  if (!left.every((path) => own.has(path))) return 'It would not come along.';
  return 'The run changed what had changes of yours that were not committed: Ralph commits no such file, so it would not come along.';
}

const SHOWN = 8;

/** The first names of a list, for people. */
export function toNames(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).map(toSafeName);
  return `${shown.join(', ')}${paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : ''}`;
}

/** A run that is to leave its worktree, and what is asked of it. */
interface InPlaceRun {
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
    what: `Run ${runId} worked in this folder itself, so it has no branch of its own to offer.`,
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
