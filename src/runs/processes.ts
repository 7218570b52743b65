import { setTimeout as delay } from 'node:timers/promises';
import type { Activation } from '../core/run/state.ts';
import { RalphError } from '../core/values/errors.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { listRunIds } from '../journal/run-folder.ts';
import { endProcesses, findByMarker, type MarkedProcess } from '../process/end-processes.ts';
import { keepsNamespace } from '../process/isolation.ts';
import { removeDeadPipes } from '../process/owned-folders.ts';
import { isAlive, type ProcessRef } from '../process/process-table.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findLayout } from './find-layout.ts';
import type { Layout } from './layout.ts';
import { toMarker } from './markers.ts';
import type { LeftProcess } from './run-api.ts';
import { findHolder } from './run-lock.ts';

/** How long leftovers may take to end when asked to. */
const GRACE_MS = 2000;
/** Whoever goes on starting others is looked for this long. */
const PATIENCE_MS = 10_000;
/** So many looks in a row that find nobody, with a pause between them. */
const EMPTY_LOOKS = 4;
const PAUSE_MS = 15;

/** Every process that the runs of this folder started and that is still there; those that only keep a namespace where nobody else is left of a run. */
export function listProcesses(cwd: string): LeftProcess[] {
  const layout = findLayout(cwd);
  return listRunIds({ fs: nodeFileSystem, stateDir: layout.stateDir }).flatMap((runId) => listOfRun(layout, runId));
}

/**
 * Ends what dead runs left; processes of a living run are its own business. Returns what was ended.
 *
 * @throws RalphError `processes-left`
 */
export async function reapProcesses(cwd: string): Promise<LeftProcess[]> {
  const left = listProcesses(cwd).filter((entry) => !entry.isRunAlive);
  const runs = new Set(left.map((entry) => entry.runId));
  for (const runId of runs) await reapRun(runId);
  await sweepTrials(findLayout(cwd));
  return left;
}

/** Removes what a killed `ralph doctor` left in the folder. */
export async function sweepTrials({ root, stateDir }: Layout): Promise<void> {
  const { sweepViews } = await import('../sandbox/workspace-view.ts');
  sweepViews({ workspace: root, stateDir });
}

/**
 * Ends what a dead process left of one turn.
 *
 * @throws RalphError `processes-left`
 */
export async function reapTurn(runId: string, activation: Activation): Promise<void> {
  const own =
    activation.pid === null || activation.processStart === null ? [] : [{ pid: activation.pid, startTime: activation.processStart }];
  await endAll(() => [...own.filter(isAlive), ...findByMarker(toMarker(runId, activation))]);
}

/**
 * Ends whatever a dead run left, all turns of it, and removes the pipes that it was making when it died.
 *
 * @throws RalphError `processes-left`
 */
export async function reapRun(runId: string): Promise<void> {
  await endAll(() => findByMarker(`${runId}/`));
  removeDeadPipes();
}

/**
 * Until nothing is found any more: an agent that is still at work would work beside the next one. One look is not enough: a process that is becoming
 * another program shows no environment for a moment.
 */
async function endAll(find: () => readonly ProcessRef[]): Promise<void> {
  const startedAt = steadyMs();
  let graceMs = GRACE_MS;
  for (let emptyLooks = 0; emptyLooks < EMPTY_LOOKS; ) {
    const left = find();
    if (left.length === 0) {
      emptyLooks += 1;
    } else {
      if (steadyMs() - startedAt > PATIENCE_MS) throw toLeftError(left);
      emptyLooks = 0;
      await endProcesses(find, graceMs);
      graceMs = 0;
    }
    if (emptyLooks < EMPTY_LOOKS) await delay(PAUSE_MS);
  }
}

function toLeftError(left: readonly ProcessRef[]): RalphError {
  const pids = left.map(({ pid }) => pid);
  return new RalphError({
    code: 'processes-left',
    what: `Processes of the run do not end: ${pids.slice(0, 20).join(', ')}${pids.length > 20 ? ', …' : ''}.`,
    why: 'They would keep working beside the next agent. They belong to another user, hang in the system, started this very command, or start others faster than they are ended.',
    fix: `Look at them: ps -fp ${pids.slice(0, 20).join(',')}\nThen end them and try again.`,
  });
}

/** The processes that a run left working: none that only keeps a namespace. For who knows that the run itself is not under way. */
export function listLeft(runId: string): readonly number[] {
  return findByMarker(`${runId}/`).flatMap(({ pid, command }) => (keepsNamespace(command) ? [] : [pid]));
}

function listOfRun(layout: Layout, runId: string): LeftProcess[] {
  const marked = findByMarker(`${runId}/`);
  if (marked.length === 0) return [];
  const isRunAlive = findHolder(layout, runId) !== null;
  const programs = marked.filter(({ command }) => !keepsNamespace(command));
  return (programs.length === 0 ? marked : programs).map((entry) => ({
    pid: entry.pid,
    runId,
    turn: toTurn(entry),
    command: entry.command,
    isRunAlive,
  }));
}

/** `7.1` or `gate`: what stands behind the run's id in the marker. */
function toTurn(entry: MarkedProcess): string {
  return entry.marker.slice(entry.marker.indexOf('/') + 1);
}
