import type { DeliveryKind, RejectionCause } from '../core/run/effects.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { Election } from '../core/run/panel-state.ts';
import type { RunSpec } from '../core/run/run-spec.ts';
import type { Coordination, Topology } from '../topology/routing/compile-topology.ts';

/** How a team is simulated. Shares are between 0 and 1. */
export interface SimulateOptions {
  /** How many runs; default 1,000, at most 1,000,000. */
  readonly runs?: number;
  /** A whole number; the same seed gives the same runs. Default 1. */
  readonly seed?: number;
  /** Share of turns that write nothing, and of prompts of a panel that come to nothing. Default 0.05. */
  readonly silent?: number;
  /** Share of turns that fail, half of them by their time limit. Of prompts of a panel half fail, and half last until its time is over. Default 0.05. */
  readonly failure?: number;
  /** Share of the gates' verdicts that are a refusal. Default 0.2. */
  readonly gateFailure?: number;
  /** What hats do instead of choosing by chance. */
  readonly script?: SimulationScript;
  /** Give every event the same payload, so that loop detection can end runs; by default each is different. */
  readonly constantPayloads?: boolean;
  /**
   * How long a turn takes, for `max_runtime_seconds`; at most the hat's own time limit. Default: a minute. A prompt of an agent of a panel takes between half
   * of it and half as much again.
   */
  readonly turnMs?: number;
  /** What a turn costs, and each prompt of a panel, for `max_cost_usd` and `budget_usd`; default `null`: unknown, so that this limit is never met. */
  readonly turnCostUsd?: number | null;
}

/** The options, complete. */
export interface SimulationSettings {
  readonly runs: number;
  readonly seed: number;
  readonly silent: number;
  readonly failure: number;
  readonly gateFailure: number;
  readonly constantPayloads: boolean;
  readonly turnMs: number;
  readonly turnCostUsd: number | null;
}

/**
 * What hats do instead of choosing by chance, by hat id (or `ralph`): a list is gone through in order, from its
 * beginning in each run and again and again; numbers are weights. A step is a topic, a topic and its target (`build.done@critic`), the promise (also as `task.complete`),
 * `(silent)`, or `(failure)`. Steps that the hat may not take are taken too: they are refused, as they would be in a run.
 */
export interface SimulationScript {
  readonly hats: Readonly<Record<string, readonly string[] | Readonly<Record<string, number>>>>;
}

