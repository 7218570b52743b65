import { isPromiseLine } from '../core/signals/signal-lines.ts';
import { createTextSignalScanner } from '../core/signals/text-signals.ts';

/** A stretch of a prompt: Ralph's own words, or somebody else's (names, topics, instructions, payloads). */
interface PromptPiece {
  readonly own: boolean;
  readonly text: string;
}

/** Text that remembers who wrote which part of it, so that the budget of Ralph's own words can be measured. */
export type PromptWords = readonly PromptPiece[];

/** Ralph's own words. */
export function ours(text: string): PromptWords {
  return text === '' ? [] : [{ own: true, text }];
}

/** Somebody else's words, taken as they are: clean and quote them first. */
export function theirs(text: string): PromptWords {
  return text === '' ? [] : [{ own: false, text }];
}

/** A template whose literal parts are Ralph's own words. Only {@link PromptWords} can be put in, so that nothing gets in unquoted. */
export function say(literals: TemplateStringsArray, ...values: readonly PromptWords[]): PromptWords {
  return literals.flatMap((literal, index) => [...ours(literal), ...(values[index] ?? [])]);
}

/** The parts in order, with a separator between them; empty parts are left out. */
export function joinWords(parts: readonly PromptWords[], separator: string): PromptWords {
  const present = parts.filter((part) => part.length > 0);
  return present.flatMap((part, index) => (index === 0 ? part : [...ours(separator), ...part]));
}

export function toText(words: PromptWords): string {
  return words.map((piece) => piece.text).join('');
}

/** The same text in as few pieces as possible. */
export function mergePieces(words: PromptWords): PromptWords {
  const merged: PromptPiece[] = [];
  for (const piece of words) {
    const last = merged[merged.length - 1];
    if (last?.own === piece.own) merged[merged.length - 1] = { own: piece.own, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged;
}

/** Cannot stand in cleaned text, so it can serve as a promise that nobody wrote. */
const PROBE = '\u0001';

const SHOWN_IN_LIST = 40;
const SHOWN_RECEIVERS = 5;

/**
 * Text from outside, fit for a prompt: `\n` line breaks, no control characters except tabs (a NUL could not even be
 * passed as an argument), no broken surrogates.
 */
export function cleanForPrompt(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\uFFFD');
}

/** Text of somebody else inside a sentence: on one line, and no event tag even if the prompt is echoed. */
export function inLine(text: string): PromptWords {
  return theirs(toOneLine(text));
}

/** The same as inline code. */
export function inCode(text: string): PromptWords {
  return say`\`${theirs(toOneLine(text).replaceAll('`', "'"))}\``;
}

/** A path or another setting as inline code. It counts as Ralph's own words. */
export function setting(text: string): PromptWords {
  return ours(`\`${toOneLine(text).replaceAll('`', "'")}\``);
}

/** Several texts as inline code: `a`, `b`, `c`; of very many, the first ones and a number. */
export function listInCode(texts: readonly string[]): PromptWords {
  const different = [...new Set(texts)];
  const shown = joinWords(different.slice(0, SHOWN_IN_LIST).map(inCode), ', ');
  const more = different.length - SHOWN_IN_LIST;
  return more > 0 ? say`${shown} and ${ours(String(more))} more` : shown;
}

/** Hat ids as a prompt lists them: the first few by name, the others by number. */
export function receiverNames(ids: readonly string[]): PromptWords {
  const shown = joinWords(ids.slice(0, SHOWN_RECEIVERS).map(inLine), ', ');
  const more = ids.length - SHOWN_RECEIVERS;
  return more > 0 ? say`${shown} and ${ours(String(more))} more` : shown;
}

function toOneLine(text: string): string {
  return cleanForPrompt(text)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/<(?=event[\s/>])/g, '&lt;');
}

/** Text of somebody else between fences that it cannot close: data, neither instructions nor signals. */
export function fenced(text: string): PromptWords {
  const clean = cleanForPrompt(text);
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
export function inBlock(text: string, promise: string): PromptWords {
  const clean = cleanForPrompt(text).trim();
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

export interface Section {
  readonly title: string;
  readonly body: PromptWords;
}

/** A stretch of the prompt, in order: the texts of all, one after the other, are the prompt. */
export interface PromptSection {
  /** The heading that it stands under. */
  readonly title: string;
  /** True for Ralph's own words; false for the user's and other agents': names, topics, instructions, the objective, payloads. */
  readonly own: boolean;
  readonly text: string;
}

/** A section whose body is paragraphs; `null` where there is nothing to say. */
export function section(title: string, ...paragraphs: readonly PromptWords[]): Section | null {
  const body = joinWords(paragraphs, '\n\n');
  return body.length === 0 ? null : { title, body };
}

export function lines(...parts: readonly PromptWords[]): PromptWords {
  return joinWords(parts, '\n');
}

/** Puts sections below one another, with headings that cannot be taken for the promise. */
export function layOutSections(sections: readonly (Section | null)[], promise: string): readonly PromptSection[] {
  const present = sections.filter((part) => part !== null);
  return present.flatMap(({ title, body }, index) => {
    const heading = toHeading(title, index === 0 ? '#' : '##', promise);
    const end = index === present.length - 1 ? '\n' : '\n\n';
    return mergePieces(say`${ours(heading)}\n\n${body}${ours(end)}`).map((piece) => ({ title, ...piece }));
  });
}

function toHeading(title: string, mark: string, promise: string): string {
  return isPromiseLine(title, promise) ? `${mark} ${title}:` : `${mark} ${title}`;
}
