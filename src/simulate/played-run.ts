import type { DeliveryKind, EndReason, RejectionCause } from '../core/index.ts';

/** A run that was played, turn by turn. */
export interface PlayedRun {
  /** 1, 2, 3, … */
  readonly run: number;
  readonly reason: EndReason;
  /** The facts of the end, in words. */
  readonly detail: string;
  /** How many turns were silent or failed, and gates refused, by chance (not by a script). */
  readonly faults: number;
  /** Iterations that count against `max_iterations`. */
  readonly iterations: number;
  readonly turns: readonly PlayedTurn[];
}

/** A turn and what followed from it. */
export interface PlayedTurn {
  readonly iteration: number;
  readonly hat: string;
  /** The events that it was given. */
  readonly given: readonly PlayedEvent[];
  readonly outcome: 'succeeded' | 'silent' | 'failed' | 'interrupted';
  /** What the agent did, in words: `build.done`, the promise, `HAT_TRANSITION:critic`; empty for nothing. */
  readonly said: string;
  /** True if it had nothing that it might have said. */
  readonly isDumb: boolean;
  /** What was published from the end of this turn to the start of the next, by the agent and by the loop. */
  readonly published: readonly PlayedPublication[];
  readonly refused: readonly { readonly topic: string; readonly why: RejectionCause }[];
}

export interface PlayedEvent {
  readonly topic: string;
  /** A hat, `ralph`, or `system` for what the loop publishes by itself. */
  readonly source: string;
}

export interface PlayedPublication extends PlayedEvent {
  /** Who got it; empty where nobody did. */
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}
