import type { BackendEvent } from '../core/backends/backend-event.ts';
import { parseUsage } from '../core/backends/parse-usage.ts';
import { isSessionId } from '../core/backends/session-id.ts';
import { findHookEvent } from '../core/hooks/hook-moments.ts';
import { toToldHook } from '../core/hooks/hook-record.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import type { FailureClass, TurnFailure } from '../core/run/turn.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { startOf } from '../core/text/shorten.ts';
import { isCount, isJsonObject, isTextList, type Json } from '../core/values/json.ts';
import type { HandedIn, PanelHand, ResumableTurn, TurnResult } from '../ports/backend.ts';
import type { SpokenWords } from '../ports/people.ts';
import { parseContent, type SentContent } from './messages.ts';
import { parseFiles, type SentFile } from './run-records.ts';

/** The work behind an answer, as it is sent: what differs from the tree of the order. */
export interface SentWorkOf {
  /** `agent2` */
  readonly name: string;
  readonly view: string;
  /** See `sendChanges`. */
  readonly changes: Json;
}

/** A conversation of the native agent in a round before. */
export type SentConversation = { readonly round: number } & SentContent;

/** A round that a worker is to take. */
export interface PanelRoundTask extends Pick<PanelHand, 'task' | 'candidates' | 'topics'> {
  readonly kind: 'round';
  /** The turn of its panel, without what only its prompt needs. */
  readonly effect: IterationStart;
  readonly agent: number;
  readonly id: string;
  readonly round: number;
  /** The folder of the panel among those of its run, and that of the agent in it. */
  readonly home: string;
  readonly token: string;
  /** What the agent's folder is called where the run is: prompts and answers name it. */
  readonly cwd: string;
  readonly prompt: string;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly capBytes: number;
  readonly works: readonly SentWorkOf[];
  readonly conversations: readonly SentConversation[];
  /** `null`: it begins a new conversation. */
  readonly resumable: ResumableTurn | null;
}

/** What an agent hands in, through its worker. */
export type SentHandIn =
  | { readonly kind: 'answer'; readonly content: string; readonly topic?: string }
  | { readonly kind: 'vote'; readonly target: string; readonly reason: string };

/** What a worker reports of a round. */
export type RoundWords =
  | { readonly kind: 'round-told'; readonly event: BackendEvent }
  /** `changes`: what became of files since it reported last. The reply comes by that call. */
  | { readonly kind: 'round-hand-in'; readonly call: number; readonly handIn: SentHandIn; readonly changes: Json }
  | RoundEnd;

/** The last one. */
export interface RoundEnd {
  readonly kind: 'round';
  readonly result: TurnResult;
  /** The last message of its agent. */
  readonly said: string;
  readonly changes: Json;
  /** Its outputs, and its conversation where it is the native agent. */
  readonly files: readonly SentFile[];
  /** What its agent wrote that may not, for people; `null`: nothing. */
  readonly found: string | null;
}

/** What is said to the worker of a round. */
export type RoundControl =
  | ({ readonly type: 'round-reply'; readonly call: number } & HandedIn)
  /** `works`: a body, see `toBody`, of `SentWorkOf`. */
  | { readonly type: 'round-tell'; readonly words: SpokenWords; readonly works: Json }
  | { readonly type: 'round-finish' }
  | { readonly type: 'round-stop'; readonly graceMs: number };

const HOME = /^\d{1,9}\.\d{1,9}$/;
const TOKEN = /^[0-9a-f]{16}$/;
const TASKS = ['answer', 'vote', 'present'] as const;
const MAX_AGENTS = 1000;
/** Those of the newest rounds come first. */
const MAX_CONVERSATIONS = 1000;

