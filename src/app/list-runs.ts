import { listRuns, nodeFileSystem, removeRun, toRunPaths } from '../journal/index.ts';
import { removeTree } from '../process/index.ts';
import { removeWorktree } from '../workspace/index.ts';
import { openWorkspace } from './assemble-run.ts';
import { release } from './drive-run.ts';
import { findLayout, type Layout } from './layout.ts';
import { reapRun } from './processes.ts';
import { openRun } from './read-run.ts';
import type { RunSummary } from './run-api.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { findHolder, lockRun } from './run-lock.ts';
import { toStateDirs } from './state-dirs.ts';
import { toPrivateDir } from './turn-outfits.ts';

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
  const lock = await lockRun({ layout, runId, worktree: null, command: 'ralph clean' });
  try {
    // Once the run is gone, nobody could find what it left running.
    await reapRun(runId);
    await removeUnwatched(layout, runId, env);
  } finally {
    release(lock);
  }
}

async function removeUnwatched(layout: Layout, runId: string, env: Environment): Promise<void> {
  const paths = toRunPaths(layout.stateDir, runId);
  try {
    const file = readRunFile(paths.settings);
    await openWorkspace({ paths, file, env }).dropSnapshots();
    if (file.worktree !== null) await removeOwnWorktree(layout, file, file.worktree, env);
  } catch {
    // A run whose settings are lost has no snapshots that could be found; a worktree with uncommitted work stays where it is.
  }
  // What agents could write into goes first, by a way that nothing they build can stop.
  removeTree(toPrivateDir(paths.folder));
  removeRun({ fs: nodeFileSystem, stateDir: layout.stateDir }, runId);
}

/** The worktree goes with its run, its branch stays; one with uncommitted work is refused. */
async function removeOwnWorktree(layout: Layout, file: RunFile, name: string, env: Environment): Promise<void> {
  const { settings } = file;
  await removeWorktree({
    cwd: layout.root,
    env,
    stateDirs: toStateDirs(settings),
    stateDir: settings.stateDir,
    name,
    links: settings.worktreeLinks,
    programs: file.gitPrograms,
    force: false,
  });
}
