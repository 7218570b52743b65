import { isDeeperThan, type Json } from '../values/json.ts';
import { tryOr } from '../values/result.ts';

/** The largest payload that is taken from an agent, in characters of its JSON; a longer one is cut to text. */
export const MAX_PAYLOAD_LENGTH = 1_000_000;

/** The deepest nesting of a payload that is taken from an agent; a deeper one becomes text. */
const MAX_PAYLOAD_DEPTH = 100;

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
  return tryOr(() => JSON.stringify(payload) ?? '', '[cut: nested too deeply]');
}
