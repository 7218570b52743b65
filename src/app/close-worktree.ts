import { join } from 'node:path';
import type { GitWorkspace } from '../workspace/index.ts';
import type { Layout } from './layout.ts';
import type { WorktreeEnd } from './run-api.ts';
import type { RunFile } from './run-file.ts';
import { toCommitSubject } from './worktree-name.ts';

/** Commits what a run left uncommitted in its worktree. `null` where it works in none. Never rejects. */
export async function closeWorktree(
  { worktree, settings }: Pick<RunFile, 'worktree' | 'settings'>,
  { worktreesDir }: Pick<Layout, 'worktreesDir'>,
  workspace: Pick<GitWorkspace, 'commitRest'>,
): Promise<WorktreeEnd | null> {
  if (worktree === null) return null;
  const place = { path: join(worktreesDir, worktree), branch: `ralph/${worktree}` };
  const { commit, note, leftOut } = await workspace.commitRest(place, toCommitSubject(settings.spec.objective));
  return { commit, note: note === NOTHING ? '' : note, leftOut };
}

const NOTHING = 'nothing new to commit';
