import { join } from 'node:path';
import { isJsonObject } from '../core/index.ts';
import { nodeFileSystem, type RunPaths, readSettings, writeSettings } from '../journal/index.ts';
import { removeTree } from '../process/index.ts';
import type { GitWorkspace } from '../workspace/index.ts';
import type { Layout } from './layout.ts';
import type { WorktreeEnd } from './run-api.ts';
import type { RunFile } from './run-file.ts';
import { toCommitSubject } from './worktree-name.ts';

/** A run whose end in its worktree is to be made. */
export interface ClosedRun {
  readonly paths: Pick<RunPaths, 'folder'>;
  readonly file: Pick<RunFile, 'worktree' | 'settings' | 'resolves'>;
  readonly layout: Pick<Layout, 'worktreesDir'>;
}

/**
 * Commits what a run left uncommitted in its worktree; why that failed is kept in its folder until it is done. `null` where it works in none, or in that of
 * a landing, which commits itself. Never rejects.
 */
export async function closeWorktree(
  { paths, file, layout }: ClosedRun,
  workspace: Pick<GitWorkspace, 'commitRest'>,
): Promise<WorktreeEnd | null> {
  const { worktree, settings, resolves } = file;
  if (worktree === null || resolves !== undefined) return null;
  const place = { path: join(layout.worktreesDir, worktree), branch: `ralph/${worktree}` };
  const { commit, note, leftOut } = await workspace.commitRest(place, toCommitSubject(settings.spec.objective));
  const failure = note === NOTHING ? '' : note;
  keepFailure(paths, failure);
  return { commit, note: failure, leftOut };
}

const NOTHING = 'nothing new to commit';
const FILE = 'last-commit.json';

function keepFailure({ folder }: Pick<RunPaths, 'folder'>, note: string): void {
  const path = join(folder, FILE);
  try {
    if (note === '') removeTree(path);
    else writeSettings(nodeFileSystem, path, { version: 1, note });
  } catch {
    // Who asks for it is told that files are not committed, if not why.
  }
}

/** Why the last commit of a run in its worktree failed; empty where it did not, or nobody knows. Never throws. */
export function readCommitFailure({ folder }: Pick<RunPaths, 'folder'>): string {
  try {
    const kept = readSettings(nodeFileSystem, join(folder, FILE));
    return isJsonObject(kept) && typeof kept['note'] === 'string' ? kept['note'] : '';
  } catch {
    return '';
  }
}