/** Reads the order of a round; `null` for what is none. */
export function parseRoundTask(value: Json): PanelRoundTask | null {
  if (!isJsonObject(value) || value['kind'] !== 'round' || !isJsonObject(value['effect'])) return null;
  const { effect, agent, id, round, home, token, cwd, prompt, timeoutMs, idleTimeoutMs, capBytes, candidates, topics } = value;
  const task = TASKS.find((known) => known === value['task']);
  const isTurn = effect['type'] === 'iteration-start' && typeof effect['hat'] === 'string' && isCount(effect['iteration']);
  if (task === undefined || !isTurn || !isCount(effect['attempt'])) return null;
  if (!isCount(agent) || agent > MAX_AGENTS || !isCount(round) || typeof id !== 'string') return null;
  // Folders are made of these.
  if (typeof home !== 'string' || !HOME.test(home) || typeof token !== 'string' || !TOKEN.test(token)) return null;
  if (typeof cwd !== 'string' || !cwd.startsWith('/') || typeof prompt !== 'string' || !isTextList(candidates) || !isTextList(topics))
    return null;
  if (!isCount(timeoutMs) || !isCount(idleTimeoutMs) || !isCount(capBytes)) return null;
  return {
    ...{ kind: 'round', effect: effect as unknown as IterationStart, agent, id, round, home, token, cwd, prompt },
    ...{ timeoutMs, idleTimeoutMs, capBytes, task, candidates, topics },
    works: parseWorks(value['works']),
    conversations: parseConversations(value['conversations']),
    resumable: parseResumable(value['resumable']),
  };
}

function parseResumable(value: Json | undefined): ResumableTurn | null {
  if (!isJsonObject(value)) return null;
  const { session, prompt } = value;
  return typeof session === 'string' && isSessionId(session) && typeof prompt === 'string' ? { session, prompt } : null;
}

/** Reads works of others; what is none is left out. */
export function parseWorks(value: Json | undefined): readonly SentWorkOf[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((work) => {
    if (!isJsonObject(work)) return [];
    const { name, view, changes = null } = work;
    return typeof name === 'string' && typeof view === 'string' ? [{ name, view, changes }] : [];
  });
}

function parseConversations(value: Json | undefined): readonly SentConversation[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_CONVERSATIONS).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const content = parseContent(one);
    return isCount(one['round']) && content !== null ? [{ round: one['round'], ...content }] : [];
  });
}

/** Reads what is said to the worker of a round; `null` for anything else. */
export function parseRoundControl(value: Json): RoundControl | null {
  if (!isJsonObject(value)) return null;
  const { type, call, isAccepted, text, words, works = null, graceMs } = value;
  if (type === 'round-finish') return { type };
  if (type === 'round-stop') return { type, graceMs: isCount(graceMs) ? graceMs : 0 };
  if (type === 'round-reply')
    return isCount(call) && typeof text === 'string' ? { type, call, isAccepted: isAccepted === true, text } : null;
  if (type !== 'round-tell' || !isJsonObject(words)) return null;
  const { id, text: said } = words;
  return typeof id === 'string' && typeof said === 'string' ? { type, words: { id, text: said, by: '', isNews: true }, works } : null;
}

/** Reads what a worker reported of a round; `null` for what is none. */
export function parseRoundWords(value: Json): RoundWords | null {
  if (!isJsonObject(value)) return null;
  const { kind, event = null, call, handIn: handed = null, changes = null, said, found, files } = value;
  if (kind === 'round-told') {
    const told = parseTold(event);
    return told === null ? null : { kind, event: told };
  }
  if (kind === 'round-hand-in') {
    const handIn = parseHandIn(handed);
    return handIn === null || !isCount(call) ? null : { kind, call, handIn, changes };
  }
  const result = kind === 'round' ? parseResult(value['result'] ?? null) : null;
  if (kind !== 'round' || result === null || typeof said !== 'string') return null;
  return { kind, result, said, changes, files: parseFiles(files), found: typeof found === 'string' ? toText(found) : null };
}

function parseHandIn(value: Json): SentHandIn | null {
  if (!isJsonObject(value)) return null;
  const { kind, content, topic, target, reason } = value;
  if (kind === 'answer' && typeof content === 'string')
    return { kind, content, ...(typeof topic === 'string' && { topic: startOf(topic, MAX_TOPIC) }) };
  return kind === 'vote' && typeof target === 'string' && typeof reason === 'string' ? { kind, target, reason } : null;
}

const MAX_TEXT = 2000;
/** No topic is longer. */
const MAX_TOPIC = 200;

function toText(text: string): string {
  return maskControls(startOf(text, MAX_TEXT));
}

