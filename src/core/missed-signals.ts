import type { MissedSignal } from './event.ts';

/** Keeps what looks like a signal and is none. */
export interface MissedSignals {
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
export function createMissedSignals(promise: string): MissedSignals {
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
