import { UNKNOWN_USAGE, type Usage } from '../backends/usage.ts';
import type { EventSignal, MissedSignal, Sender, SignalProblem, Tell, TurnSignals } from '../events/event.ts';
import type { GateResult } from '../gates/gate-result.ts';
import type { HookRecord, HookRun } from '../hooks/hook-moments.ts';
import type { ScopeViolations, ToolDenial } from '../tools/scope-violations.ts';
import type { Json } from '../values/json.ts';
import type { PanelMove } from './panel-state.ts';
import type { RunLimits, RunSpec } from './run-spec.ts';
import type { AskedQuestion, TurnId, TurnOutcome, WorkConflict } from './turn.ts';

/**
 * Everything that can happen to a run, in the past tense. The journal is a list of these and of nothing else;
 * the state of a run is their fold. Every input carries its own time: nothing else in the loop knows a clock.
 */
export type Input =
  | RunStarted
  | RunResumed
  | IterationSpawned
  | UsageReported
  | IterationEnded
  | EventsReceived
  | Told
  | TellGiven
  | Asked
  | Answered
  | GatesFinished
  | HooksAnswered
  | TimerFired
  | CheckpointFinished
  | StopRequested
  | PanelMoved
  | EnvironmentFailed;

const INPUT_TYPES: Readonly<Record<Input['type'], true>> = {
  'run-started': true,
  'run-resumed': true,
  'iteration-spawned': true,
  'usage-reported': true,
  'iteration-ended': true,
  'events-received': true,
  told: true,
  'tell-given': true,
  asked: true,
  answered: true,
  'gates-finished': true,
  'hooks-answered': true,
  'timer-fired': true,
  'checkpoint-finished': true,
  'stop-requested': true,
  'panel-moved': true,
  'environment-failed': true,
};

/** Asked once, where a journal is read: behind that door every input is one of those above. */
export function isInputType(name: string): name is Input['type'] {
  return Object.hasOwn(INPUT_TYPES, name);
}

