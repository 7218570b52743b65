import type { RunView, TurnView } from '../fold/run-view.ts';
import { type FactRow, toRow } from '../text/fact-rows.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';

/** ` on worker strong`; empty for what is not on a fleet. */
export function toWorkerText(worker: string | null | undefined): string {
  return worker == null ? '' : ` on worker ${toPlainLine(worker, 60)}`;
}

/**
 * That a run is on a fleet, and which workers had its turns.
 *
 * @param fleet its address; absent or `null`: it is not known, or the run is on none
 */
export function toFleetRow({ turns }: Pick<RunView, 'turns'>, fleet: string | null | undefined): readonly FactRow[] {
  const counts = new Map<string, number>();
  for (const { worker } of turns) if (worker !== null) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  const had = [...counts].map(([worker, count]) => `${toPlainLine(worker, 60)} (${count})`);
  const parts = [
    ...(fleet == null ? [] : [`its turns are taken by workers of ${toPlainLine(fleet, 200)}`]),
    ...(had.length === 0 ? [] : [`turns by worker: ${toList(had, 6)}`]),
  ];
  return toRow('Fleet', parts.join('; '));
}

/** Whether a turn of a run on a fleet has not begun on a worker yet. */
export function isUntaken({ status, worker }: Pick<TurnView, 'status' | 'worker'>, fleet: string | null | undefined): boolean {
  return fleet != null && status === 'running' && worker === null;
}
