import { isDeeperThan, isJsonObject, type Json, type JsonObject, parseJson } from '../values/json.ts';
import type { EventSignal } from './event.ts';
import { parseSender } from './event.ts';
import { isTopic } from './topics.ts';

/** The largest payload that is taken from an agent, in characters of its JSON; a longer one is cut to text. */
export const MAX_PAYLOAD_LENGTH = 1_000_000;

/** The deepest nesting of a payload that is taken from an agent; a deeper one becomes text. */
const MAX_PAYLOAD_DEPTH = 100;

/** What one line of the agents' events file says: an event, nothing (blank, or our own record), or a problem. */
export type InboxLine =
  /** `cut`: how many characters of the payload were cut off. */
  | { readonly kind: 'signal'; readonly signal: EventSignal; readonly cut: number }
  | { readonly kind: 'skip' }
  | { readonly kind: 'problem'; readonly message: string };

/**
 * Reads one line of `.agent/events.jsonl`: `{topic, payload?, target?, ts? | timestamp?}`.
 * A `source` in the line is ignored: the source is the hat that was active. A line with `"by": "ralph"` is a record
 * that the loop itself wrote for the agents to read. Never throws.
 *
 * @param hasSenders whether the line is of a file in which no agent writes, so that its `sender` is believed
 */
export function parseInboxLine(line: string, hasSenders = false): InboxLine {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (text === '') return { kind: 'skip' };
  const value = parseJson(text);
  if (value === undefined) return { kind: 'problem', message: 'not valid JSON' };
  if (!isJsonObject(value)) return { kind: 'problem', message: 'not a JSON object' };
  if (value['by'] === 'ralph') return { kind: 'skip' };
  const refused = value['refused'];
  if (isJsonObject(refused)) return toRefused(refused);
  const read = toSignal(value);
  const sender = hasSenders ? parseSender(value['sender']) : null;
  return read.kind !== 'signal' || sender === null ? read : { ...read, signal: { ...read.signal, sender } };
}

function toSignal(value: JsonObject): InboxLine {
  const topic = value['topic'];
  if (typeof topic !== 'string') return { kind: 'problem', message: 'has no "topic" text' };
  if (!isTopic(topic)) return { kind: 'problem', message: `${JSON.stringify(topic.slice(0, 80))} is not a topic` };
  const target = value['target'];
  if (target !== undefined && target !== null && typeof target !== 'string') return { kind: 'problem', message: '"target" is not a text' };
  const payload = value['payload'] === undefined ? '' : value['payload'];
  const signal: EventSignal = { kind: 'event', channel: 'jsonl', topic, payload: toBoundedPayload(payload) };
  const named = typeof target === 'string' && target !== '' ? { ...signal, target } : signal;
  return { kind: 'signal', signal: named, cut: countCut(payload) };
}

const MAX_DETAIL_LENGTH = 300;

/** A note of the command about what it refused: data like any other, which can tell of nothing but a try of its own author. */
function toRefused({ topic, why, detail = '' }: JsonObject): InboxLine {
  if (typeof topic !== 'string' || !isTopic(topic)) return { kind: 'problem', message: 'a note about a refusal without a topic' };
  const refused = {
    why: why === 'payload' ? ('payload' as const) : ('scope' as const),
    detail: String(detail).slice(0, MAX_DETAIL_LENGTH),
  };
  return { kind: 'signal', signal: { kind: 'event', channel: 'jsonl', topic, payload: '', refused }, cut: 0 };
}

/** What whoever published it and people are told of a payload that was cut. */
export function toCutProblem(topic: string, cut: number): string {
  return `the payload of ${topic} is too long: its last ${cut} characters were cut off. Put what is long into a file and name the file`;
}

/** How many characters of a payload are more than an event may carry. Never throws. */
export function countCut(payload: Json): number {
  const text = typeof payload === 'string' ? payload : toJsonText(payload);
  return Math.max(0, text.length - MAX_PAYLOAD_LENGTH);
}

/**
 * A payload within {@link MAX_PAYLOAD_LENGTH} and {@link MAX_PAYLOAD_DEPTH}: as it is, or turned into text; a text that is too long is cut and
 * says so. Deeper nesting than the engine's stack bears (thousands of levels) cannot even be written as text.
 */
export function toBoundedPayload(payload: Json): Json {
  const isDeep = isDeeperThan(payload, MAX_PAYLOAD_DEPTH);
  const text = typeof payload === 'string' ? payload : toJsonText(payload);
  if (text.length <= MAX_PAYLOAD_LENGTH) return isDeep ? text : payload;
  return `${text.slice(0, MAX_PAYLOAD_LENGTH)}\n[cut: ${text.length - MAX_PAYLOAD_LENGTH} more characters]`;
}

function toJsonText(payload: Json): string {
  try {
    return JSON.stringify(payload) ?? '';
  } catch {
    return '[cut: nested too deeply]';
  }
}