interface At {
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An input with its place in the journal: 1, 2, 3, … without gaps. */
export interface JournalEntry {
  readonly seq: number;
  readonly input: Input;
}

/** Always the first input. */
export interface RunStarted extends At {
  readonly type: 'run-started';
  readonly runId: string;
  readonly spec: RunSpec;
  /** Names of changed decisions that this run is under (law 9); none so far. */
  readonly flags: readonly string[];
  /** Where reading of the inbox begins, so that events of earlier runs are never read. */
  readonly inboxOffset: number;
}

/** The run goes on in a new process, or after an end that can be lifted. */
export interface RunResumed extends At {
  readonly type: 'run-resumed';
  /** The new declaration, when the configuration or the prompt changed and the person accepted it. */
  readonly spec?: RunSpec;
  /** Limits raised on the command line. */
  readonly limits?: Partial<RunLimits>;
  /** What people published since the run last read their file; absent where that is nothing. */
  readonly external?: ExternalEvents;
  /** The run goes on in another folder than that of whoever wrote last: where reading of its files begins here. Absent: where it was. */
  readonly moved?: ReadPlaces;
}

/** Where the next read of the files begins in which agents and people publish. */
export interface ReadPlaces {
  readonly inboxOffset: number;
  readonly outsideOffset: number;
}

/** What was new in the run's own file for people. */
export interface ExternalEvents {
  readonly signals: readonly EventSignal[];
  readonly problems: readonly SignalProblem[];
  /** Where the next read begins. */
  readonly outsideOffset: number;
}

/** The agent's process is there. Recorded so that a later process can end what a dead one left. */
export interface IterationSpawned extends At, TurnId {
  readonly type: 'iteration-spawned';
  readonly pid: number | null;
  /** Opaque start time that makes the pid safe against reuse. */
  readonly processStart: string | null;
  /** The backend that wears the hat. */
  readonly backend: string;
  /** The exact command, prompt and secrets left out. */
  readonly argv: readonly string[];
  /** Content hash (SHA-256) of the prompt, which is kept in the turn's folder. */
  readonly promptHash: string;
  readonly promptTokens: number;
  /** How many tools the hat's profile offers; absent where no profile holds it back. */
  readonly tools?: number;
  /** What people are told where the hat is another than that of the turn before, so that it can be searched for in the journal. */
  readonly log?: string;
  /** The worker of a fleet that has the turn; absent: it is taken where the run is. */
  readonly worker?: string;
}

/** A running turn has used up what the run's limit of cost had left, and its agent goes on. Not every report of usage is an input: only this one decides something. */
export interface UsageReported extends At, TurnId {
  readonly type: 'usage-reported';
  /** Of this turn so far. */
  readonly usage: Usage;
  /** Of the others that run at the same time, so far; absent: none do. */
  readonly others?: Usage;
}

/** The one end of a started turn. */
export interface IterationEnded extends At, TurnId, TurnReport {
  readonly type: 'iteration-ended';
  readonly inboxOffset: number;
}

/** Everything the loop needs to know of a turn that ended. */
export interface TurnReport extends TurnSignals {
  readonly outcome: TurnOutcome;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** False for a turn whose output was empty (white space does not count). */
  readonly producedOutput: boolean;
  readonly usage: Usage;
  readonly sessionId: string | null;
  /** The last assistant message, at most 16 KB of it; whole in the turn's folder. */
  readonly finalText: string;
  /** Tool calls seen in the stream; `null` where the stream does not tell. */
  readonly toolCalls: number | null;
  /** How many of them only published an event or claimed the end: no work. Absent: none. */
  readonly signalCalls?: number;
  /** What looks like a signal and does not count, as it was written; absent where there is nothing. */
  readonly missed?: readonly MissedSignal[];
  /** Whether the working tree differs from before the turn; `null` where nobody looked. */
  readonly treeChanged: boolean | null;
  /** Processes that had to be ended after the agent's own exit. */
  readonly leftovers: number;
  /** What it made in its copy was not brought into the folder; absent where it was, and for turns without a copy. */
  readonly conflict?: WorkConflict;
  /** What a hat that may not write has written; absent where it wrote nothing, and for hats that may. */
  readonly violations?: ScopeViolations;
  /** Uses of tools that were stopped, the first of them; absent where there were none. */
  readonly denials?: readonly ToolDenial[];
  /** How many there were; absent where `denials` has them all. */
  readonly denied?: number;
  /** What hooks did; absent where none was asked. */
  readonly hooks?: HookRecord;
}

/** What is known of a turn in which no agent came to work. */
export const NO_WORK = {
  exitCode: null,
  durationMs: 0,
  usage: UNKNOWN_USAGE,
  sessionId: null,
  toolCalls: null,
  producedOutput: false,
  leftovers: 0,
} as const satisfies Partial<TurnReport>;

/** What people published, and what is told about lines in the agents' file that came while no agent was at work. */
export interface EventsReceived extends At, TurnSignals {
  readonly type: 'events-received';
  readonly inboxOffset: number;
  /** Where the next read of the run's own file for people begins. */
  readonly outsideOffset?: number;
  /** The turn that is about to begin: its prompt is not written yet, so it can still be given what its hat gets. */
  readonly opening?: TurnId;
}

/** A person told the agents something; the same `id` twice is one. */
export interface Told extends At, Tell {
  readonly type: 'told';
  /** Where the next read of the run's file of such words begins. */
  readonly steeringOffset: number;
  /** See `EventsReceived`. */
  readonly opening?: TurnId;
}

/** The agent of a running turn was given what people told it, between two of its steps. */
export interface TellGiven extends At, TurnId {
  readonly type: 'tell-given';
  readonly ids: readonly string[];
  /** After how many calls of tools in this turn. */
  readonly call: number;
  /** Its conversation outlives a crash: a turn that takes it up has them already. */
  readonly isKept: boolean;
}

/** Something happened among the agents of a panel that wears the hat of a running turn. */
export interface PanelMoved extends At, TurnId {
  readonly type: 'panel-moved';
  readonly move: PanelMove;
}

/** Something in a running turn asks people. Whoever asks the same again gets the same answer, also in the turn that takes up an interrupted one. */
export interface Asked extends At, TurnId, AskedQuestion {
  readonly type: 'asked';
}

/** A person answered; the first answer counts. */
export interface Answered extends At {
  readonly type: 'answered';
  /** Of the command. */
  readonly id: string;
  /** `q1` */
  readonly question: string;
  readonly choice: string;
  readonly sender: Sender;
  readonly steeringOffset: number;
}

/** The answer to one `gates-run`. */
export interface GatesFinished extends At {
  readonly type: 'gates-finished';
  readonly request: number;
  readonly results: readonly GateResult[];
}

/** The answer to one `hooks-ask`: one for each of its events, in order. */
export interface HooksAnswered extends At {
  readonly type: 'hooks-answered';
  readonly request: number;
  readonly answers: readonly HookAnswer[];
}

/** The answer to one `timer-set`. */
export interface TimerFired extends At {
  readonly type: 'timer-fired';
  readonly timer: number;
}

/** The answer to one `checkpoint-make`. */
export interface CheckpointFinished extends At {
  readonly type: 'checkpoint-finished';
  readonly iteration: number;
  /** The commit, or `null` where there was nothing to commit or it could not be made. */
  readonly commit: string | null;
  /** Files that were left out because they were the user's own before the run began. */
  readonly leftOut: readonly string[];
  /** Why no commit was made, in words; empty if one was. */
  readonly note: string;
}

/** Somebody wants the run to stop. */
export interface StopRequested extends At {
  readonly type: 'stop-requested';
  readonly how: 'interrupt' | 'terminate' | 'hangup' | 'after-iteration' | 'kill';
  /** Who, for the report: `Ctrl+C`, `SIGTERM`, `ralph stop`. */
  readonly by: string;
}

/** The ground under the run is gone. */
export interface EnvironmentFailed extends At {
  readonly type: 'environment-failed';
  readonly what: 'workspace' | 'storage';
  readonly message: string;
}

/** What hooks said of one event, or of a completion. */
export interface HookAnswer {
  /** True: it is not routed, or the run does not end. */
  readonly isDropped: boolean;
  /** Why, with the names of the hooks; empty where nothing is dropped. */
  readonly reason: string;
  /** What takes the place of parts of it; absent: it stays as it is. */
  readonly changed?: { readonly topic?: string; readonly payload?: Json; readonly target?: string };
  /** What its author is told in its next turn. */
  readonly told: readonly string[];
  /** The hooks that were asked, in their order. */
  readonly runs: readonly HookExecution[];
}

export interface HookExecution extends Pick<HookRun, 'name' | 'decision' | 'reason' | 'error' | 'ms' | 'worker'> {
  /** The beginning of what its author is told by it; absent: nothing. */
  readonly preview?: string;
  /** It changed the event. */
  readonly hasChanged?: true;
}
