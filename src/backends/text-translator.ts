import { type BackendEvent, UNKNOWN_USAGE } from '../core/index.ts';
import { createEchoFilter } from './echo-filter.ts';
import { toExitFailure } from './exit-failure.ts';
import { toPlainLine } from './plain-line.ts';
import type { Translator } from './translator.ts';

const MAX_KEPT_LENGTH = 4000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes begin so
const OPEN_ESCAPE = /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007]*)?|\u009b[0-?]*)$/;

/**
 * A translator for an agent that speaks plain text: every line is assistant text, less the echo of the prompt and escape codes. A line that stands still is
 * told as far as it has come, unless it is overwritten again and again, as a progress bar is.
 */
export function createTextTranslator(prompt: string): Translator {
  const echo = createEchoFilter(prompt);
  let hasText = false;
  let lastWords = '';

  /** What has been told of a line that is not whole. */
  let told = '';

  const toEvents = (text: string): BackendEvent[] => {
    if (text === '') return [];
    hasText ||= text.trim() !== '';
    lastWords += text.slice(-MAX_KEPT_LENGTH);
    // Cut now and then: cutting at every line would copy what is kept for each of them.
    if (lastWords.length > MAX_KEPT_LENGTH * 16) lastWords = lastWords.slice(-MAX_KEPT_LENGTH);
    return [{ type: 'text', text }];
  };

  const readLine = (line: string): BackendEvent[] => {
    const text = toPlainLine(line);
    const before = told;
    told = '';
    if (before === '') return toEvents(toText(echo.line(text)));
    // Where the line was overwritten after its beginning was told, that stands on a line of its own.
    return toEvents(text.startsWith(before) ? `${text.slice(before.length)}\n` : `\n${text}\n`);
  };
  const readPart = (beginning: string): BackendEvent[] => {
    const text = toPlainLine(beginning.replace(OPEN_ESCAPE, ''));
    if (beginning.includes('\r') || (told === '' && echo.mayHold(text))) return [];
    if (!text.startsWith(told)) return [];
    const fresh = text.slice(told.length);
    told = text;
    return toEvents(fresh);
  };

  return {
    hasFinalEvent: false,
    line: readLine,
    part: readPart,
    isFinished: () => false,
    end(exit) {
      const events = toEvents(toText(echo.end()));
      if (hasText) events.push({ type: 'message-end' });
      const failure = exit.exitCode === 0 ? null : toExitFailure(exit, lastWords.slice(-MAX_KEPT_LENGTH), false);
      return { events, verdict: 'none', failure, trouble: null, usage: UNKNOWN_USAGE, sessionId: null, toolCalls: null };
    },
  };
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
