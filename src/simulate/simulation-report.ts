import type { EndReason, RejectionCause } from '../core/index.ts';
import type { Coordination } from '../topology/index.ts';
import type { SimulationSettings } from './simulate-options.ts';

/** What a simulation found: plain JSON. Shares are between 0 and 1, lists have the most frequent first. */
export interface SimulationReport {
  readonly coordination: Coordination;
  readonly settings: SimulationSettings;
  /** The runs that were played; fewer than `settings.runs` where it was broken off. */
  readonly runs: number;
  /** False if no run completed, or none would if no agent ever made a fault. */
  readonly canComplete: boolean;
  readonly completed: SimulatedShare;
  /** Iterations of the runs that completed; `null` where none did. */
  readonly iterations: IterationFigures | null;
  /** `max_iterations` of the configuration, and up to where the runs were played. */
  readonly maxIterations: { readonly configured: number; readonly played: number };
  readonly ends: readonly SimulatedEnd[];
  /** Every hat in the order of the file; Ralph last, where he had a turn. */
  readonly hats: readonly SimulatedHat[];
  /** Hats that never had a turn. */
  readonly neverUsed: readonly string[];
  /** What hats that had turns may publish, and none of them ever did. */
  readonly neverPublished: readonly HatTopic[];
  /** Events that no hat takes, so that Ralph got them. Those of the `system` are failures that no hat asked for. */
  readonly untaken: readonly UntakenEvent[];
  /** What was refused, and why. */
  readonly refused: readonly RefusedSignal[];
  /** Hats that had turns and nothing that they could say: neither an event nor the end. */
  readonly dumb: readonly DumbHat[];
  /** Where the runs that did not complete came to their end: the last event that an agent published. */
  readonly stalls: readonly SimulatedStall[];
  /** Circles in which the runs went that ended by a limit or as a loop. */
  readonly loops: readonly SimulatedLoop[];
  /** What the flow does by itself: runs in which no agent is silent or fails and no gate refuses. */
  readonly withoutFaults: RunsWithoutFaults;
  /** The numbers of the first ten runs that did not complete. */
  readonly failed: readonly number[];
  /** What follows, in sentences for people. */
  readonly hints: readonly string[];
}

export interface RunsWithoutFaults {
  /** False if none of them completed. */
  readonly canComplete: boolean;
  /** Circles in which they went; empty where one completed. */
  readonly loops: readonly SimulatedLoop[];
}

export interface SimulatedShare {
  readonly runs: number;
  readonly share: number;
}

export interface IterationFigures {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export interface SimulatedEnd extends SimulatedShare {
  readonly reason: EndReason;
}

export interface SimulatedHat {
  /** A hat id, or `ralph`. */
  readonly hat: string;
  readonly mayEnd: boolean;
  /** Turns in a run, on average. */
  readonly turns: number;
  /** Share of the runs in which it had one. */
  readonly share: number;
}

export interface HatTopic {
  readonly hat: string;
  readonly topic: string;
}

export interface UntakenEvent extends SimulatedShare {
  readonly topic: string;
  /** A hat, `ralph` or `system`. */
  readonly source: string;
}

export interface RefusedSignal extends SimulatedShare {
  readonly hat: string;
  readonly topic: string;
  readonly why: RejectionCause;
}

export interface DumbHat extends SimulatedShare {
  readonly hat: string;
}

export interface SimulatedStall extends SimulatedShare {
  readonly reason: EndReason;
  readonly topic: string;
  readonly source: string;
  readonly to: readonly string[];
}

export interface SimulatedLoop extends SimulatedShare {
  /** Who handed on to the next by which topic; the last to the first. */
  readonly steps: readonly HatTopic[];
  /** How often it was gone round in all runs together. */
  readonly rounds: number;
}
