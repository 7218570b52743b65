import { countCut, toBoundedPayload, toCutProblem } from '../events/bounded-payload.ts';
import type { MissedSignal, Signal, SignalCollector, SignalProblem, TurnSignals } from '../events/event.ts';
import { createEventTagReader } from './event-tags.ts';
import { createJsonLines, isPromiseLine, parseSignalLine } from './signal-lines.ts';

const MAX_SIGNALS = 1000;
/** Characters of all payloads together. */
const MAX_TOTAL_LENGTH = 10_000_000;
const EXCERPT_LENGTH = 200;

export interface ScannedText extends TurnSignals {
  /** The promise stood on a line of its own in the last message. */
  readonly promised: boolean;
  /** What looks like a signal and is none: events of all messages; where nothing is promised, the promise of the last message. */
  readonly missed: readonly MissedSignal[];
}

/** Reads an agent's text line by line, with memory bounded by its limits. */
export interface TextSignalScanner {
  /** One line of assistant text, without its line break. */
  readonly line: (text: string) => void;
  /** An assistant message ended: fences and tags do not reach into the next one, and the promise of this one is forgotten. */
  readonly nextMessage: () => void;
  /** The text is over. */
  readonly finish: () => ScannedText;
}

/**
 * Finds the signals in assistant text: `<event topic="…" target="…">…</event>`,
 * `EVENT:topic` and `EVENT:topic:{json}` and `HAT_TRANSITION:hat` on a line of their own, and the completion promise on a line of
 * its own. Nothing inside a code fence counts, no tag in inline code, and no promise in a quotation. What
 * follows a tag that is never closed is read as if the tag were not there.
 */
export function createTextSignalScanner(promise: string): TextSignalScanner {
  const found = createSignalCollector();
  const tags = createEventTagReader(found);
  const missed = createMissedSignals(promise);
  let promised = false;

  const takeWords = (text: string): void => {
    if (json.take(text)) return;
    const signal = parseSignalLine(text, found);
    if (signal?.kind === 'open-json') json.open(signal);
    else if (signal !== null) found.add(signal);
    else if (isPromiseLine(text, promise)) promised = true;
    else missed.take(text);
  };
  const json = createJsonLines(found, takeWords);
  const takeLines = (lines: ReturnType<typeof tags.take>): void => {
    for (const { text, isFenced } of lines) {
      if (!isFenced) takeWords(text);
      else {
        json.drop();
        missed.take(text);
      }
    }
  };
  const line = (raw: string): void => {
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (!json.take(text)) takeLines(tags.take(text));
  };
  const endMessage = (): void => {
    takeLines(tags.drop());
    json.drop();
  };
  const nextMessage = (): void => {
    endMessage();
    missed.nextMessage();
    promised = false;
  };
  const finish = (): ScannedText => {
    endMessage();
    return { signals: found.signals, problems: found.problems, promised, missed: missed.list(promised) };
  };
  return { line, nextMessage, finish };
}

/** Keeps what looks like a signal and is none. */
interface MissedSignals {
  /** A line that says nothing to the loop. */
  readonly take: (line: string) => void;
  /** Another message begins: what this one said of the promise is over. */
  readonly nextMessage: () => void;
  readonly list: (isPromised: boolean) => readonly MissedSignal[];
}

const MAX_EVENTS = 5;
const MAX_LINE_SHOWN = 200;
/** A longer line is no line that a person would take for a signal. */
const MAX_LINE_READ = 4000;
const TAG = /<event\s[^<>]*?\btopic\s*=\s*["']([A-Za-z0-9_.-]+)["']/;
const LINE = /^[\s>*_`#-]*EVENT:\s*([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)/;
const COMMAND = /^[\s>*_`$#-]*ralph emit\s+["']?([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)/;
const WORD = /[A-Za-z0-9_]/;

/** A keeper of the first five events and of the last line with the promise. */
function createMissedSignals(promise: string): MissedSignals {
  const events: MissedSignal[] = [];
  let promiseLine: string | null = null;
  const take = (text: string): void => {
    if (text.length > MAX_LINE_READ) return;
    const line = text.trim();
    const topic = TAG.exec(line)?.[1] ?? LINE.exec(line)?.[1] ?? COMMAND.exec(line)?.[1];
    if (topic !== undefined && events.length < MAX_EVENTS) events.push({ topic, line: line.slice(0, MAX_LINE_SHOWN) });
    if (hasWord(line, promise)) promiseLine = toShown(line, promise);
  };
  return {
    take,
    nextMessage: () => {
      promiseLine = null;
    },
    list: (isPromised) => (promiseLine === null || isPromised ? events : [...events, { topic: null, line: promiseLine }]),
  };
}

/** True if the text has the promise, and not as a part of a longer word. */
function hasWord(text: string, promise: string): boolean {
  const at = promise === '' ? -1 : text.indexOf(promise);
  return at >= 0 && !isJoined(promise[0], text[at - 1]) && !isJoined(promise.at(-1), text[at + promise.length]);
}

function isJoined(inside = '', outside = ''): boolean {
  return WORD.test(inside) && WORD.test(outside);
}

/** The part of a long line around the promise. */
function toShown(line: string, promise: string): string {
  if (line.length <= MAX_LINE_SHOWN) return line;
  const start = Math.max(0, Math.min(line.indexOf(promise) - MAX_LINE_SHOWN / 2, line.length - MAX_LINE_SHOWN));
  return line.slice(start, start + MAX_LINE_SHOWN);
}

/** A collector that takes a thousand signals with ten million characters and a thousand problems; the rest is reported or dropped. */
export function createSignalCollector(): SignalCollector {
  const signals: Signal[] = [];
  const problems: SignalProblem[] = [];
  let length = 0;

  const report = (message: string, excerpt: string): void => {
    if (problems.length < MAX_SIGNALS) problems.push({ where: 'output', message, excerpt: excerpt.slice(0, EXCERPT_LENGTH) });
  };
  const add = (given: Signal): void => {
    const signal = given.kind === 'event' ? { ...given, payload: toBoundedPayload(given.payload) } : given;
    length += toLength(signal);
    if (signals.length < MAX_SIGNALS && length <= MAX_TOTAL_LENGTH) {
      signals.push(signal);
      const cut = given.kind === 'event' ? countCut(given.payload) : 0;
      if (given.kind === 'event' && cut > 0) report(toCutProblem(given.topic, cut), '');
    } else report('too many signals in one turn; this one is left out', signal.kind === 'event' ? signal.topic : signal.kind);
  };
  return { signals, problems, add, report };
}

function toLength(signal: Signal): number {
  if (signal.kind !== 'event') return 0;
  return typeof signal.payload === 'string' ? signal.payload.length : JSON.stringify(signal.payload).length;
}
