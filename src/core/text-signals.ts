import { createFenceTracker } from './code-fence.ts';
import { createEventTagReader } from './event-tags.ts';
import { createSignalCollector, type ScannedSignals } from './signal-collector.ts';
import { isPromiseLine, parseSignalLine } from './signal-lines.ts';

/** Reads an agent's text line by line, with memory bounded by its limits. */
export interface TextSignalScanner {
  /** One line of assistant text, without its line break. */
  readonly line: (text: string) => void;
  /** An assistant message ended: fences and tags do not reach into the next one, and the promise of this one is forgotten. */
  readonly nextMessage: () => void;
  /** The text is over. `promised`: the promise stood on a line of its own in the last message. */
  readonly finish: () => ScannedSignals & { readonly promised: boolean };
}

/**
 * Finds the signals of seeds 004 and 000 in assistant text: `<event topic="…" target="…">…</event>`,
 * `EVENT:topic` and `EVENT:topic:{json}` and `HAT_TRANSITION:hat` on a line of their own, and the completion promise on a line of
 * its own. Nothing inside a code fence counts (decisions, sections 3 and 5). What follows a tag that is never closed is read as if the tag
 * were not there.
 */
export function createTextSignalScanner(promise: string): TextSignalScanner {
  const found = createSignalCollector();
  const fence = createFenceTracker();
  const tags = createEventTagReader(found);
  let promised = false;

  const takeWords = (text: string): void => {
    const signal = parseSignalLine(text, found);
    if (signal !== null) found.add(signal);
    if (isPromiseLine(text, promise)) promised = true;
  };
  const dropTag = (): void => {
    for (const text of tags.drop()) if (!fence.take(text)) takeWords(text);
  };
  const line = (raw: string): void => {
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (tags.isLost(text)) dropTag();
    if (!tags.isOpen() && fence.take(text)) return;
    takeWords(tags.take(text));
  };
  const nextMessage = (): void => {
    dropTag();
    fence.reset();
    promised = false;
  };
  const finish = (): ReturnType<TextSignalScanner['finish']> => {
    dropTag();
    return { signals: found.signals, problems: found.problems, promised };
  };
  return { line, nextMessage, finish };
}
