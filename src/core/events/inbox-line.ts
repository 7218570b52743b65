import { isJsonObject, type JsonObject, parseJson } from '../values/json.ts';
import { countCut, toBoundedPayload } from './bounded-payload.ts';
import { type EventSignal, parseSender } from './event.ts';
import { isTopic } from './topics.ts';

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
