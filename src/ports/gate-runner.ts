import type { GateResult } from '../core/gates/gate-result.ts';
import type { GateSpec } from '../core/gates/gate-spec.ts';

/** One gate to run. */
export interface GateOrder {
  readonly gate: number;
  readonly spec: GateSpec;
  /** A completion waits for it: what it says is to hold with the tests as they were at the start, too. */
  readonly isEnd?: true;
}

/**
 * Runs quality gates itself; what agents say about their tests is no evidence.
 * Contract: never rejects; one result for each order, in order; a gate that cannot be started has not passed.
 */
export interface GateRunner {
  readonly run: (
    orders: readonly GateOrder[],
    signal: AbortSignal,
    observe: (gate: number, line: string) => void,
  ) => Promise<readonly GateResult[]>;
}
