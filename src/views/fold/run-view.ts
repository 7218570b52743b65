import type { Usage } from '../../core/backends/usage.ts';
import type { Sender, Tell } from '../../core/events/event.ts';
import type { GateResult } from '../../core/gates/gate-result.ts';
import type { HookRecord } from '../../core/hooks/hook-moments.ts';
import type { DeliveryKind, Notice, QuestionClose, RejectionCause } from '../../core/run/effects.ts';
import type { EndReason } from '../../core/run/end-reasons.ts';
import type { FallbackCause, TimerPurpose } from '../../core/run/feedback.ts';
import type { RunLimits } from '../../core/run/run-spec.ts';
import type { RunStatus } from '../../core/run/state.ts';
import type { FailureClass, Question, TurnId, WorkConflict } from '../../core/run/turn.ts';
import type { ScopeViolations, ToolDenial } from '../../core/tools/scope-violations.ts';
import type { Coordination } from '../../topology/routing/compile-topology.ts';
import type { PanelView } from './panel-view.ts';

/** Whether more than the agents' word says that the work of a completed run is done. */
export interface RunProof {
  /** True if a required gate passed on what was completed, and none that is required was red. */
  readonly isProven: boolean;
  /** Which gates passed, or why nothing is proven: a part of a sentence. */
  readonly reason: string;
}

/** A run as a person sees it: the fold of its records. Its size grows with the number of turns, not with what agents say. */
export interface RunView {
  readonly runId: string;
  readonly status: RunStatus;
  readonly objective: string;
  /** What an agent writes on a line of its own when all is done. */
  readonly promise: string;
  readonly coordination: Coordination;
  /** In the order of the file. */
  readonly hats: readonly HatView[];
  readonly limits: RunLimits | null;
  /** The names (by default the commands) of the gates that are configured, in their order. */
  readonly gates: readonly string[];
  /** What each of them runs, in the same order. */
  readonly gateSources: readonly GateSource[];
  /** What gates showed before the first turn; empty where none was run then. */
  readonly baseline: readonly GateResult[];
  readonly startedAt: number;
  /** Time of the last input. */
  readonly at: number;
  /** How long processes worked on it, waiting included, the time between a stop and a resume left out. */
  readonly elapsedMs: number;
  /** In the order in which they started. */
  readonly turns: readonly TurnView[];
  readonly totals: RunTotals;
  readonly checkpoints: readonly CheckpointView[];
  /** The last {@link MAX_NOTICES}. */
  readonly notices: readonly NoticeView[];
  /** Events that wait for a hat. */
  readonly pending: readonly WaitingEvent[];
  /** Events that nobody gets any more, because the run completed. */
  readonly undelivered: readonly WaitingEvent[];
  /** What holds the next turn back. */
  readonly waiting: WaitView | null;
  readonly end: EndView | null;
  /** How often the run was resumed. */
  readonly resumes: number;
  /** What people told the agents, the last 100. */
  readonly tells: readonly TellView[];
  /** What people were asked, the last 100. */
  readonly questions: readonly QuestionView[];
}

/** What a person told, and what became of it. */
export interface TellView extends Tell {
  /** Its number in the journal. */
  readonly seq: number;
  readonly at: number;
  /** `null`: it waits. */
  readonly given: TellReceipt | null;
}

/** Who was given it, and when. */
export interface TellReceipt extends TurnId {
  readonly hat: string;
  /** After how many calls of tools in that turn; `null`: with its prompt. */
  readonly call: number | null;
  readonly at: number;
}

/** A question to people. */
export interface QuestionView extends Omit<Question, 'answer'> {
  /** `null` while it is open. */
  readonly answer: { readonly choice: string; readonly by: QuestionClose['by']; readonly at: number } | null;
  /** Who answered; absent where nobody did. */
  readonly sender?: Sender;
}

/** How many notices are kept. */
export const MAX_NOTICES = 200;

/** What a gate runs. */
export interface GateSource {
  /** `null`: it looks at protected files. */
  readonly command: string | null;
  /** The file of the project that names the command, where Ralph found it himself; else `null`. */
  readonly from: string | null;
  /** Whether a completion waits for it. */
  readonly isRequired: boolean;
}

export interface HatView {
  readonly id: string;
  readonly backends: readonly string[];
  /** The ids of the agents that wear it together, in the order of their backends; absent where one does. */
  readonly agents?: readonly string[];
}

