import type { Usage } from '../../core/backends/usage.ts';
import { toUsdText } from '../../core/text/duration.ts';

/** A text on one line, cleaned, with single spaces, cut to a number of characters. */
export function toPlainLine(text: string, limit: number): string {
  return cutText(
    cleanText(text.slice(0, limit * 8 + 1000))
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** A text cut to a number of characters, with `…` for what is missing. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = [...text];
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, Math.max(0, limit - 1))
        .join('')
        .trimEnd()}…`;
}

/** The first line that says something, and how many more there are: `Mend the test. (+3 lines)`. */
export function toFirstLine(text: string, limit: number): string {
  const lines = cleanText(text)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  const more = lines.length - 1;
  const note = more < 1 ? '' : ` (+${more} ${more === 1 ? 'line' : 'lines'})`;
  return `${toPlainLine(first, limit - note.length)}${note}`;
}

/** Removes from a text, piece by piece, what a terminal would obey. */
export interface TextCleaner {
  /** Cleans the next piece; a sequence that is split between pieces is removed all the same. */
  readonly take: (text: string) => string;
}

/** `text`: plain; `escape`: after ESC; `csi`: in a control sequence; `string`: in an OSC, DCS or the like; `string-end`: after ESC in one. */
type CleanerPlace = 'text' | 'escape' | 'csi' | 'string' | 'string-end';

const ESC = '\u001b';
/** An unfinished sequence swallows no more than this. */
const LONGEST_SEQUENCE = 4096;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const SUSPICIOUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const INVISIBLE = /^[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]$/;

/**
 * What agents say is data from outside: escape sequences, control characters and marks that turn the direction of writing are taken out;
 * line breaks and tabs stay, `\r\n` and a lone `\r` become a line break.
 */
export function createTextCleaner(): TextCleaner {
  let place: CleanerPlace = 'text';
  let length = 0;
  let returned = false;

  const inText = (character: string): string => {
    if (returned) {
      returned = false;
      return character === '\n' ? '\n' : `\n${inText(character)}`;
    }
    if (character === '\r') {
      returned = true;
      return '';
    }
    place = openSequence(character);
    length = 0;
    return INVISIBLE.test(character) ? '' : character;
  };
  const take = (character: string): string => {
    if (place === 'text') return inText(character);
    length += 1;
    if (length > LONGEST_SEQUENCE || breaksOff(place, character)) return inText(character);
    place = continueSequence(place, character);
    return '';
  };

  return {
    take: (text) => {
      if (place === 'text' && !returned && !SUSPICIOUS.test(text)) return text;
      let cleaned = '';
      for (let index = 0; index < text.length; index += 1) cleaned += take(text.charAt(index));
      return cleaned;
    },
  };
}

function openSequence(character: string): CleanerPlace {
  if (character === ESC) return 'escape';
  if (character === '\u009b') return 'csi';
  return '\u0090\u0098\u009d\u009e\u009f'.includes(character) ? 'string' : 'text';
}

/** True for a character that ends a sequence unfinished: it is shown. */
function breaksOff(place: CleanerPlace, character: string): boolean {
  return character === '\n' || ((place === 'escape' || place === 'csi') && character > '~');
}

function continueSequence(place: CleanerPlace, character: string): CleanerPlace {
  if (place === 'escape') return continueEscape(character);
  if (place === 'csi') return character >= ' ' && character <= '?' ? 'csi' : 'text';
  if (character === '\u0007' || character === '\u009c') return 'text';
  if (place === 'string-end' && character === '\\') return 'text';
  return character === ESC ? 'string-end' : 'string';
}

function continueEscape(character: string): CleanerPlace {
  if (character === '[') return 'csi';
  if (']PX^_'.includes(character)) return 'string';
  return character === ESC || (character >= ' ' && character <= '/') ? 'escape' : 'text';
}

export function cleanText(text: string): string {
  // Nearly every text is clean, and there are several for each input of a run.
  return SUSPICIOUS.test(text) ? createTextCleaner().take(text) : text;
}

/** Control characters, invisible or direction-changing marks, broken surrogates (bytes that are not UTF-8), and what would end the quotes. */
const ODD = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}"\\]/u;
const ODD_BYTE = /\\udc([89a-f][0-9a-f])/g;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A path on one line, in quotes if anything in it would be invisible or obeyed by a terminal: `"new\nline.txt"`. */
export function toPathText(path: string): string {
  if (!ODD.test(path)) return path;
  return JSON.stringify(path).replace(ODD_BYTE, '\\x$1').replace(UNSEEN, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** `1 turn`, `3 turns`. */
export function toCount(count: number, noun: string): string {
  return `${toNumberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * `8 iterations (and 2 interrupted, which do not count)`: the turns of a run carry numbers up to the sum of the two.
 *
 * @param of what may be used of them; absent: not named
 */
export function toIterationsText(
  { iterations, interrupted }: { readonly iterations: number; readonly interrupted: number },
  of?: number,
): string {
  const count = of === undefined ? toCount(iterations, 'iteration') : `${iterations} of ${toCount(of, 'iteration')}`;
  return interrupted === 0 ? count : `${count} (and ${interrupted} interrupted, which ${interrupted === 1 ? 'does' : 'do'} not count)`;
}

/** `12,345`, the same on every machine. */
export function toNumberText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The first `limit` of a list, and how many more there are: `a, b and 3 more`. */
export function toList(items: readonly string[], limit: number): string {
  if (items.length <= limit) return items.join(', ');
  return `${items.slice(0, limit).join(', ')} and ${toNumberText(items.length - limit)} more`;
}

/** As {@link toList}, each of them once: `a (3 times), b`. */
export function toCountedList(items: readonly string[], limit: number): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return toList(
    [...counts].map(([item, count]) => (count === 1 ? item : `${item} (${count} times)`)),
    limit,
  );
}

/** What was spent, and what of it nobody knows. */
export function toSpentText(usage: Usage, unknownTurns: number): string {
  const tokens = usage.inputTokens === null && usage.outputTokens === null ? '' : `, ${toTokensText(usage)}`;
  if (usage.costUsd === null)
    return `unknown${tokens === '' ? ': the agents report neither cost nor tokens' : `: the agents report no cost${tokens}`}`;
  const unknown = unknownTurns === 0 ? '' : `; the cost of ${toCount(unknownTurns, 'turn')} is unknown and not in it`;
  return `${toUsdText(usage.costUsd)}${tokens}${unknown}`;
}

function toTokensText(usage: Usage): string {
  const input = usage.inputTokens === null ? 'an unknown number of' : toNumberText(usage.inputTokens);
  const output = usage.outputTokens === null ? 'an unknown number' : toNumberText(usage.outputTokens);
  return `${input} tokens in, ${output} out`;
}
