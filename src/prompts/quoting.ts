import { createTextSignalScanner } from '../core/index.ts';
import { joinWords, ours, say, theirs, type Words } from './words.ts';

/** Cannot stand in cleaned text, so it can serve as a promise that nobody wrote. */
const PROBE = '\u0001';

const SHOWN_IN_LIST = 40;

/**
 * Text from outside, fit for a prompt: `\n` line breaks, no other control characters but tabs (a NUL could not even be
 * passed as an argument), no broken surrogates.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD');
}

/** Text of somebody else inside a sentence: on one line, and no event tag even if the prompt is echoed. */
export function inLine(text: string): Words {
  return theirs(toOneLine(text));
}

/** The same as inline code. */
export function inCode(text: string): Words {
  return say`\`${theirs(toOneLine(text).replaceAll('`', "'"))}\``;
}

/** A path or another setting as inline code. It counts as Ralph's own words. */
export function setting(text: string): Words {
  return ours(`\`${toOneLine(text).replaceAll('`', "'")}\``);
}

/** Several texts as inline code: `a`, `b`, `c`; of very many the first ones and a number. */
export function listInCode(texts: readonly string[]): Words {
  const different = [...new Set(texts)];
  const shown = joinWords(different.slice(0, SHOWN_IN_LIST).map(inCode), ', ');
  const more = different.length - SHOWN_IN_LIST;
  return more > 0 ? say`${shown} and ${ours(String(more))} more` : shown;
}

function toOneLine(text: string): string {
  return cleanText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/<(?=event[\s/>])/g, '&lt;');
}

/** Text of somebody else between fences that it cannot close: data, neither instructions nor signals. */
export function fenced(text: string): Words {
  const clean = cleanText(text);
  const ticks = Math.max(3, longestRun(clean, /`+/g) + 1);
  const tildes = Math.max(3, longestRun(clean, /~+/g) + 1);
  const fence = ticks <= tildes ? '`'.repeat(ticks) : '~'.repeat(tildes);
  return say`${ours(fence)}\n${theirs(clean.replace(/^\n+|\n+$/g, ''))}\n${ours(fence)}`;
}

function longestRun(text: string, runs: RegExp): number {
  return (text.match(runs) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/**
 * A block of somebody else's words that an agent is to follow: as it is, but fenced where an echo of it would say something to the loop
 * (the promise on a line, an event) or where it leaves a fence open.
 */
export function block(text: string, promise: string): Words {
  const clean = cleanText(text).trim();
  return isInert(clean, promise) ? theirs(clean) : fenced(clean);
}

/** True if an agent that writes the text word for word tells the loop nothing, and what comes after it is read as usual. */
export function isInert(text: string, promise: string): boolean {
  const found = scan(text, promise);
  if (found.promised || found.signals.length > 0 || found.problems.length > 0) return false;
  return scan(`${text}\n${PROBE}`, PROBE).promised;
}

function scan(text: string, promise: string): ReturnType<ReturnType<typeof createTextSignalScanner>['finish']> {
  const scanner = createTextSignalScanner(promise);
  for (const line of text.split('\n')) scanner.line(line);
  return scanner.finish();
}
