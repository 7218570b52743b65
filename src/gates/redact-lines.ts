import { quietly } from '../core/values/result.ts';

/** So much is looked at together, in characters. */
const BATCH_CHARS = 64 << 10;

export interface LineRedaction {
  readonly take: (line: string) => void;
  /** Hands on what waits. */
  readonly flush: () => void;
}

/**
 * Hands on lines as `redact` leaves each of them. Those that come in one moment are looked at together: of many short lines each look would cost more than its line.
 *
 * @param redact leaves a text as it is where it finds nothing; what it finds in a line it finds in a text that holds the line
 */
export function redactLines(redact: (text: string) => string, onLine: (line: string) => void): LineRedaction {
  let waiting: string[] = [];
  let chars = 0;
  const flush = (): void => {
    const lines = waiting;
    waiting = [];
    chars = 0;
    for (const line of redactEach(redact, lines)) {
      // Who watches, and fails, costs no verdict.
      quietly(() => onLine(line));
    }
  };
  return {
    take: (line) => {
      // Behind the piece of output that it came with.
      if (waiting.length === 0) queueMicrotask(flush);
      waiting.push(line);
      chars += line.length + 1;
      if (chars >= BATCH_CHARS) flush();
    },
    flush,
  };
}

/** The half in which nothing is found is as it was; what lies over several lines is in none of them. */
function redactEach(redact: (text: string) => string, lines: readonly string[]): readonly string[] {
  if (lines.length <= 1) return lines.map(redact);
  const text = lines.join('\n');
  if (redact(text) === text) return lines;
  const half = lines.length >> 1;
  return [...redactEach(redact, lines.slice(0, half)), ...redactEach(redact, lines.slice(half))];
}