const LAYERS = ['flags', 'os', 'profile', 'hook', 'permissions'] as const;
const DECISIONS = ['allow', 'deny', 'ask'] as const;

/** What of an agent's stream a worker may report; all else passes by. */
function parseTold(value: Json): BackendEvent | null {
  if (!isJsonObject(value)) return null;
  const { type, message, sessionId, model = null, ids, call, denial, hook } = value;
  if (type === 'started') return { type, pid: null, processStart: null, argv: [] };
  if (type === 'warning') return typeof message === 'string' ? { type, message: toText(message) } : null;
  if (type === 'injected') return isTextList(ids) && isCount(call) ? { type, ids, call } : null;
  if (type === 'session')
    return typeof sessionId === 'string' && (model === null || typeof model === 'string') ? { type, sessionId, model } : null;
  if (type === 'tool-denied' && isJsonObject(denial)) {
    const { tool, use, reason } = denial;
    const layer = LAYERS.find((known) => known === denial['layer']);
    if (layer === undefined || typeof tool !== 'string' || typeof reason !== 'string') return null;
    return { type, denial: { tool: toText(tool), layer, reason: toText(reason), ...(typeof use === 'string' && { use: toText(use) }) } };
  }
  return type === 'hook-ran' && isJsonObject(hook) ? parseHook(hook) : null;
}

function parseHook(hook: Readonly<Record<string, Json>>): BackendEvent | null {
  const { name, reason, preview, tool, error = null, hasChanged, ms } = hook;
  const event = typeof hook['event'] === 'string' ? findHookEvent(hook['event']) : undefined;
  const decision = DECISIONS.find((known) => known === hook['decision']);
  const isNamed = typeof name === 'string' && typeof reason === 'string' && typeof preview === 'string' && typeof tool === 'string';
  if (event === undefined || decision === undefined || !isNamed || typeof ms !== 'number') return null;
  const run = { name, event, decision, reason, ms, preview, error: typeof error === 'string' ? error : null };
  return { type: 'hook-ran', hook: toToldHook({ ...run, ...(hasChanged === true && { hasChanged }) }, tool) };
}

/** What passes by of a round: what it has used so far, and that it lives. `null` for anything else. */
export function parseRoundLive(value: Json): BackendEvent | null {
  const event = isJsonObject(value) ? value['event'] : null;
  if (!isJsonObject(event)) return null;
  if (event['type'] === 'alive') return { type: 'alive' };
  const usage = event['type'] === 'usage' ? parseUsage(event['usage']) : null;
  return usage === null ? null : { type: 'usage', usage };
}

const STATUSES = ['succeeded', 'failed', 'stopped'] as const;
const CLASSES: readonly FailureClass[] = ['transient', 'limit', 'auth', 'request', 'spawn', 'timeout', 'idle-timeout', 'agent'];

function parseResult(value: Json): TurnResult | null {
  if (!isJsonObject(value)) return null;
  const { exitCode, durationMs, toolCalls, producedOutput } = value;
  const status = STATUSES.find((known) => known === value['status']);
  const usage = parseUsage(value['usage']);
  const failure = status === 'failed' ? parseFailure(value['failure'] ?? null) : null;
  if (status === undefined || usage === null || (status === 'failed' && failure === null)) return null;
  return {
    ...{ ...NO_WORK, status, usage, failure, logError: null, producedOutput: producedOutput === true },
    ...(typeof durationMs === 'number' && durationMs >= 0 && { durationMs }),
    ...(isCount(exitCode) && { exitCode }),
    ...(isCount(toolCalls) && { toolCalls }),
  };
}

function parseFailure(value: Json): TurnFailure | null {
  if (!isJsonObject(value) || typeof value['message'] !== 'string') return null;
  const { message, resetAt, isMissing, wasRetried } = value;
  const kind = CLASSES.find((known) => known === value['class']);
  if (kind === undefined) return null;
  return {
    ...{ class: kind, message: toText(message) },
    ...(typeof resetAt === 'number' && { resetAt }),
    ...(isMissing === true && { isMissing }),
    ...(wasRetried === true && { wasRetried }),
  };
}
