import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { Effect, IterationStart } from '../../core/run/effects.ts';
import type { TimerPurpose } from '../../core/run/feedback.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import type { RunLimits } from '../../core/run/run-spec.ts';
import type { TurnId } from '../../core/run/turn.ts';
import { toUsdText } from '../../core/text/duration.ts';
import { type Handlers, handle } from '../../core/values/handlers.ts';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import type { WorkingTurn } from '../../wire/run-frame.ts';
import { cutText, toPlainLine } from '../text/plain-text.ts';
import {
  type LiveAsking,
  type LiveProgram,
  parseAsking,
  toProgramText,
  withAsking,
  withoutAsking,
  withParsed,
  withProgram,
} from './live-programs.ts';

/** What a run does at this moment, as far as its journal cannot tell it. Small, whatever the agents say. */
export interface LiveView {
  readonly turn: LiveTurn | null;
  /** Others that run at the same time; absent: none do. */
  readonly beside?: readonly LiveTurn[];
  /** Gates that were asked and have not answered: indexes into the configured ones. */
  readonly gates: { readonly gates: readonly number[]; readonly since: number } | null;
  /** What holds the next turn back. */
  readonly wait: { readonly purpose: TimerPurpose; readonly dueAt: number } | null;
  /** Since when the fleet that keeps the run does not answer; absent: it does, or there is none. */
  readonly awaySince?: number;
  /** Gates and hooks that workers have, or are to have, the oldest first; absent: there are none. */
  readonly programs?: readonly LiveProgram[];
  /** Hooks of the run that were asked and have not answered; absent: none. */
  readonly asking?: LiveAsking;
}

/** The turn that runs. Times are epoch milliseconds. */
export interface LiveTurn extends Pick<WorkingTurn, 'iteration' | 'attempt' | 'hat' | 'startedAt' | 'idleTimeoutMs'> {
  /** When its agent was started; `null`: it was not yet, or a worker has to begin it first. */
  readonly begunAt: number | null;
  /** When anything last came from the agent; `null`: nothing has yet. */
  readonly lastOutputAt: number | null;
  /** Tool calls under way, the oldest first. */
  readonly tools: readonly LiveTool[];
  /** Of this turn, as far as the agent has told it. */
  readonly usage: Usage;
}

export interface LiveTool {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly since: number;
}

export interface LiveFold {
  readonly take: (record: RunRecord) => void;
  readonly view: () => LiveView;
}

/** Further tool calls at the same time are not tracked. */
const MAX_TOOLS = 32;
const MAX_TURNS = 100;
const ID_LENGTH = 100;
const NAME_LENGTH = 40;
const SUMMARY_LENGTH = 160;

/** @param now epoch milliseconds; live records carry no time of their own */
export function createLiveFold(now: () => number): LiveFold {
  let view: LiveView = { turn: null, gates: null, wait: null };
  return {
    take: (record) => {
      view = takeRecord(view, record, now);
    },
    view: () => view,
  };
}

function takeRecord(view: LiveView, record: RunRecord, now: () => number): LiveView {
  switch (record.kind) {
    case 'input':
      return handle(INPUT_HANDLERS, record.input, view);
    case 'effect':
      return handle(EFFECT_HANDLERS, record.effect, view, now());
    case 'live':
      return changeTurn(view, record, (turn) => handle(EVENT_HANDLERS, record.event, turn, now()));
    case 'fleet':
      return withAway(view, record.isAway ? record.since : null);
    case 'program':
      return withProgram(view, record);
    case 'gate-output':
      return view;
  }
}

/** All turns that run, in the order in which they began. */
export function liveTurns({ turn, beside = [] }: LiveView): readonly LiveTurn[] {
  return turn === null ? [] : [turn, ...beside];
}

function withAway({ awaySince: _, ...view }: LiveView, since: number | null): LiveView {
  return since === null ? view : { ...view, awaySince: since };
}

function withTurns({ beside: _, ...view }: LiveView, turns: readonly LiveTurn[]): LiveView {
  const [turn, ...beside] = turns;
  if (turn === undefined) return { ...view, turn: null };
  return beside.length === 0 ? { ...view, turn } : { ...view, turn, beside };
}

function changeTurn(view: LiveView, id: TurnId, update: (turn: LiveTurn) => LiveTurn): LiveView {
  return withTurns(
    view,
    liveTurns(view).map((turn) => (isOf(turn, id, view) ? update(turn) : turn)),
  );
}

