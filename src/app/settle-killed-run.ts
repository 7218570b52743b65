import { dirname } from 'node:path';
import { type RunPaths, toRunPaths } from '../journal/index.ts';
import { openWorkspace } from './assemble-run.ts';
import { clearPlacesApart } from './clear-places-apart.ts';
import { closeWorktree } from './close-worktree.ts';
import { release } from './drive-run.ts';
import type { Layout } from './layout.ts';
import { reapRun } from './processes.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { lockRun } from './run-lock.ts';
import { listKilledRuns, wasKilled } from './stale-owner.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What the end of a run does, for one whose process was killed before it could: ends what it left running, notes what came into git's configuration, removes the copy
 * that its gates were at work in and the worktree of its landing, and commits what lies uncommitted in its worktree. Does it once: the lock of the dead goes with it. Nothing for a run that was left in order, or is under way.
 *
 * @returns what of that failed and a person should know, in words that follow the run's name; `null` for nothing
 * @throws RalphError `run-in-progress` where somebody resumes it at this moment; the system error
 */
export async function settleKilledRun(layout: Layout, runId: string, env: Environment, command: string): Promise<string | null> {
  if (!wasKilled(layout, runId)) return null;
  const paths = toRunPaths(layout.stateDir, runId);
  if (dirname(paths.folder) !== layout.runsDir) return null;
  const lock = await lockRun({ layout, runId, worktree: null, command });
  try {
    await reapRun(runId);
    await settleResolvers(layout, runId, env, command);
    return await closeKilled(layout, paths, env);
  } finally {
    await noteProgramsOfDead(layout, paths.settings, { cwd: layout.root, env });
    release(lock);
  }
}

/** The same for turns that were resolving conflicts for a run when its landing was killed: they work in the worktree of that landing. */
export async function settleResolvers(layout: Layout, runId: string, env: Environment, command: string): Promise<void> {
  for (const killed of listKilledRuns(layout)) {
    if (findResolved(layout, killed) === runId) await settleKilledRun(layout, killed, env, command);
  }
}

/** The run whose conflict a run resolves; `null` for every other, and where nobody can tell. */
function findResolved({ stateDir }: Layout, runId: string): string | null {
  try {
    return readRunFile(toRunPaths(stateDir, runId).settings).resolves ?? null;
  } catch {
    return null;
  }
}

async function closeKilled(layout: Layout, paths: RunPaths, env: Environment): Promise<string | null> {
  let file: RunFile;
  try {
    file = readRunFile(paths.settings);
  } catch {
    // Its settings are lost: nobody can tell what was in the worktree when it began.
    return null;
  }
  await clearPlacesApart(layout, { runId: paths.runId, file, env }).catch(() => undefined);
  const end = await closeWorktree({ paths, file, layout }, openWorkspace({ paths, file, env }));
  return end === null || end.note === '' ? null : `what it left in its worktree ${file.worktree} could not be committed: ${end.note}`;
}
