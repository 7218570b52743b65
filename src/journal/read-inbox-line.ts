import { isUtf8 } from 'node:buffer';
import { type EventSignal, parseInboxLine, toCutProblem } from '../core/index.ts';

const MAX_EXCERPT_LENGTH = 200;

/** What one line of the agents' events file came to. A line may be both: taken, and worth a word about how it was written. */
export interface ReadInboxLine {
  readonly signal: EventSignal | null;
  readonly problem: string | null;
}

/** Reads the bytes of one line, repairing what can be told apart without guessing. Never throws. */
export function readInboxLine(bytes: Buffer, hasSenders = false): ReadInboxLine {
  const isText = isUtf8(bytes);
  const raw = bytes.toString('utf8');
  // A file that was emptied under a writer that keeps its place grows again behind a hole of zeros.
  const text = raw.replace(/^\0+/, '');
  const parsed = parseSafely(text, hasSenders);
  if (parsed.kind === 'skip') return { signal: null, problem: text === raw ? null : 'zero bytes, and nothing else' };
  if (parsed.kind === 'problem') return { signal: null, problem: isText ? parsed.message : `${parsed.message}, and not UTF-8` };
  if (!isText) return { signal: parsed.signal, problem: 'not UTF-8: the event was taken with its broken characters replaced' };
  if (text !== raw) return { signal: parsed.signal, problem: 'zero bytes before the event, which was taken' };
  const { signal, cut } = parsed;
  return { signal, problem: cut === 0 ? null : toCutProblem(signal.topic, cut) };
}

/** JSON that is nested tens of thousands of levels deep exhausts the stack of whoever walks it. */
function parseSafely(text: string, hasSenders: boolean): ReturnType<typeof parseInboxLine> {
  try {
    return parseInboxLine(text, hasSenders);
  } catch {
    return { kind: 'problem', message: 'nested too deeply' };
  }
}

/** The beginning of a line as a person may safely see it: control characters are spelled out. */
export function toExcerpt(bytes: Buffer): string {
  // Four bytes are the most that a character of UTF-8 takes.
  const text = bytes
    .subarray(0, MAX_EXCERPT_LENGTH * 4)
    .toString('utf8')
    .trim();
  const visible = text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return visible.slice(0, MAX_EXCERPT_LENGTH);
}
