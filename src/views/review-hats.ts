import { addUsage, UNKNOWN_USAGE, type Usage } from '../core/index.ts';
import type { RunView } from './run-view.ts';

/** What one hat did and cost. */
export interface ReviewHat {
  readonly hat: string;
  readonly turns: number;
  /** Of them, those that failed or were interrupted. */
  readonly failed: number;
  /** Time of its turns together. */
  readonly durationMs: number;
  readonly usage: Usage;
  /** Turns whose cost nobody knows. */
  readonly unknownCostTurns: number;
}

/** The hats of a run that were called, the dearest first, then those that took longest. */
export function toReviewHats({ turns }: Pick<RunView, 'turns'>): readonly ReviewHat[] {
  const hats = new Map<string, ReviewHat>();
  for (const turn of turns) {
    const { hat, status, durationMs, usage } = turn;
    const before = hats.get(hat) ?? { hat, turns: 0, failed: 0, durationMs: 0, usage: UNKNOWN_USAGE, unknownCostTurns: 0 };
    hats.set(hat, {
      hat,
      turns: before.turns + 1,
      failed: before.failed + (status === 'failed' || status === 'interrupted' ? 1 : 0),
      durationMs: before.durationMs + (durationMs ?? 0),
      usage: addUsage(before.usage, usage),
      unknownCostTurns: before.unknownCostTurns + (status !== 'running' && usage.costUsd === null ? 1 : 0),
    });
  }
  return [...hats.values()].sort((a, b) => (b.usage.costUsd ?? 0) - (a.usage.costUsd ?? 0) || b.durationMs - a.durationMs);
}
