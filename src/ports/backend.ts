import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { Usage } from '../core/backends/usage.ts';
import type { PanelMove, PanelOrder, PanelState, RoundTask } from '../core/run/panel-state.ts';
import type { TurnFailure, TurnId } from '../core/run/turn.ts';
import type { People, SpokenWords } from './people.ts';
import type { Backpressure, ClockHold, Isolation, TurnScope } from './program.ts';

/**
 * An agent that can be given a turn: a CLI, our own, a script, or a test's fake.
 *
 * Contract (checked by test/contract/backend): `start` returns at once and never throws; everything that goes wrong is told in the
 * result. Events come in order and only before the result settles. `stop` and `kill` may be called at any time, any number of times, and the result
 * still settles. When the result has settled, no process of the turn is alive. Optional abilities (steering, hooks) are told by the presence of
 * a method, never by a list of capabilities.
 */
export interface Backend {
  /** A label for people: `claude`, `custom:./agent.sh`. */
  readonly label: string;
  readonly start: (request: TurnRequest, observe: (event: BackendEvent) => void) => RunningTurn;
}

export interface TurnRequest {
  readonly turn: TurnId;
  /** The whole prompt. */
  readonly prompt: string;
  /** Absolute path of a file that holds the prompt, for backends that take a file. */
  readonly promptFile: string;
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** The complete environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Opaque token by which the turn's processes can be found again. */
  readonly marker: string;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly logs: TurnLogs;
  /** What a tool profile makes of the agent's program; absent: it is started as it was declared. */
  readonly scope?: TurnScope;
  /** The namespaces that every program of the turn gets which the sandbox does not hold; absent: none. */
  readonly isolation?: Isolation;
  /** While it says so, the output of the agent is not read, and its silence is not counted. Absent: the output is always read. */
  readonly backpressure?: Backpressure;
  /** How many turns right before this one were the same work and were interrupted; absent: none. */
  readonly interruptions?: number;
  /** The prompt holds what a person says: the agent is to see it, also where the turn goes on behind the last word of one that was interrupted. */
  readonly isAddressed?: true;
  /** Who can be asked while the turn runs; absent: nobody. */
  readonly people?: People;
  /** Says while its clocks stand; absent: they never do. */
  readonly hold?: ClockHold;
  /** The conversation of an agent that can go on with it, as its `session` event named it; absent: a new one. */
  readonly session?: string;
  /** Where the agent works may be where it had a conversation: there it goes on with that, and this is its prompt. Absent: `session` says all. */
  readonly resumable?: ResumableTurn;
  /** Several agents take this turn together; absent: one does. */
  readonly panel?: PanelDesk;
  /** The agent is one of a panel: what it hands in. Absent: it is not. */
  readonly hand?: PanelHand;
}

/** A conversation that can be gone on with in one place alone. */
export interface ResumableTurn {
  readonly session: string;
  /** The whole prompt for whoever has that conversation. */
  readonly prompt: string;
}

/** The panel whose agents take a turn together: where they stand, and who is told what happens among them. */
export interface PanelDesk {
  /** As it was when the turn was ordered. */
  readonly state: PanelState;
  /** Never throws. What follows comes through `RunningTurn.obey`. */
  readonly move: (move: PanelMove) => void;
  /** Called right before the work that won is taken over: what changed in the folder until then is not the turn's. Never rejects. */
  readonly takingOver: () => Promise<void>;
}

export interface PanelHand {
  /** `vote`: no answer is taken; `present`: no vote is. */
  readonly task: RoundTask;
  /** Who can be voted for: `agent2`. */
  readonly candidates: readonly string[];
  /** Topics of which an answer may name one; empty where it need not. */
  readonly topics: readonly string[];
  /** Never reject. One that is accepted ends the turn. */
  readonly answer: (content: string, topic: string | undefined) => Promise<HandedIn>;
  readonly vote: (target: string, reason: string) => Promise<HandedIn>;
}

/** What became of it, in words for the agent. */
export interface HandedIn {
  readonly isAccepted: boolean;
  readonly text: string;
}

/** Where the raw output goes, whole and unchanged up to a cap. */
export interface TurnLogs {
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly capBytes: number;
}

export interface RunningTurn {
  /** Settles once, never rejects. */
  readonly result: Promise<TurnResult>;
  /** Ends the whole process tree: asks, waits `graceMs`, then forces. */
  readonly stop: (graceMs: number) => void;
  /** Ends the whole process tree at once. */
  readonly kill: () => void;
  /** Ends an agent that has said all there is to say; its turn is a success. Present where the agent has no final event that would say so. */
  readonly dismiss?: () => void;
  /**
   * Gives the agent what a person says, between two of its steps; an `injected` event follows when it has it. What comes too late for that is not given. Present where
   * an agent can be told while it works.
   */
  readonly tell?: (words: SpokenWords) => void;
  /** Ends the turn after the step that is under way, as a success. Present where an agent works step by step. */
  readonly finish?: () => void;
  /** Does what was decided for a panel. Present where several agents take the turn. */
  readonly obey?: (order: PanelOrder) => void;
  /** Processor time that the agent and all that it started have used so far, in milliseconds; 0 where the system tells nothing of it. Present where `dismiss` is. */
  readonly cpuMs?: () => number;
}

/** How a turn ended, as far as the backend can tell. */
export interface TurnResult {
  /**
   * `succeeded` only if the agent's own final event says so (where its stream has one) and its exit code agrees;
   * `stopped` if `stop` or `kill` ended it.
   */
  readonly status: 'succeeded' | 'failed' | 'stopped';
  /** Present if and only if `failed`. */
  readonly failure: TurnFailure | null;
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** Totals of the turn. */
  readonly usage: Usage;
  readonly sessionId: string | null;
  /** `null` where the stream does not tell tool calls. */
  readonly toolCalls: number | null;
  /** Whether anything but white space came on standard output. */
  readonly producedOutput: boolean;
  /** Processes that had to be ended after the agent's own exit. */
  readonly leftovers: number;
  /** A log could not be written (the code of the system error, such as ENOSPC); the turn was stopped for it. */
  readonly logError: string | null;
}
