import type { Usage } from '../backends/usage.ts';
import type { EventDraft, RalphEvent, Tell } from '../events/event.ts';
import type { GateResult } from '../gates/gate-result.ts';
import type { LoopHookName } from '../hooks/hook-moments.ts';
import type { EndReason } from './end-reasons.ts';
import type { FallbackCause, Feedback, GateStreak, TimerPurpose } from './feedback.ts';
import type { PanelState } from './panel-state.ts';
import type { RunLimits } from './run-spec.ts';
import type { Question, TurnFailure, TurnId } from './turn.ts';

export interface PendingEvent {
  readonly hat: string;
  readonly event: RalphEvent;
  /** Why the hat gets it although it did not ask for it; absent where it did. */
  readonly cause?: FallbackCause;
}

/** A turn that was started and has not ended. */
export interface Activation extends TurnId {
  readonly hat: string;
  readonly backend: number;
  readonly events: readonly RalphEvent[];
  readonly feedback: readonly Feedback[];
  readonly fallback: FallbackCause | null;
  readonly startedAt: number;
  /** What a second process must know to end what a first one left. */
  readonly pid: number | null;
  readonly processStart: string | null;
  /** Several agents wear the hat: where they stand. */
  readonly panel?: PanelState;
  /** The copy of the folder in which it works, for others work at the same time; absent: the folder itself. */
  readonly copy?: string;
  /** See `PlannedTurn`. */
  readonly place?: number;
  /** What people told its agent while it worked; absent for nothing. */
  readonly told?: readonly GivenTell[];
}

/** What a running agent was told; `isKept` as in `TellGiven`. */
export interface GivenTell {
  readonly tell: Tell;
  readonly isKept: boolean;
}

/** A turn to be started as soon as nothing holds it back. */
export interface PlannedTurn {
  /** The attempt that this one tries again, under the same iteration; `null`: a new iteration. */
  readonly retryOf: TurnId | null;
  readonly hat: string;
  readonly events: readonly RalphEvent[];
  readonly feedback: readonly Feedback[];
  readonly fallback: FallbackCause | null;
  /** The copy of the turn that it takes up: its conversation names files in it. */
  readonly copy?: string;
  /** Of a hat with several turns at once: the iteration in which its event was first worked on. By it their work comes into the folder. */
  readonly place?: number;
  /** The panel of the turn that it takes up: what was handed in stays. */
  readonly panel?: PanelState;
  /** What people told the turn before it, whose conversation it goes on with. Absent: nothing. */
  readonly kept?: KeptTells;
}

/** What a conversation holds of what people told it: only the same hat with the same backend goes on with it. */
export interface KeptTells {
  readonly hat: string;
  /** As in an activation; `null`: under another configuration than now. */
  readonly backend: number | null;
  readonly tells: readonly GivenTell[];
}

/** Gates or hooks that were asked, and what waits for them. */
export interface GateWait {
  readonly request: number;
  readonly gates: readonly number[];
  readonly hat: string;
  readonly iteration: number;
  /** The event that would end the run, when that is what waits; else `null`. */
  readonly completion: EventDraft | null;
  /** Events of the turn that are not routed yet, in order. */
  readonly drafts: readonly EventDraft[];
  /** Hooks are asked, and no gates. */
  readonly hooks?: LoopHookName;
  /** Nothing waits but the first turn: what they show is compared with the end. */
  readonly isBaseline?: true;
  /** It comes from a turn that worked in a copy: others may have begun since. */
  readonly isApart?: true;
  /** Nobody is asked before the turns that run at the same time have ended; its request is 0 until then. */
  readonly isHeld?: true;
  /** How often they have been asked about it, this time included; absent: once. */
  readonly round?: number;
}

/** What a gate showed before the first turn. */
export interface RedGate extends Pick<GateResult, 'exitCode' | 'timedOut'> {
  /** The command of its declaration: places in the list of gates may change with the configuration. */
  readonly run: string;
  /** `null` where its output did not tell. */
  readonly failedTests: number | null;
}

export interface TimerWait {
  readonly timer: number;
  readonly dueAt: number;
  readonly purpose: TimerPurpose;
}

export interface Footprint {
  readonly hat: string;
  /** Topic and payload, hashed. */
  readonly hash: string;
  /** For people, should it become a loop: the topic, and the beginning of the payload on one line. */
  readonly topic?: string;
  readonly excerpt?: string;
  /** Made by `default_publishes` after a turn that changed nothing. */
  readonly isDefault?: true;
}

