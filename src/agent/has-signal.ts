import { createTextSignalScanner } from '../core/index.ts';
import type { AssistantMessage } from '../ports/index.ts';

/** Whether a message publishes by its words (or hands on), as the loop will read them. The promise is none: only that of the last message counts. */
export function hasSignal({ parts }: AssistantMessage): boolean {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (!/EVENT:|HAT_TRANSITION:|<event\s/.test(text)) return false;
  const scanner = createTextSignalScanner('');
  for (const line of text.split('\n')) scanner.line(line);
  return scanner.finish().signals.length > 0;
}
