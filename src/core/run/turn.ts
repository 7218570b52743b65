import { UNKNOWN_USAGE, type Usage } from '../backends/usage.ts';
import type { MissedSignal, Sender, TurnSignals } from '../events/event.ts';
import type { HookRecord } from '../hooks/hook-run.ts';
import type { ScopeViolations, ToolDenial } from '../tools/scope-violations.ts';

/**
 * One attempt of one iteration. The pair is never used twice: an agent's turn is never repeated under its id,
 * so outputs are never overwritten.
 */
export interface TurnId {
  /** 1, 2, 3, … */
  readonly iteration: number;
  /** 1, 2, 3, …; more than 1 only after a transient error or a usage limit. */
  readonly attempt: number;
}

/** `7.1`: the name of a turn in files and environment variables. */
export function toTurnName(turn: TurnId): string {
  return `${turn.iteration}.${turn.attempt}`;
}

/** `7`, and `7.2` for what was tried again: how people read it. */
export function toTurnLabel(turn: TurnId): string {
  return turn.attempt === 1 ? String(turn.iteration) : toTurnName(turn);
}

/** As people call a turn: `iteration 7 (builder)`; `iteration 7 (builder), attempt 2` for what was tried again. */
export function toTurnTitle({ iteration, attempt }: TurnId, hat?: string): string {
  return `iteration ${iteration}${hat === undefined ? '' : ` (${hat})`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
}

/** As people call an order of a fleet by its name: `iteration 7` for `7.1`, `gate 3` for `gate3`, `hook 2` for `hook2`. */
export function toOrderTitle(name: string, hat?: string): string {
  const [, iteration, attempt] = /^(\d+)\.(\d+)$/.exec(name) ?? [];
  if (iteration === undefined) return name.replace(/^(gate|hook)(?=\d)/, '$1 ');
  return toTurnTitle({ iteration: Number(iteration), attempt: Number(attempt) }, hat);
}

/** At the beginning of a sentence. */
export function toSentenceStart(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** `switched to critic (14 tools available)`: how a change of the hat is logged. */
export function toSwitchText(hat: string, tools: number): string {
  return `switched to ${hat} (${tools} tools available)`;
}

/**
 * What kind of failure it was. `transient` and `limit` say nothing about the work and do not count against it.
 * - `transient`: rate limit, overload, network; another try in a moment may do.
 * - `limit`: a usage window or a quota is used up; another try before the reset is useless.
 * - `auth`: not signed in, key refused.
 * - `request`: the model's provider refuses every such request: no such model, malformed. Not one that is too long.
 * - `spawn`: the program could not be started.
 * - `timeout`, `idle-timeout`: ended by a safeguard.
 * - `agent`: everything else.
 */
export type FailureClass = 'transient' | 'limit' | 'auth' | 'request' | 'spawn' | 'timeout' | 'idle-timeout' | 'agent';

/** A turn that did not succeed, in facts. */
export interface TurnFailure {
  readonly class: FailureClass;
  /** One line for a person; at most 2,000 characters. */
  readonly message: string;
  /** Epoch ms at which a usage limit resets, where the agent said so. */
  readonly resetAt?: number;
  /** The program of the agent is not on this machine, or no agent is; only with class `spawn`. */
  readonly isMissing?: true;
  /** The agent has tried again itself, as often as the loop would have: no further attempt of the same turn. */
  readonly wasRetried?: true;
}

/** What an agent's error fields say, before it is judged. */
export interface FailureSigns {
  /** The agent's own words, or ours. Never the assistant's text of a turn that went well. */
  readonly message: string;
  /** The HTTP status of the model's answer, where the agent names it in a field of its own. */
  readonly httpStatus?: number | null;
  /** Epoch ms of the reset, where the agent names it in a field of its own. */
  readonly resetAt?: number;
  /** Set where the agent's own error code says more than any words. */
  readonly class?: FailureClass;
}

/** How a turn ended. `interrupted`: by a person, a signal, or the death of the orchestrator. */
export type TurnOutcome =
  | { readonly status: 'succeeded' }
  | { readonly status: 'failed'; readonly failure: TurnFailure }
  | { readonly status: 'interrupted' };

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

/** Work that was not brought into the folder. */
export interface WorkConflict {
  /** Files that somebody else has changed, too, since the copy was made: the first of `total`. */
  readonly paths: readonly string[];
  readonly total: number;
  /** Where it is kept, below the folder of the run. */
  readonly kept: string;
  /** Why not, where it is not for other changes. */
  readonly why?: string;
}

/** How the message of a failure begins that is a conflict and nothing else. */
export const NOT_TAKEN_OVER = 'its work was not taken over';

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

/** Failures that no other try mends: a person is needed, or another agent. */
export function isHopeless(failure: FailureClass): failure is 'auth' | 'request' {
  return failure === 'auth' || failure === 'request';
}

/** Whether the same agent would fail again. */
export function isLasting({ class: kind, isMissing }: TurnFailure): boolean {
  return isMissing === true || isHopeless(kind);
}

/** What a person tells agents. */
export interface Tell {
  /** Of the command by which it was told. */
  readonly id: string;
  readonly text: string;
  /** The hat that it is for; `null`: whoever works now, else next. */
  readonly to: string | null;
  /**
   * `now`: between two steps of the turn that runs, where its agent can be told; `next`: with the next prompt; `interrupt`: the running turn is ended, and its hat
   * begins again with it.
   */
  readonly when: 'now' | 'next' | 'interrupt';
  readonly sender: Sender;
}

/** What people are asked. */
export interface AskedQuestion {
  /** What makes it the same question when its hat asks again. */
  readonly key: string;
  /** `permission`: a call of a tool waits for it. */
  readonly purpose: 'question' | 'permission';
  readonly text: string;
  readonly choices: readonly string[];
  /** One of the choices: what counts when nobody answers in time. */
  readonly default: string;
  /** Epoch milliseconds: until when an answer is waited for. */
  readonly dueAt: number;
}

/** A question, from when it is asked until its turn is over. It stays over an interruption: the hat is expected to ask it again. */
export interface Question extends AskedQuestion, TurnId {
  /** `q1`, `q2`, …: by which people answer it. */
  readonly id: string;
  readonly hat: string;
  /** Which of several turns of its hat asked, by its place; absent: its one turn. */
  readonly place?: number;
  /** Epoch milliseconds. */
  readonly askedAt: number;
  /** Absent while it is open. */
  readonly answer?: QuestionAnswer;
}

/** What was answered, and how that came about. */
export interface QuestionAnswer {
  readonly choice: string;
  /** `deadline`: nobody answered in time. */
  readonly by: 'person' | 'deadline';
}
