import type { EventDraft, RalphEvent, Tell } from '../events/event.ts';
import type { LoopHookName } from '../hooks/hook-moments.ts';
import type { EndReason } from './end-reasons.ts';
import type { FallbackCause, Feedback, TimerPurpose } from './feedback.ts';
import type { PanelOrder, PanelState } from './panel-state.ts';
import type { Question, QuestionAnswer, TurnId } from './turn.ts';

/**
 * What is to be done next: orders, in plain data. Those that are answered by an input carry the id that the
 * answer will name, and may be performed again after a crash. The last group is for observers: nothing answers it.
 */
export type Effect =
  | IterationStart
  | IterationStop
  | GatesRun
  | HooksAsk
  | TimerSet
  | CheckpointMake
  | InboxAppend
  | TellOffer
  | QuestionClose
  | PanelOrdered
  | RunEnd
  | EventPublish
  | EventReject
  | QuestionOpen
  | Notice;

/** Start an agent's turn. Answered by `iteration-ended`.*/
export interface IterationStart extends TurnId {
  readonly type: 'iteration-start';
  /** A hat id or `ralph`. */
  readonly hat: string;
  /** Index into the wearer's list of backends. */
  readonly backend: number;
  readonly events: readonly RalphEvent[];
  readonly feedback: readonly Feedback[];
  /** Why Ralph or the recovery hat was called although no event asked for it; `null` for an ordinary turn. */
  readonly fallback: FallbackCause | null;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** The copy of the folder in which it works; absent: the folder itself. */
  readonly copy?: string;
  /** One of several turns of its hat; see `PlannedTurn`. */
  readonly place?: number;
  /** Several agents wear the hat: where they stand. Absent: one does. */
  readonly panel?: PanelState;
  /** Ordered before under this id, and given more events since, for a person was heard before its prompt was written: it begins once. */
  readonly isAgain?: true;
}

/** End the running turn: with time to clean up, or at once. */
export interface IterationStop extends TurnId {
  readonly type: 'iteration-stop';
  readonly force: boolean;
}

/** Run gates. Answered by `gates-finished`. */
export interface GatesRun {
  readonly type: 'gates-run';
  readonly request: number;
  /** Indexes into `RunSpec.gates`. */
  readonly gates: readonly number[];
  /** The topics that wait for the verdict; empty before the first turn. */
  readonly topics: readonly string[];
  /** Before the first turn: what they show is what the end is compared with. */
  readonly isBaseline?: true;
  /** Whose turn brought what waits, where that need not be the newest one. */
  readonly iteration?: number;
}

/** Ask hooks about events that are to be routed, or about a completion. Answered by `hooks-answered`. */
export interface HooksAsk {
  readonly type: 'hooks-ask';
  readonly request: number;
  readonly event: LoopHookName;
  readonly hat: string;
  readonly iteration: number;
  /** In order; of a completion it alone. */
  readonly drafts: readonly EventDraft[];
}

/** Wake the run at a time. Answered by `timer-fired`. */
export interface TimerSet {
  readonly type: 'timer-set';
  readonly timer: number;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly purpose: TimerPurpose;
}

/** Commit what the run changed. Answered by `checkpoint-finished`. */
export interface CheckpointMake {
  readonly type: 'checkpoint-make';
  readonly iteration: number;
}

/** Write an event that the loop published for an agent into the agents' file, so that they can see it. */
export interface InboxAppend {
  readonly type: 'inbox-append';
  readonly event: RalphEvent;
}

/** Give the agent of a running turn what a person tells it, if it can be told. Answered by `tell-given` where it was. */
export interface TellOffer extends TurnId {
  readonly type: 'tell-offer';
  readonly tell: Tell;
}

/** A question is settled: whoever waits for it in that turn goes on. `withdrawn`: its turn is over. */
export interface QuestionClose extends TurnId {
  readonly type: 'question-close';
  readonly id: string;
  readonly key: string;
  readonly choice: string;
  readonly by: QuestionAnswer['by'] | 'withdrawn';
}

/** What an agent of a running panel is to do next. Answered by `panel-moved`, except replies and the end. */
export interface PanelOrdered extends TurnId {
  readonly type: 'panel-ordered';
  readonly hat: string;
  readonly order: PanelOrder;
}

/** People are asked: the run goes on when they answer, or at the deadline. */
export interface QuestionOpen {
  readonly type: 'question-open';
  readonly question: Question;
}

/** The run is over. Nothing follows but, one day, `run-resumed`. */
export interface RunEnd {
  readonly type: 'run-end';
  readonly reason: EndReason;
  /** Facts of this case, in words: which limit, which hat, which gate. */
  readonly detail: string;
  /** What only a person can do before the run goes on; absent where nobody is needed. */
  readonly attention?: string;
}

/** An event was accepted. `to`: who gets it; empty where nobody does. */
export interface EventPublish {
  readonly type: 'event-publish';
  readonly event: RalphEvent;
  readonly to: readonly string[];
  readonly how: DeliveryKind;
}

/**
 * How the takers were found. `fallback`: the queue was empty, so the coordinator is called; `safety-net`: nobody takes it, so Ralph gets it; `terminal`: nobody needs to;
 * `undelivered`: the run completed first; `record`: only for the log.
 */
export type DeliveryKind = 'target' | 'trigger' | 'fallback' | 'safety-net' | 'terminal' | 'undelivered' | 'record';

/** A signal was not accepted. `topic` is what it asked for. */
export interface EventReject {
  readonly type: 'event-reject';
  readonly id: string;
  readonly iteration: number;
  readonly hat: string;
  readonly topic: string;
  readonly why: RejectionCause;
  readonly allowed: readonly string[];
  /** More about the cause, in words: what is wrong with a payload. */
  readonly detail?: string;
}

export type RejectionCause =
  | 'scope'
  | 'may-not-end'
  | 'failed-turn'
  | 'withdrawn'
  | 'conflict'
  | 'required-events'
  | 'channel-off'
  | 'unknown-hat'
  | 'gate'
  | 'payload'
  | 'held'
  | 'hook';

/** Something a person should see. */
export interface Notice {
  readonly type: 'notice';
  readonly level: 'info' | 'warning';
  readonly code: string;
  readonly text: string;
}
