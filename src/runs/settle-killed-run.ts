import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';
import { isRunId, type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { sweepDrafts } from '../workspace/bundle/drafts.ts';
import { listPlacesApart } from '../workspace/worktree/place-apart.ts';

import type { Layout } from './layout.ts';
import { listKilledRuns, wasKilled } from './living-runs.ts';
import { reapRun } from './processes.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { findHolder, lockRun, releaseLock } from './run-lock.ts';
import { clearPlacesApart, closeWorktree, openRunWorkspace } from './run-workspace.ts';
import { noteProgramsOfDead } from './unconfirmed-programs.ts';

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
    releaseLock(lock);
  }
}

/** The same for turns that were resolving conflicts for a run when its landing was killed: they work in the worktree of that landing. */
async function settleResolvers(layout: Layout, runId: string, env: Environment, command: string): Promise<void> {
  for (const killed of listKilledRuns(layout)) {
    if (findResolved(layout, killed) === runId) await settleKilledRun(layout, killed, env, command);
  }
}

/** The run whose conflict a run resolves; `null` for every other, and where nobody can tell. */
function findResolved({ stateDir }: Layout, runId: string): string | null {
  return tryOr(() => readRunFile(toRunPaths(stateDir, runId).settings).resolves ?? null, null);
}

async function closeKilled(layout: Layout, paths: RunPaths, env: Environment): Promise<string | null> {
  // Its settings are lost: nobody can tell what was in the worktree when it began.
  const file = tryOr(() => readRunFile(paths.settings), null);
  if (file === null) return null;
  sweepDrafts(paths.folder, file.workspace);
  await clearPlacesApart(layout, { runId: paths.runId, file, env }).catch(() => undefined);
  const end = await closeWorktree({ paths, file, layout }, openRunWorkspace({ paths, file, env }));
  return end === null || end.note === '' ? null : `what it left in its worktree ${file.worktree} could not be committed: ${end.note}`;
}

/** Removes the worktrees that killed landings, and gates of killed runs, left, and ends what runs in them. Never rejects: what cannot be removed stays for the next time. */
export async function sweepLandings(layout: Layout, env: Environment, command: string): Promise<void> {
  for (const runId of listPlacesApart(layout.worktreesDir).filter(isRunId)) {
    try {
      await sweep(layout, runId, env, command);
    } catch {}
  }
}

async function sweep(layout: Layout, runId: string, env: Environment, command: string): Promise<void> {
  const paths = toRunPaths(layout.stateDir, runId);
  if (!existsSync(paths.settings) || findHolder(layout, runId) !== null) return;
  const file: RunFile = readRunFile(paths.settings);
  await settleKilledRun(layout, runId, env, command);
  await settleResolvers(layout, runId, env, command);
  const lock = await lockRun({ layout, runId, worktree: null, command });
  try {
    await clearPlacesApart(layout, { runId, file, env });
  } finally {
    releaseLock(lock);
  }
}
