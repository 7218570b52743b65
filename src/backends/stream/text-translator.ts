import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { toExitFailure } from './classify-failure.ts';
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
    const text = toSeenLine(line);
    const before = told;
    told = '';
    if (before === '') return toEvents(toText(echo.line(text)));
    // Where the line was overwritten after its beginning was told, that stands on a line of its own.
    return toEvents(text.startsWith(before) ? `${text.slice(before.length)}\n` : `\n${text}\n`);
  };
  const readPart = (beginning: string): BackendEvent[] => {
    const text = toSeenLine(beginning.replace(OPEN_ESCAPE, ''));
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

/** Removes one text, where it is repeated as a block of lines, from the lines that go through. */
interface EchoFilter {
  /** The lines that are known not to be an echo, in order: what was held back first. */
  line(text: string): readonly string[];
  /** Whether a line that begins so, and is not whole yet, may turn out to be an echo. */
  mayHold(beginning: string): boolean;
  /** What is still held back: the beginning of an echo that did not go on. */
  end(): readonly string[];
}

/** What a CLI may put before a line that it repeats: quote marks, bullets, bars, a speaker's name. */
const MARK = /^\s*(?:(?:[>|│┃▏▌»›❯#*$-]+|(?:user|human|you|prompt|input|task|me)\s*[:>])\s*)*$/i;
const MAX_MARK_LENGTH = 24;
/** Comparisons spent on lines that are looked at again. Only a text made to waste our time needs more; then less is filtered. */
const REPLAY_BUDGET = 500_000;

/**
 * Makes a filter for an echo of `prompt`. The whole prompt must be repeated, line by line; each line may carry the same mark (`> `),
 * or the first one alone may (`user: `). White space at line ends and empty lines around the prompt do not matter.
 * Holds at most as much as the prompt is long.
 */
export function createEchoFilter(prompt: string): EchoFilter {
  const wanted = toLines(prompt);
  const first = wanted[0];
  if (first === undefined) return { line: (text) => [text], mayHold: () => false, end: () => [] };
  let held: string[] = [];
  let marks: readonly string[] = [];
  let replayBudget = REPLAY_BUDGET;

  /** Whether the line goes on with the block that `held` begins. */
  function fits(text: string): boolean {
    const line = text.trimEnd();
    if (held.length === 0) {
      const mark = line.endsWith(first as string) ? line.slice(0, line.length - (first as string).length) : undefined;
      if (mark === undefined || mark.length > MAX_MARK_LENGTH || !MARK.test(mark)) return false;
      marks = mark.trim() === '' ? [mark] : [mark, '', ' '.repeat(mark.length)];
      return true;
    }
    const expected = wanted[held.length] ?? '';
    marks = marks.filter((mark) => line === `${mark}${expected}`.trimEnd());
    return marks.length > 0;
  }

  function take(text: string): string[] {
    const out: string[] = [];
    // A line that breaks a block may begin one, and so may each line that was held for it. The next one to look at is the last.
    const waiting = [text];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (fits(next)) {
        held.push(next);
        if (held.length === wanted.length) held = [];
        continue;
      }
      const [released, ...again] = held;
      held = [];
      if (released === undefined) {
        out.push(next);
        continue;
      }
      out.push(released);
      // One by one: a call takes only so many arguments.
      if (replayBudget < again.length) for (const line of [...again, next]) out.push(line);
      else for (const line of [next, ...again.reverse()]) waiting.push(line);
      replayBudget -= again.length;
    }
    return out;
  }

  return {
    line: take,
    mayHold: (beginning) => held.length > 0 || mayBegin(first, beginning),
    end() {
      const rest = held;
      held = [];
      return rest;
    },
  };
}

/** Whether a line that begins so may become that line with a mark in front. */
function mayBegin(line: string, beginning: string): boolean {
  const longest = Math.min(MAX_MARK_LENGTH, beginning.length);
  for (let length = 0; length <= longest; length += 1) {
    if (line.startsWith(beginning.slice(length)) && MARK.test(beginning.slice(0, length))) return true;
  }
  return false;
}

function toLines(prompt: string): string[] {
  const lines = prompt.split(/\r\n|\n|\r/).map((line) => line.trimEnd());
  while (lines[0] === '') lines.shift();
  while (lines[lines.length - 1] === '') lines.pop();
  return lines;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
/** Operating system commands (titles, links), then control sequences (colours, cursor), then the short escapes. */
const ESCAPES =
  /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[PX^_][^\u001b]*(?:\u001b\\)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** What makes a line more than words: the above, and the return to its beginning. */
const SPECIAL = /[\u0000-\u0008\u000b-\u001f\u007f\u009b]/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: see above

/** A line of terminal output as a person would read it: no escape codes, and of a line that was overwritten only what stood last. */
export function toSeenLine(text: string): string {
  if (!SPECIAL.test(text)) return text.trim() === '' ? '' : text;
  const bare = text.includes('\u001b') || text.includes('\u009b') ? text.replace(ESCAPES, '') : text;
  const parts = bare.split('\r').filter((part) => part.trim() !== '');
  return (parts[parts.length - 1] ?? '').replace(CONTROLS, '');
}