/** While only one turn runs, every live record belongs to it. */
function isOf(turn: LiveTurn, { iteration, attempt }: TurnId, { beside }: LiveView): boolean {
  return beside === undefined || (turn.iteration === iteration && turn.attempt === attempt);
}

const INPUT_HANDLERS: Handlers<Input, [view: LiveView], LiveView> = {
  'run-started': asBefore,
  'run-resumed': asBefore,
  'iteration-spawned': (view, input) => changeTurn(view, input, (turn) => ({ ...turn, begunAt: input.at })),
  'usage-reported': asBefore,
  'iteration-ended': (view, input) =>
    withTurns(
      view,
      liveTurns(view).filter((turn) => !isOf(turn, input, view)),
    ),
  'events-received': asBefore,
  told: asBefore,
  'tell-given': asBefore,
  asked: asBefore,
  answered: asBefore,
  'hooks-answered': withoutAsking,
  'panel-moved': asBefore,
  'gates-finished': (view) => ({ ...view, gates: null }),
  'timer-fired': withoutWait,
  'checkpoint-finished': asBefore,
  'stop-requested': withoutWait,
  'environment-failed': asBefore,
};

const EFFECT_HANDLERS: Handlers<Effect, [view: LiveView, at: number], LiveView> = {
  'iteration-start': takeTurnStart,
  'iteration-stop': asBefore,
  'gates-run': (view, since, { gates }) => ({ ...view, gates: { gates, since } }),
  'timer-set': (view, _at, { purpose, dueAt }) =>
    purpose === 'runtime' || purpose === 'question' ? view : { ...view, wait: { purpose, dueAt } },
  'checkpoint-make': asBefore,
  'inbox-append': asBefore,
  'hooks-ask': withAsking,
  'tell-offer': asBefore,
  'question-open': asBefore,
  'question-close': asBefore,
  'panel-ordered': asBefore,
  'run-end': () => ({ turn: null, gates: null, wait: null }),
  'event-publish': asBefore,
  'event-reject': asBefore,
  notice: asBefore,
};

/** Everything an agent does is a sign of life; a warning is Ralph's own. */
const EVENT_HANDLERS: Handlers<BackendEvent, [turn: LiveTurn, at: number], LiveTurn> = {
  started: withSign,
  session: withSign,
  text: withSign,
  'message-end': withSign,
  thinking: withSign,
  alive: withSign,
  'tool-start': (turn, at, tool) => ({ ...withSign(turn, at), tools: [...turn.tools, toTool(tool, at)].slice(0, MAX_TOOLS) }),
  'tool-end': (turn, at, { id }) => ({ ...withSign(turn, at), tools: turn.tools.filter((tool) => tool.id !== id.slice(0, ID_LENGTH)) }),
  'tool-denied': withSign,
  'hook-ran': withSign,
  injected: asBefore,
  usage: (turn, at, { usage }) => ({ ...withSign(turn, at), usage }),
  retry: withSign,
  warning: asBefore,
};

function asBefore<Value>(value: Value): Value {
  return value;
}

function withoutWait(view: LiveView): LiveView {
  return { ...view, wait: null };
}

function withSign(turn: LiveTurn, lastOutputAt: number): LiveTurn {
  return { ...turn, lastOutputAt };
}

function takeTurnStart(view: LiveView, at: number, { iteration, attempt, hat, idleTimeoutMs, copy }: IterationStart): LiveView {
  const times = { startedAt: at, begunAt: null, lastOutputAt: null };
  const turn = { iteration, attempt, hat, ...times, idleTimeoutMs, tools: [], usage: UNKNOWN_USAGE };
  // A turn without a copy works alone.
  const others = copy === undefined ? [] : liveTurns(view).filter((other) => other.iteration !== iteration);
  return withTurns({ ...view, wait: null }, [...others, turn]);
}

function toTool({ id, name, summary }: Omit<LiveTool, 'since'>, since: number): LiveTool {
  return { id: id.slice(0, ID_LENGTH), name: toPlainLine(name, NAME_LENGTH), summary: toPlainLine(summary, SUMMARY_LENGTH), since };
}

/** A view that was written as JSON; `null` for anything else. */
export function parseLiveView(json: Json | undefined): LiveView | null {
  if (!isJsonObject(json)) return null;
  const turn = parseTurn(json['turn']);
  const others = Array.isArray(json['beside']) ? json['beside'].slice(0, MAX_TURNS).flatMap((other) => parseTurn(other) ?? []) : [];
  const view = withTurns(
    { turn: null, gates: parseGates(json['gates']), wait: null, ...parseAsking(json['asking']) },
    turn === null ? [] : [turn, ...others],
  );
  return withParsed(withAway(view, isNumber(json['awaySince']) ? json['awaySince'] : null), json['programs']);
}

