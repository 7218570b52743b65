import type { MissedSignal } from './event.ts';
import { createEventTagReader } from './event-tags.ts';
import { createJsonLines } from './json-lines.ts';
import { createMissedSignals } from './missed-signals.ts';
import { createSignalCollector, type ScannedSignals } from './signal-collector.ts';
import { isPromiseLine, parseSignalLine } from './signal-lines.ts';

/** What a text amounts to. */
export interface ScannedText extends ScannedSignals {
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
 * Finds the signals of seeds 004 and 000 in assistant text: `<event topic="…" target="…">…</event>`,
 * `EVENT:topic` and `EVENT:topic:{json}` and `HAT_TRANSITION:hat` on a line of their own, and the completion promise on a line of
 * its own. Nothing inside a code fence counts, no tag in inline code, and no promise in a quotation (decisions, sections 3, 5 and 8). What
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
