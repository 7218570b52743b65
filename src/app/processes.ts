import type { Activation } from '../core/index.ts';
import { listRuns, nodeFileSystem } from '../journal/index.ts';
import { endProcesses, findByMarker, type MarkedProcess } from '../process/index.ts';
import { toMarker } from './agent-environment.ts';
import { findLayout, type Layout } from './layout.ts';
import type { LeftProcess } from './run-api.ts';
import { findHolder } from './run-lock.ts';

/** How long leftovers may take to end when asked to. */
const GRACE_MS = 2000;

/** Every process that the runs of this folder started and that is still there. */
export function listProcesses(cwd: string): LeftProcess[] {
  const layout = findLayout(cwd);
  return listRuns({ fs: nodeFileSystem, stateDir: layout.stateDir }).flatMap((runId) => listOfRun(layout, runId));
}

/** Ends what dead runs left; processes of a living run are its own business. Returns what was ended. */
export async function reapProcesses(cwd: string): Promise<LeftProcess[]> {
  const left = listProcesses(cwd).filter((entry) => !entry.isRunAlive);
  const runs = new Set(left.map((entry) => entry.runId));
  for (const runId of runs) await endProcesses(findByMarker(`${runId}/`), GRACE_MS);
  return left;
}

/** Ends what a dead process left of one turn. */
export async function reapTurn(runId: string, activation: Activation): Promise<void> {
  const own =
    activation.pid === null || activation.processStart === null ? [] : [{ pid: activation.pid, startTime: activation.processStart }];
  await endProcesses([...own, ...findByMarker(toMarker(runId, activation))], GRACE_MS);
}

/** Ends whatever a dead run left, all turns of it. */
export async function reapRun(runId: string): Promise<void> {
  const left = findByMarker(`${runId}/`);
  if (left.length > 0) await endProcesses(left, GRACE_MS);
}

function listOfRun(layout: Layout, runId: string): LeftProcess[] {
  const marked = findByMarker(`${runId}/`);
  if (marked.length === 0) return [];
  const isRunAlive = findHolder(layout, runId) !== null;
  return marked.map((entry) => ({ pid: entry.pid, runId, turn: toTurn(entry), command: entry.command, isRunAlive }));
}

/** `7.1` or `gate`: what stands behind the run's id in the marker. */
function toTurn(entry: MarkedProcess): string {
  return entry.marker.slice(entry.marker.indexOf('/') + 1);
}
