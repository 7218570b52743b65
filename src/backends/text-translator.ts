import { type BackendEvent, UNKNOWN_USAGE } from '../core/index.ts';
import { createEchoFilter } from './echo-filter.ts';
import { toExitFailure } from './exit-failure.ts';
import { toPlainLine } from './plain-line.ts';
import type { Translator } from './translator.ts';

const MAX_KEPT_LENGTH = 4000;

/** A translator for an agent that speaks plain text: every line is assistant text, less the echo of the prompt and escape codes. */
export function createTextTranslator(prompt: string): Translator {
  const echo = createEchoFilter(prompt);
  let hasText = false;
  let lastWords = '';

  const toEvents = (lines: readonly string[]): BackendEvent[] => {
    if (lines.length === 0) return [];
    const text = `${lines.join('\n')}\n`;
    hasText ||= text.trim() !== '';
    lastWords += text.slice(-MAX_KEPT_LENGTH);
    // Cut now and then: cutting at every line would copy what is kept for each of them.
    if (lastWords.length > MAX_KEPT_LENGTH * 16) lastWords = lastWords.slice(-MAX_KEPT_LENGTH);
    return [{ type: 'text', text }];
  };

  return {
    line: (text) => toEvents(echo.line(toPlainLine(text))),
    isFinished: () => false,
    end(exit) {
      const events = toEvents(echo.end());
      if (hasText) events.push({ type: 'message-end' });
      const failure = exit.exitCode === 0 ? null : toExitFailure(exit, lastWords.slice(-MAX_KEPT_LENGTH), false);
      return { events, verdict: 'none', failure, trouble: null, usage: UNKNOWN_USAGE, sessionId: null, toolCalls: null };
    },
  };
}