/** What a simulation found: plain JSON. Shares are between 0 and 1, lists have the most frequent first. */
export interface SimulationReport {
  readonly coordination: Coordination;
  readonly settings: SimulationSettings;
  /** How many runs there were; fewer than `settings.runs` where the simulation was stopped. */
  readonly runs: number;
  /** False if no run completed, or none would if no agent ever made a fault. */
  readonly canComplete: boolean;
  readonly completed: SimulatedShare;
  /** Iterations of the runs that completed; `null` where none did. */
  readonly iterations: IterationFigures | null;
  /** `max_iterations` of the configuration, and where the runs were cut off. */
  readonly maxIterations: { readonly configured: number; readonly played: number };
  readonly ends: readonly SimulatedEnd[];
  /** Every hat in the order of the file; Ralph last, where he had a turn. */
  readonly hats: readonly SimulatedHat[];
  /** Every hat that a panel wears and that had a turn, in the order of the file. */
  readonly panels: readonly SimulatedPanelHat[];
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

/** The turns of a hat that a panel wears. */
export interface SimulatedPanelHat {
  readonly hat: string;
  /** Those that answer and vote. */
  readonly agents: number;
  /** In all runs together. */
  readonly turns: number;
  /** Averages of a turn. */
  readonly rounds: number;
  readonly answers: number;
  readonly votes: number;
  /** Share of the turns in which the time of the panel was over first. */
  readonly timeUp: number;
  /** Outcomes that there were, as the rules of a panel name them, those last that nobody won. */
  readonly outcomes: readonly { readonly outcome: SimulatedPanelOutcome; readonly turns: number; readonly share: number }[];
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

/** A run of a simulation, turn by turn. */
export interface SimulatedRun {
  /** 1, 2, 3, … */
  readonly run: number;
  readonly reason: EndReason;
  /** The facts of the end, in words. */
  readonly detail: string;
  /** How many turns were silent or failed, and gates refused, by chance (not by a script). */
  readonly faults: number;
  /** Iterations that count against `max_iterations`. */
  readonly iterations: number;
  readonly turns: readonly SimulatedTurn[];
}

/** A turn and what followed from it. */
export interface SimulatedTurn {
  readonly iteration: number;
  readonly hat: string;
  /** The events that it was given. */
  readonly given: readonly SimulatedEvent[];
  readonly outcome: 'succeeded' | 'silent' | 'failed' | 'interrupted';
  /** What the agent did, in words: `build.done`, the promise, `HAT_TRANSITION:critic`; empty for nothing. */
  readonly said: string;
  /** True if it had nothing that it might have said. */
  readonly isDumb: boolean;
  /** What was published from the end of this turn to the start of the next, by the agent and by the loop. */
  readonly published: readonly SimulatedPublication[];
  readonly refused: readonly { readonly topic: string; readonly why: RejectionCause }[];
  /** What happened among the agents of a panel; absent: one agent wore the hat. */
  readonly panel?: SimulatedPanel;
}

/** What came of the agents of a panel in one turn. */
export interface SimulatedPanel {
  /** Prompts that its agents were given. */
  readonly rounds: number;
  readonly answers: number;
  /** Votes that counted. */
  readonly votes: number;
  readonly outcome: SimulatedPanelOutcome;
  /** The id of the agent that won; `null` where none did. */
  readonly winner: string | null;
  /** Its time was over before its agents were done. */
  readonly isTimeUp: boolean;
}

/** Why an answer won, or that none did: too few agents answered, or the turn was ended. */
export type SimulatedPanelOutcome = Election['how'] | 'failed' | 'interrupted';

export interface SimulatedEvent {
  readonly topic: string;
  /** A hat, `ralph`, or `system` for what the loop publishes by itself. */
  readonly source: string;
}

export interface SimulatedPublication extends SimulatedEvent {
  /** Who got it; empty where nobody did. */
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}

/** What is the same for all runs of a simulation. */
export interface SimulationSetup {
  readonly topology: Topology;
  /** What the runs are started with: checkpoints off, and no more than 2,000 iterations. */
  readonly spec: RunSpec;
  readonly settings: SimulationSettings;
  readonly choicesOf: (hat: string) => readonly SimulatedChoice[];
  readonly script: ReadonlyMap<string, CompiledScript>;
}

/**
 * Something that an agent may do at the end of its turn. `event`: publish one of these topics (several where it may publish a
 * pattern); `promise`: say that the work is done; `transition`: hand on by a `HAT_TRANSITION` line; `silent`: write nothing; `failure`: fail.
 */
export type SimulatedChoice =
  | { readonly kind: 'event'; readonly topics: readonly string[]; readonly target?: string }
  | { readonly kind: 'promise' }
  | { readonly kind: 'transition'; readonly hat: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'failure' };

/** A script that was checked: what to do, and how often in proportion. */
export interface CompiledScript {
  readonly choices: readonly SimulatedChoice[];
  /** `null`: in order. */
  readonly weights: readonly number[] | null;
}

/** Counts runs by something: each at most once, `total` as often as it happened. */
export interface Counter<Fact> {
  readonly add: (fact: Fact, run: number, times?: number) => void;
  /** The most frequent first, else in the order in which they came up. */
  readonly list: () => readonly { readonly fact: Fact; readonly runs: number; readonly total: number }[];
}

/** What is known of the runs so far. Its size does not grow with their number. */
export interface Tally {
  runs: number;
  /** True once a run completed in which no agent made a fault. */
  completesWithoutFaults: boolean;
  readonly failed: number[];
  /** How often runs completed after so many iterations. */
  readonly iterations: Map<number, number>;
  readonly ends: Counter<EndReason>;
  readonly turns: Counter<string>;
  readonly published: Counter<HatTopic>;
  readonly untaken: Counter<{ readonly topic: string; readonly source: string }>;
  readonly refused: Counter<Pick<RefusedSignal, 'hat' | 'topic' | 'why'>>;
  readonly dumb: Counter<string>;
  readonly stalls: Counter<Omit<SimulatedStall, 'runs' | 'share'>>;
  readonly circles: Counter<readonly HatTopic[]>;
  readonly panels: Map<string, PanelTally>;
}

/** What is known of the turns of a panel so far. */
export interface PanelTally {
  turns: number;
  rounds: number;
  answers: number;
  votes: number;
  timeUps: number;
  readonly outcomes: Map<SimulatedPanelOutcome, number>;
}