function parseTurn(json: Json | undefined): LiveTurn | null {
  if (!isJsonObject(json)) return null;
  const { iteration, attempt, hat, startedAt, begunAt, lastOutputAt = null, idleTimeoutMs, tools, usage } = json;
  if (!isNumber(iteration) || !isNumber(attempt) || typeof hat !== 'string' || !isNumber(startedAt)) return null;
  if (lastOutputAt !== null && !isNumber(lastOutputAt)) return null;
  const figure = (name: keyof Usage): number | null => (isJsonObject(usage) && isNumber(usage[name]) ? usage[name] : null);
  return {
    iteration,
    attempt,
    hat,
    startedAt,
    begunAt: isNumber(begunAt) ? begunAt : null,
    lastOutputAt,
    idleTimeoutMs: isNumber(idleTimeoutMs) ? idleTimeoutMs : 0,
    tools: Array.isArray(tools) ? tools.slice(0, MAX_TOOLS).flatMap(parseTool) : [],
    usage: {
      inputTokens: figure('inputTokens'),
      outputTokens: figure('outputTokens'),
      cacheReadTokens: figure('cacheReadTokens'),
      cacheWriteTokens: figure('cacheWriteTokens'),
      costUsd: figure('costUsd'),
    },
  };
}

function parseTool(json: Json): readonly LiveTool[] {
  if (!isJsonObject(json)) return [];
  const { id, name, summary, since } = json;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof summary !== 'string' || !isNumber(since)) return [];
  return [{ id, name: toPlainLine(name, NAME_LENGTH), summary: toPlainLine(summary, SUMMARY_LENGTH), since }];
}

function parseGates(json: Json | undefined): LiveView['gates'] {
  if (!isJsonObject(json) || !Array.isArray(json['gates']) || !isNumber(json['since'])) return null;
  return { gates: json['gates'].filter(isNumber), since: json['since'] };
}

function isNumber(value: Json | undefined): value is number {
  return typeof value === 'number';
}

export interface RunProgress {
  readonly limits: RunLimits | null;
  /** Those that count against their limit: a turn that was interrupted, or is made again, does not. */
  readonly iterations: number;
  /** The names of the configured gates. */
  readonly gates: readonly string[];
  /** Until the time of the last input. */
  readonly elapsedMs: number;
  /** Time of the last input; epoch milliseconds. */
  readonly at: number;
  readonly usage: Usage;
}

/** One fact of a run that is under way. Facts of a higher rank are dropped first when room is short. */
interface LiveFact {
  readonly text: string;
  readonly rank: number;
}

/** A tool call is not cut below this length. */
const SHORTEST_TOOL = 12;

/**
 * What a run does, on one line: `turn 3 of 30 · builder 2:05 · Bash npm test 0:38 · silent 0:38 of 15:00 · $0.41 of $5.00 · run 12:40`.
 *
 * @param width in characters; a longer line is written more tightly, then loses its less important facts
 */
export function toLiveLine(view: LiveView, progress: RunProgress, now: number, width: number): string {
  let facts = toFacts(view, progress, now);
  const full = toLine(facts, ' · ');
  if (full.length <= width) return full;
  facts = facts.map(({ rank, text }) => ({ rank, text: text.replace(' of ', '/') }));
  for (let over = toLine(facts).length - width; over > 0 && facts.length > 1; over = toLine(facts).length - width) {
    const worst = Math.max(...facts.map(({ rank }) => rank));
    const excess = over;
    const tool = facts.find(({ rank, text }) => rank === TOOL_RANK && text.length - excess >= SHORTEST_TOOL);
    if (tool !== undefined && worst < RUN_RANK) facts = facts.map((fact) => (fact === tool ? shortenTool(fact, excess) : fact));
    else facts = facts.filter(({ rank }) => rank !== worst);
  }
  return cutText(toLine(facts), width);
}

const TOOL_RANK = 1;
const RUN_RANK = 5;

function toLine(facts: readonly LiveFact[], gap = '  '): string {
  return facts.map(({ text }) => text).join(gap);
}

/** The clock at the end of a tool call stays. */
function shortenTool({ text, rank }: LiveFact, over: number): LiveFact {
  const clock = text.slice(text.lastIndexOf(' '));
  return { rank, text: `${cutText(text.slice(0, -clock.length), text.length - clock.length - over)}${clock}` };
}