/** A request to stop that is being carried out. */
export interface Stopping {
  readonly reason: EndReason;
  readonly detail: string;
  /** See `RunEnd`. */
  readonly attention?: string;
}

export type RunStatus = 'new' | 'running' | 'parked' | 'ended';

/**
 * The state of a run: plain JSON, so a snapshot is a file. Counters only grow. `activations` holds more than one turn only while a batch runs.
 */
export interface RunState {
  readonly version: 1;
  readonly status: RunStatus;
  readonly runId: string;
  readonly limits: RunLimits;
  readonly startedAt: number;
  /** Time of the last input. */
  readonly at: number;
  /** Running time of earlier processes and of the time before a park, in ms. */
  readonly elapsedMs: number;
  /** Since when the clock of `max_runtime_seconds` runs; `null` while it stands. */
  readonly runningSince: number | null;
  readonly inboxOffset: number;
  /** The same for the run's own file in which people publish. */
  readonly outsideOffset: number;
  /** The same for the file in which people tell and answer. */
  readonly steeringOffset: number;
  /** What people told and nobody was given yet, where no queue of a hat holds it. */
  readonly tells: readonly Tell[];
  /** Ids of the commands that were heard last, so that none counts twice. */
  readonly heardIds: readonly string[];
  readonly questions: readonly Question[];
  readonly counters: Counters;
  readonly pending: readonly PendingEvent[];
  readonly activations: readonly Activation[];
  readonly plans: readonly PlannedTurn[];
  /** The number of the last event that was there when turns were ordered that run at the same time: what waited then belongs to them. `null`, absent: none run so. */
  readonly batch?: number | null;
  /** The hat whose turns alone run so; `null`, absent: those of several may. */
  readonly batchHat?: string | null;
  readonly gateWaits: readonly GateWait[];
  readonly timers: readonly TimerWait[];
  /** The iteration whose checkpoint is being made, or `null`. */
  readonly checkpointing: number | null;
  /** Up to which counted iteration the cooldown was kept. */
  readonly cooled: number;
  /** Who had the last turn whose agent was started; `null` before the first. */
  readonly lastHat: string | null;
  /** Turns by hat, for `max_activations`. */
  readonly activationCounts: Readonly<Record<string, number>>;
  readonly feedback: Readonly<Record<string, readonly Feedback[]>>;
  /** Topics published so far that somebody requires. */
  readonly seenRequired: readonly string[];
  readonly footprints: readonly Footprint[];
  readonly consecutiveFailures: number;
  readonly lastFailure: TurnFailure | null;
  /** Fallback turns in a row without event, promise or change. */
  readonly idleFallbacks: number;
  /** Refusals in a row of a hat that emitted nothing valid, by hat; of one with several turns at once by `hat place`. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Completions in a row that a gate refused, or hooks held back. */
  readonly gateRefusals: number;
  /** Of these the ones that hooks held back, with the last hook and its reason; `null` for none. */
  readonly heldByHooks: { readonly count: number; readonly last: string } | null;
  /** Failures in a row, by hat. */
  readonly gateStreaks: Readonly<Record<string, readonly GateStreak[]>>;
  /** Gates that were asked in this run, by index. */
  readonly askedGates: readonly number[];
  /** Gates that were red before the first turn; absent for none. */
  readonly redBefore?: readonly RedGate[];
  /** How many tests gates ran before the first turn, by the command of their declaration; absent for none. */
  readonly testsBefore?: readonly { readonly run: string; readonly tests: number }[];
  /** Which backend of a hat's list is in use, where it is not the first. */
  readonly backendOf: Readonly<Record<string, number>>;
  readonly usage: Usage;
  /** Turns whose cost nobody knows. */
  readonly unknownCostTurns: number;
  /** Turns that ended, by outcome. */
  readonly turnsSucceeded: number;
  readonly turnsFailed: number;
  readonly stopping: Stopping | null;
  readonly end: Stopping | null;
}

export interface Counters {
  readonly event: number;
  readonly iteration: number;
  readonly request: number;
  readonly timer: number;
  readonly question: number;
  /** Iterations that count against `max_iterations` (interrupted ones do not). */
  readonly counted: number;
}
