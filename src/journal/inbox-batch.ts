import { isUtf8 } from 'node:buffer';
import { toCutProblem } from '../core/events/bounded-payload.ts';
import type { EventSignal, SignalProblem } from '../core/events/event.ts';
import { parseInboxLine } from '../core/events/inbox-line.ts';
import { tryOr } from '../core/values/result.ts';
import { type FileSystem, readRange } from './file-system.ts';

/** A longer line is told and skipped. */
export const MAX_INBOX_LINE_BYTES = 4 << 20;
/** What one read takes at most, so that a batch fits into one entry of the journal. */
const MAX_BATCH_BYTES = 16 << 20;
const MAX_BATCH_EVENTS = 10_000;
/** More problems than these are only counted. */
const MAX_PROBLEMS = 100;

/** How much of a line that was not read is read for its excerpt. */
const EXCERPT_BYTES = 1024;
const MAX_EXCERPT_LENGTH = 200;
const COUNT_CHUNK_BYTES = 1 << 20;
const LINE_FEED = 10;

export interface InboxBatchSettings {
  readonly fs: FileSystem;
  readonly handle: number;
  /** For people: `.agent/events.jsonl`. */
  readonly label: string;
  /** The byte at which the batch begins. */
  readonly from: number;
  readonly hasSenders: boolean;
}

export interface InboxCollector {
  /** False, and nothing is taken, when the batch is full. `bytes` is `null` for a line that is too long. */
  readonly take: (bytes: Buffer | null, offset: number, lengthBytes: number) => boolean;
  readonly signals: readonly EventSignal[];
  /** A line was not taken any more. */
  readonly isFull: () => boolean;
  /** To be called once, at the end. */
  readonly listProblems: () => readonly SignalProblem[];
}

export function createInboxCollector({ fs, handle, label, from, hasSenders }: InboxBatchSettings): InboxCollector {
  const signals: EventSignal[] = [];
  const problems: SignalProblem[] = [];
  let lines = 0;
  let untold = 0;
  let wasFull = false;
  /** Lines before `from`: counted only when a line has to be named. */
  let linesBefore: number | null = null;

  const tell = (message: string, offset: number, bytes: Buffer | null): void => {
    if (problems.length === MAX_PROBLEMS) {
      untold += 1;
      return;
    }
    linesBefore ??= countLineFeeds(fs, handle, from);
    const excerpt = toExcerpt(bytes ?? readRange(fs, handle, offset, EXCERPT_BYTES));
    problems.push({ where: `${label}:${linesBefore + lines}`, message, excerpt });
  };

  const take = (bytes: Buffer | null, offset: number, lengthBytes: number): boolean => {
    const isFull = signals.length >= MAX_BATCH_EVENTS || (lines > 0 && offset + lengthBytes - from > MAX_BATCH_BYTES);
    if (isFull) {
      wasFull = true;
      return false;
    }
    lines += 1;
    if (bytes === null) {
      tell(`the line has ${lengthBytes} bytes, over the limit of ${MAX_INBOX_LINE_BYTES}; it was skipped`, offset, null);
      return true;
    }
    const { signal, problem } = readInboxLine(bytes, hasSenders);
    if (signal !== null) signals.push(signal);
    if (problem !== null) tell(problem, offset, bytes);
    return true;
  };

  const listProblems = (): readonly SignalProblem[] => {
    if (untold > 0) problems.push({ where: label, message: `${untold} more lines have problems`, excerpt: '' });
    return problems;
  };

  return { take, signals, listProblems, isFull: () => wasFull };
}

/** Line feeds from byte `from` on and before byte `to`. */
export function countLineFeeds(fs: FileSystem, handle: number, to: number, from = 0): number {
  const chunk = Buffer.allocUnsafe(COUNT_CHUNK_BYTES);
  let count = 0;
  for (let position = from; position < to; ) {
    const view = chunk.subarray(0, fs.read(handle, chunk.subarray(0, Math.min(chunk.length, to - position)), position));
    if (view.length === 0) break;
    for (let at = view.indexOf(LINE_FEED); at !== -1; at = view.indexOf(LINE_FEED, at + 1)) count += 1;
    position += view.length;
  }
  return count;
}

/** What came of one line of the agents' events file: an event, a problem with how it was written, or both. */
interface ReadInboxLine {
  readonly signal: EventSignal | null;
  readonly problem: string | null;
}

/** Reads the bytes of one line and repairs what needs no guess. Never throws. */
function readInboxLine(bytes: Buffer, hasSenders = false): ReadInboxLine {
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

/** JSON that is nested tens of thousands of levels deep exhausts the stack of the parser. */
function parseSafely(text: string, hasSenders: boolean): ReturnType<typeof parseInboxLine> {
  return tryOr(() => parseInboxLine(text, hasSenders), { kind: 'problem', message: 'nested too deeply' });
}

/** The beginning of a line as a person may safely see it: control characters are spelled out. */
function toExcerpt(bytes: Buffer): string {
  // Four bytes are the most that a character of UTF-8 takes.
  const text = bytes
    .subarray(0, MAX_EXCERPT_LENGTH * 4)
    .toString('utf8')
    .trim();
  const visible = text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return visible.slice(0, MAX_EXCERPT_LENGTH);
}
