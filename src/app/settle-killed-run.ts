import { dirname } from 'node:path';
import { type RunPaths, toRunPaths } from '../journal/index.ts';
import { openWorkspace } from './assemble-run.ts';
import { closeWorktree } from './close-worktree.ts';
import { release } from './drive-run.ts';
import type { Layout } from './layout.ts';
import { reapRun } from './processes.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { lockRun } from './run-lock.ts';
import { wasKilled } from './stale-owner.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the end of a run does, for one whose process was killed before it could: ends what it left running, notes what came into git's configuration, and commits what
 * lies uncommitted in its worktree. Does it once: the lock of the dead goes with it. Nothing for a run that was left in order, or is under way.
 *
 * @throws RalphError `run-in-progress` where somebody resumes it at this moment; the system error
 */
export async function settleKilledRun(layout: Layout, runId: string, env: Environment, command: string): Promise<void> {
  if (!wasKilled(layout, runId)) return;
  const paths = toRunPaths(layout.stateDir, runId);
  if (dirname(paths.folder) !== layout.runsDir) return;
  const lock = await lockRun({ layout, runId, worktree: null, command });
  try {
    await reapRun(runId);
    await closeKilled(layout, paths, env);
  } finally {
    await noteProgramsOfDead(layout, paths.settings, { cwd: layout.root, env });
    release(lock);
  }
}

async function closeKilled(layout: Layout, paths: RunPaths, env: Environment): Promise<void> {
  let file: RunFile;
  try {
    file = readRunFile(paths.settings);
  } catch {
    // Its settings are lost: nobody can tell what was in the worktree when it began.
    return;
  }
  if (file.worktree !== null) await closeWorktree(file, layout, openWorkspace({ paths, file, env }));
}
