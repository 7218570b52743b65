import { listRuns, nodeFileSystem, removeRun, toRunPaths } from '../journal/index.ts';
import { openWorkspace } from './assemble-run.ts';
import { findLayout, type Layout } from './layout.ts';
import { openRun } from './read-run.ts';
import type { RunSummary } from './run-api.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The runs of a folder, newest first. A run that cannot be read is listed as damaged. */
export function summariseRuns(cwd: string, env: Environment): RunSummary[] {
  const { stateDir } = findLayout(cwd);
  const runs = listRuns({ fs: nodeFileSystem, stateDir });
  return [...runs].reverse().map((runId) => summarise(cwd, runId, env));
}

function summarise(cwd: string, runId: string, env: Environment): RunSummary {
  const nothing = { runId, startedAt: 0, reason: null, iterations: 0, costUsd: null, objective: '', workspace: '' };
  try {
    const run = openRun(cwd, runId, env);
    let objective = '';
    const state = run.replay((record) => {
      if (record.kind === 'input' && record.input.type === 'run-started') ({ objective } = record.input.spec);
    });
    const status = state.status === 'ended' ? 'ended' : run.isAlive ? (state.status === 'parked' ? 'parked' : 'running') : 'dead';
    const { workspace } = readRunFile(toRunPaths(findLayout(cwd).stateDir, runId).settings);
    return {
      runId,
      startedAt: state.startedAt,
      status,
      reason: state.end?.reason ?? null,
      iterations: state.counters.counted,
      costUsd: state.usage.costUsd,
      objective,
      workspace,
    };
  } catch {
    return { ...nothing, status: 'damaged' };
  }
}

/** What `ralph clean` is to do. */
export interface CleanOrder {
  /** How many of the newest runs stay. */
  readonly keep: number;
  readonly dryRun: boolean;
}

/** Removes old runs with their prompts, outputs and snapshots. Runs that are under way stay. */
export async function cleanRuns(cwd: string, order: CleanOrder, env: Environment): Promise<{ readonly removed: readonly string[] }> {
  const layout = findLayout(cwd);
  const runs = [...listRuns({ fs: nodeFileSystem, stateDir: layout.stateDir })].reverse();
  const removed: string[] = [];
  for (const runId of runs.slice(Math.max(0, order.keep))) {
    if (findHolder(layout, runId) !== null) continue;
    if (!order.dryRun) await remove(layout, runId, env);
    removed.push(runId);
  }
  return { removed };
}

async function remove(layout: Layout, runId: string, env: Environment): Promise<void> {
  const paths = toRunPaths(layout.stateDir, runId);
  try {
    await openWorkspace({ paths, file: readRunFile(paths.settings), env }).dropSnapshots();
  } catch {
    // A run whose settings are lost has no snapshots that could be found.
  }
  removeRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, runId);
}