/** `turn 3 of 100`; where interrupted turns before it do not count, `turn 4 (3 of 100)`. */
function toTurnText({ iteration }: LiveTurn, { limits, iterations }: RunProgress): string {
  if (limits === null) return `turn ${iteration}`;
  const of = `${iterations + 1} of ${limits.maxIterations}`;
  return iteration === iterations + 1 ? `turn ${of}` : `turn ${iteration} (${of})`;
}

function toFacts(view: LiveView, progress: RunProgress, now: number): readonly LiveFact[] {
  const { turn, beside, gates, wait, awaySince, programs = [] } = view;
  const [program] = programs;
  const facts: LiveFact[] = [];
  if (awaySince !== undefined) facts.push({ rank: 0, text: `fleet away ${toClock(now - awaySince)}` });
  if (beside !== undefined) {
    const turns = liveTurns(view);
    facts.push({ rank: 0, text: `${turns.length} turns at work` });
    const isOne = (hat: string): boolean => turns.filter((other) => other.hat === hat).length === 1;
    // If a hat has several turns, each names its iteration.
    for (const { hat, iteration, startedAt } of turns)
      facts.push({ rank: 2, text: `${hat}${isOne(hat) ? '' : ` ${iteration}`} ${toClock(now - startedAt)}` });
  } else if (turn !== null) {
    facts.push({ rank: 0, text: toTurnText(turn, progress) }, { rank: 2, text: `${turn.hat} ${toClock(now - turn.startedAt)}` });
    const tool = turn.tools.at(-1);
    if (tool !== undefined)
      facts.push({ rank: TOOL_RANK, text: `${[tool.name, tool.summary].join(' ').trim()} ${toClock(now - tool.since)}` });
    facts.push({ rank: 3, text: toSilenceText(turn, now) });
  } else if (program !== undefined) facts.push({ rank: TOOL_RANK, text: `${toProgramText(program)} ${toClock(now - program.since)}` });
  else if (gates !== null)
    facts.push({ rank: TOOL_RANK, text: `gate ${toGateNames(gates.gates, progress.gates)} ${toClock(now - gates.since)}` });
  else if (wait !== null) facts.push({ rank: 0, text: `${WAITS[wait.purpose]} in ${toClock(Math.max(0, wait.dueAt - now) + 999)}` });
  facts.push({ rank: 4, text: toCostText(progress, liveUsage(view)) });
  return [...facts, { rank: RUN_RANK, text: `run ${toClock(progress.elapsedMs + Math.max(0, now - progress.at))}` }];
}

/** What all running turns have reported as consumed so far. */
export function liveUsage(view: LiveView): Usage {
  return liveTurns(view).reduce((sum, { usage }) => addUsage(sum, usage), UNKNOWN_USAGE);
}

const WAITS: Readonly<Record<TimerPurpose, string>> = {
  retry: 'next try',
  limit: 'goes on after the reset of the usage limit',
  cooldown: 'next turn',
  runtime: 'end of the running time',
  question: 'end of a question',
};

/** `silent 0:38 of 15:00`; an agent that was not started is not silent. */
function toSilenceText({ begunAt, lastOutputAt, idleTimeoutMs }: LiveTurn, now: number): string {
  const since = lastOutputAt ?? begunAt;
  if (since === null) return 'not begun yet';
  return `silent ${toClock(now - since)}${idleTimeoutMs > 0 ? ` of ${toClock(idleTimeoutMs)}` : ''}`;
}

function toGateNames(indexes: readonly number[], names: readonly string[]): string {
  return indexes.map((index) => toPlainLine(names[index] ?? `#${index}`, 60)).join(', ');
}

/** `$0.41 of $5.00`; `cost ?` if no agent has reported it yet. */
function toCostText({ usage, limits }: RunProgress, turn: Usage): string {
  const { costUsd } = addUsage(usage, turn);
  const limitUsd = limits?.maxCostUsd ?? null;
  return `${costUsd === null ? 'cost ?' : `$${costUsd.toFixed(2)}`}${limitUsd === null ? '' : ` of ${toUsdText(limitUsd)}`}`;
}

/** A duration that counts up: `0:38`, `12:05`, `1:02:05`. */
function toClock(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const minutes = Math.floor(seconds / 60);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return minutes < 60 ? `${minutes}:${pad(seconds % 60)}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}