/** One attempt of one iteration. */
export interface TurnView extends TurnId {
  readonly hat: string;
  /** The label of the backend. */
  readonly backend: string;
  readonly startedAt: number;
  readonly status: 'running' | 'succeeded' | 'failed' | 'interrupted';
  readonly failure: { readonly class: FailureClass; readonly message: string } | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly usage: Usage;
  readonly sessionId: string | null;
  /** `null` where nobody knows. */
  readonly toolCalls: number | null;
  /** How many tools the hat had; `null` where nothing was said of it. */
  readonly tools: number | null;
  readonly pid: number | null;
  readonly promptTokens: number | null;
  readonly promptHash: string | null;
  /** The worker of a fleet that has or had it, as soon as its agent is at work; `null`: the turn is taken where the run is, or no worker has begun it. */
  readonly worker: string | null;
  /** The command, prompt and secrets left out. */
  readonly command: readonly string[];
  /** Why the hat was called although no event asked for it. */
  readonly fallback: FallbackCause | null;
  readonly given: readonly GivenEvent[];
  readonly published: readonly PublishedEvent[];
  /** Events of it that a red gate turned into others. */
  readonly blocked: readonly BlockedEvent[];
  readonly refused: readonly RefusedEvent[];
  readonly gates: readonly GateView[];
  /** Topics whose gates had not answered when the run ended: they are run again when it goes on. Absent: there are none. */
  readonly gatesDue?: readonly string[];
  /** Whether the working tree differs from before; `null` where nobody looked. */
  readonly treeChanged: boolean | null;
  /** Processes that had to be ended after the agent's own exit. */
  readonly leftovers: number;
  /** What it made in its copy was not brought into the folder; `null` where it was, and for turns without a copy. */
  readonly conflict: ConflictView | null;
  /** What a hat that may not write has written; `null` for nothing. */
  readonly violations: ScopeViolations | null;
  /** Uses of tools that were stopped. */
  readonly denials: readonly ToolDenial[];
  /** How many there were: the list may hold only the first of them. */
  readonly denied: number;
  /** What hooks of tools, of events and of the completion did; `null` where none was asked. */
  readonly hooks: HookRecord | null;
  /** The agents that wear its hat together; `null` where one does. */
  readonly panel: PanelView | null;
}

/** Work that was not brought into the folder, and what becomes of it. */
export interface ConflictView extends WorkConflict {
  /** Whether the hat gets the same events in another turn: it does the first time. */
  readonly isGivenAgain: boolean;
}

export interface GivenEvent {
  readonly id: string;
  readonly topic: string;
  readonly source: string;
  /** The person who published it from outside; absent for everybody else. */
  readonly sender?: Sender;
  /** The beginning of its payload, on one line, where several turns of the hat work at the same time, each on one event; else absent. */
  readonly excerpt?: string;
}

export interface PublishedEvent {
  readonly id: string;
  readonly topic: string;
  readonly source: string;
  readonly to: readonly string[];
  readonly how: DeliveryKind;
  /** The beginning of the payload, on one line. */
  readonly excerpt: string;
}

/** What a red gate made of an event. */
export interface BlockedEvent {
  readonly id: string;
  /** What it became. */
  readonly topic: string;
  /** What it was. */
  readonly original: string;
  /** The gates that were red. */
  readonly gates: readonly string[];
  readonly to: readonly string[];
}

export interface RefusedEvent {
  readonly id: string;
  readonly hat: string;
  readonly topic: string;
  readonly why: RejectionCause;
  readonly allowed: readonly string[];
  readonly detail?: string;
}

export interface GateView extends GateResult {
  /** When it was done. */
  readonly at: number;
  readonly iteration: number;
  readonly topics: readonly string[];
}

/** What a gate said; `did not count`: a pass that held a completion back all the same. */
export type GateVerdict = 'passed' | 'failed' | 'skipped' | 'did not count';

export interface RunTotals {
  /** Iterations with a turn that ended by itself: those that count. With the interrupted ones they are the numbers that were given out. */
  readonly iterations: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly interrupted: number;
  readonly routed: number;
  readonly refused: number;
  /** Events from outside the run. */
  readonly external: number;
  readonly usage: Usage;
  /** Turns whose cost nobody knows. */
  readonly unknownCostTurns: number;
}

export interface CheckpointView {
  readonly iteration: number;
  readonly commit: string | null;
  readonly leftOut: readonly string[];
  readonly note: string;
}

export interface NoticeView extends Pick<Notice, 'level' | 'code' | 'text'> {
  readonly at: number;
}

export interface WaitingEvent {
  readonly id: string;
  readonly topic: string;
  /** A hat id or `ralph`; `null` where nobody would have got it. */
  readonly hat: string | null;
}

export interface WaitView {
  readonly timer: number;
  readonly purpose: TimerPurpose;
  readonly dueAt: number;
}

export interface EndView {
  readonly reason: EndReason;
  readonly detail: string;
  readonly at: number;
  /** What only a person can do before the run goes on. */
  readonly attention?: string;
  /** Of a completion: whether a gate says so, too. */
  readonly proof?: RunProof;
}
