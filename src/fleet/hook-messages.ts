import { findHookEvent, isLoopEvent } from '../core/hooks/hook-moments.ts';
import type { HookEvent, HookOutcome, HookSpec } from '../core/hooks/hook-spec.ts';
import { parseSentHandler, type SentHandler } from '../core/hooks/sent-handler.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';

/** A hook that a worker is to ask. */
export interface HookTask extends Pick<HookSpec, 'name' | 'event' | 'timeoutMs'> {
  readonly kind: 'hook';
  /** A name of this offer, which the report bears too. */
  readonly offer: string;
  /** What the worker's folder is called in what the hook says. */
  readonly cwd: string;
  readonly handler: SentHandler;
  /** What the hook is told, but for the folder. */
  readonly told: HookEvent;
}

/** What a worker reports of a hook: see `ProgramWords`. */
export interface HookWords {
  readonly kind: 'hook';
  readonly offer: string;
  /** `null`: it could not be asked. */
  readonly outcome: HookOutcome | null;
  readonly trouble: string;
}

/** A hook that a worker asked; `ran` is `null` where it could not, see `trouble`. */
interface ReadHook {
  readonly ran: { readonly outcome: HookOutcome } | null;
  readonly trouble: string;
}

/** What becomes a variable of the environment of a hook. */
const NAMING = ['hook_type', 'hook_event_name', 'session_id', 'orchestrator_id', 'tool_name', 'timestamp', 'hat'];
/** What a timer can hold is not much more. */
const MAX_TIMEOUT_MS = 86_400_000;

/** Reads the order of a hook; `null` for what is none. */
export function parseHookTask(task: Json): HookTask | null {
  if (!isJsonObject(task) || task['kind'] !== 'hook' || !isJsonObject(task['told'])) return null;
  const { kind, offer, cwd, name, timeoutMs, told } = task;
  const handler = parseSentHandler(task['handler']);
  const event = typeof task['event'] === 'string' ? findHookEvent(task['event']) : undefined;
  if (handler === null || event === undefined || !isLoopEvent(event) || told['hook_type'] !== event) return null;
  if (typeof offer !== 'string' || typeof cwd !== 'string' || typeof name !== 'string' || typeof timeoutMs !== 'number') return null;
  const isTold =
    NAMING.every((key) => typeof told[key] === 'string') && (told['agent_id'] === null || typeof told['agent_id'] === 'string');
  if (!isTold || !(timeoutMs > 0) || timeoutMs > MAX_TIMEOUT_MS) return null;
  return { kind, offer, cwd, name, event, timeoutMs, handler, told: told as unknown as HookEvent };
}

const MAX_TEXT = 2000;
/** A longer answer is no answer, as of a hook that runs here. */
const MAX_ANSWER_CHARS = 16 << 20;

/** Reads what a worker reported of a hook; `null` for what is none, and for the report of another offer. */
export function parseHookWords(value: Json, offer: string): ReadHook | null {
  if (!isJsonObject(value) || value['kind'] !== 'hook' || value['offer'] !== offer) return null;
  const { outcome: told = null, trouble } = value;
  const outcome = parseOutcome(told);
  if (outcome !== null) return { ran: { outcome }, trouble: '' };
  return { ran: null, trouble: told === null ? toText(trouble) : 'what it reported cannot be read' };
}

function parseOutcome(value: Json): HookOutcome | null {
  if (!isJsonObject(value)) return null;
  const { kind, answer = null, reason, problem, isFileChanged } = value;
  if (JSON.stringify(answer).length > MAX_ANSWER_CHARS) return { kind: 'failed', problem: 'its answer is too long', answer: null };
  if (kind === 'answered' || kind === 'timed-out') return { kind, answer };
  if (kind === 'denied') return typeof reason === 'string' ? { kind, reason: toText(reason), answer } : null;
  if (typeof problem !== 'string') return null;
  if (kind === 'failed') return { kind, problem: toText(problem), answer };
  return kind === 'not-started' ? { kind, problem: toText(problem), ...(isFileChanged === true && { isFileChanged }) } : null;
}

function toText(value: Json | undefined): string {
  return typeof value === 'string' ? maskControls(value.slice(0, MAX_TEXT)) : '';
}
