import type { GateResult } from '../core/gates/gate-result.ts';
import type { GateSpec } from '../core/gates/gate-spec.ts';

export interface GateOrder {
  readonly gate: number;
  readonly spec: GateSpec;
  /** A completion waits for it: what it says is to hold with the tests as they were at the start, too. */
  readonly isEnd?: true;
}

export interface AwayGateOrder {
  readonly gate: number;
  readonly spec: GateSpec;
  readonly command: string;
}

/** What became of a program of a run that a worker was to run: the command of a gate, a hook. */
export type AwayResult<Ran> =
  | ({ readonly kind: 'ran'; readonly worker: string } & Ran)
  /** No worker could run it to its end. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The signal was aborted. */
  | { readonly kind: 'stopped' };

export type AwayGateResult = AwayResult<AwayGateRan>;

/** What a worker saw of it. `log`: its whole output; `null`: it was not kept. */
export interface AwayGateRan {
  readonly shown: AwayGateShown;
  readonly log: Uint8Array | null;
}

/** What it showed, but for its whole output. */
export interface AwayGateShown
  extends Pick<GateResult, 'passed' | 'exitCode' | 'timedOut' | 'durationMs' | 'outputTail' | 'failedTests' | 'ranTests' | 'isOutputCut'> {
  /** True if `outputTail` is not the whole output. */
  readonly isCut: boolean;
  readonly attempts: readonly AwayGateTry[];
}

export type AwayGateTry = Pick<GateResult, 'exitCode' | 'timedOut' | 'durationMs'>;

/**
 * Runs the command of a gate on a worker, on the files as they are when it is called; what it writes there is dropped.
 * Contract: never rejects; after an abort the command is ended, and nothing of it counts.
 */
export type RunAway = (order: AwayGateOrder, signal: AbortSignal, say: (line: string) => void) => Promise<AwayGateResult>;

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
