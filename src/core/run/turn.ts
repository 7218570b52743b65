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

/** `7.1.2.3`: the name of the third round of the second agent of a panel. @param agent its place in the panel, from 0 */
export function toRoundName(turn: TurnId, agent: number, round: number): string {
  return `${toTurnName(turn)}.${agent + 1}.${round}`;
}

/** `7`, and `7.2` for what was tried again: how people read it. */
export function toTurnLabel(turn: TurnId): string {
  return turn.attempt === 1 ? String(turn.iteration) : toTurnName(turn);
}

/** As people call a turn: `iteration 7 (builder)`; `iteration 7 (builder), attempt 2` for what was tried again. */
export function toTurnTitle({ iteration, attempt }: TurnId, hat?: string): string {
  return `iteration ${iteration}${hat === undefined ? '' : ` (${hat})`}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
}

/** As people call an order of a fleet by its name: `iteration 7` for `7.1`, `gate 3` for `gate3`, `hook 2` for `hook2`, `iteration 7, careful, round 1` for `7.1.2.1` (without the name of that agent: `agent 2`). */
export function toOrderTitle(name: string, hat?: string, agentName?: string): string {
  const [, iteration, attempt, agent, round] = /^(\d+)\.(\d+)(?:\.(\d+)\.(\d+))?$/.exec(name) ?? [];
  if (iteration === undefined) return name.replace(/^(gate|hook)(?=\d)/, '$1 ');
  const title = toTurnTitle({ iteration: Number(iteration), attempt: Number(attempt) }, hat);
  return agent === undefined ? title : `${title}, ${agentName ?? `agent ${agent}`}, round ${round}`;
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

/** Failures that no other try mends: a person is needed, or another agent. */
export function isHopeless(failure: FailureClass): failure is 'auth' | 'request' {
  return failure === 'auth' || failure === 'request';
}

/** Whether the same agent would fail again. */
export function isLasting({ class: kind, isMissing }: TurnFailure): boolean {
  return isMissing === true || isHopeless(kind);
}

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

export interface QuestionAnswer {
  readonly choice: string;
  /** `deadline`: nobody answered in time. */
  readonly by: 'person' | 'deadline';
}

/** Turns whose work is not known for sure, by name, at least one: `turn 2.1, whose end was not seen` */
export function toLostText(turns: readonly string[]): string {
  return turns.length === 1 ? `turn ${turns[0]}, whose end was not seen` : `turns ${turns[0]} to ${turns.at(-1)}, whose ends were not seen`;
}
