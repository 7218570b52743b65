import type { SimulatedLoop } from './simulation-report.ts';
import type { Tally } from './tally.ts';

/** Circles beyond these say nothing more. */
const KEPT = 20;

/** The circles that were gone round most often. */
export function toLoops({ circles, runs: all }: Tally): readonly SimulatedLoop[] {
  return circles
    .list()
    .map(({ fact, runs, total }) => ({ steps: fact, rounds: total, runs, share: runs / all }))
    .toSorted((a, b) => b.rounds - a.rounds)
    .slice(0, KEPT);
}
