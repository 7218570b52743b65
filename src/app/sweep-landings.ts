import { existsSync } from 'node:fs';
import { isRunId, toRunPaths } from '../journal/index.ts';
import { listPlacesApart } from '../workspace/index.ts';
import { clearPlacesApart } from './clear-places-apart.ts';
import { release } from './drive-run.ts';
import type { Layout } from './layout.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { findHolder, lockRun } from './run-lock.ts';
import { settleKilledRun, settleResolvers } from './settle-killed-run.ts';

type Environment = Readonly<Record<string, string | undefined>>;

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
    release(lock);
  }
}
