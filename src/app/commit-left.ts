import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { maskControls, RalphError } from '../core/index.ts';
import { showName } from '../git/index.ts';
import type { RunPaths } from '../journal/index.ts';
import { listUncommitted } from '../workspace/index.ts';
import { openWorkspace } from './assemble-run.ts';
import { closeWorktree } from './close-worktree.ts';
import type { Layout } from './layout.ts';
import type { RunFile } from './run-file.ts';
import { toStateDirs } from './state-dirs.ts';

/** A run whose worktree shall have everything on its branch. */
export interface LeftOrder {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Readonly<Record<string, string | undefined>>;
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
  const end = await closeWorktree({ paths, file, layout }, openWorkspace({ paths, file, env }));
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
  const shown = paths.slice(0, SHOWN).map((path) => maskControls(showName(path)));
  return `${shown.join(', ')}${paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : ''}`;
}
