import type { HookEvent, HookOutcome, HookSpec } from '../core/hooks/hook-spec.ts';
import type { AwayResult } from './gate-runner.ts';

/** A hook that is to be asked on a worker, and about what. */
export interface AwayHookOrder {
  readonly spec: HookSpec;
  readonly event: HookEvent;
}

export type AwayHookResult = AwayResult<{ readonly outcome: HookOutcome }>;

/**
 * Asks a hook on a worker, on the files as they are when it is called; what it writes there is dropped.
 * Contract: never rejects; after an abort its program is ended, and nothing of it counts.
 */
export type AskAway = (order: AwayHookOrder, signal: AbortSignal) => Promise<AwayHookResult>;
