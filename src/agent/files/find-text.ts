import { countEdits } from '../../core/text/near-miss.ts';

/**
 * Where a text stands in a file, whatever its ends of lines are. Both are given byte by byte (`latin1`), so offsets are those of the bytes and every
 * other byte of the file stays what it is.
 */
export interface FoundText {
  /** Of the first byte. */
  readonly start: number;
  /** After the last byte. */
  readonly end: number;
}

/** Finds a text; matches do not overlap. If it is not found as it is, `\n` and `\r\n` count as the same. */
export function findText(file: string, wanted: string): readonly FoundText[] {
  const exact = findAll(file, wanted);
  if (exact.length > 0 || !file.includes('\r\n')) return exact.map((start) => ({ start, end: start + wanted.length }));
  const offsets = mapWithoutReturns(file);
  const plain = wanted.replaceAll('\r\n', '\n');
  // A match that begins with the end of a line takes all of it.
  return findAll(file.replaceAll('\r\n', '\n'), plain).map((start) => ({ start: offsets(start), end: offsets(start + plain.length) }));
}

/** The new text with the ends of lines of what it replaces, or else of most of the file. */
export function matchLineEnds(replacement: string, replaced: string, file: string): string {
  const sample = replaced.includes('\n') ? replaced : file;
  const windows = sample.split('\r\n').length - 1;
  const all = sample.split('\n').length - 1;
  const plain = replacement.replaceAll('\r\n', '\n');
  if (windows === 0) return replacement.includes('\r\n') && all > 0 ? plain : replacement;
  return windows * 2 > all ? plain.replaceAll('\n', '\r\n') : replacement;
}

function findAll(text: string, wanted: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

/** From offsets in a text without the returns of its Windows line ends to those in the text. */
function mapWithoutReturns(text: string): (offset: number) => number {
  const removed: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) removed.push(at - removed.length);
  return (offset) => offset + countBelow(removed, offset);
}

/** How many of the sorted numbers are less than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MAX_SHOWN_LINES = 12;
const MAX_COMPARED_LINES = 5000;
const MAX_COMPARED_CHARACTERS = 200;

/**
 * What may help when a text is not in a file: where it stands with other blanks, or which line is the nearest, as it is in the file; and slips that
 * are often made.
 */
export function explainMissingText(file: string, wanted: string): string {
  const slip = findNumbers(wanted);
  const near = findSpacedAlike(file, wanted) ?? findNearestLine(file, wanted);
  return [slip, near, 'Read the file again and copy the text exactly, blanks and tabs too.'].filter((line) => line !== '').join('\n');
}

/** The numbers that `read_file` puts in front of lines. */
function findNumbers(wanted: string): string {
  const lines = wanted.split('\n').filter((line) => line.trim() !== '');
  if (!lines.every((line) => /^\s*\d+\t/.test(line))) return '';
  return 'The numbers and tabs in front of the lines are not part of the file: leave them out.';
}

function findSpacedAlike(file: string, wanted: string): string | null {
  const lines = file.split('\n');
  const wantedLines = wanted.replace(/\n+$/, '').split('\n').map(squeeze);
  if (wantedLines.every((line) => line === '')) return null;
  const squeezed = lines.map(squeeze);
  const at = squeezed.findIndex((_, index) => wantedLines.every((line, below) => line === squeezed[index + below]));
  if (at < 0) return null;
  return `The same words with other blanks begin at line ${at + 1}:\n${quoteLines(lines, at, wantedLines.length)}`;
}

function findNearestLine(file: string, wanted: string): string {
  const line = wanted.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  const sought = squeeze(line).slice(0, MAX_COMPARED_CHARACTERS);
  if (sought === '') return '';
  const lines = file.split('\n').slice(0, MAX_COMPARED_LINES);
  let best = { at: -1, edits: Math.ceil(sought.length / 2) };
  for (const [at, candidate] of lines.entries()) {
    const text = squeeze(candidate).slice(0, MAX_COMPARED_CHARACTERS);
    if (Math.abs(text.length - sought.length) >= best.edits) continue;
    const edits = countEdits(text, sought, best.edits);
    if (edits < best.edits) best = { at, edits };
  }
  return best.at < 0
    ? 'No line of the file is like its first line.'
    : `The nearest to its first line is line ${best.at + 1}:\n${quoteLines(lines, best.at, 1)}`;
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function quoteLines(lines: readonly string[], at: number, count: number): string {
  const shown = lines.slice(at, at + Math.min(count, MAX_SHOWN_LINES)).map((line, index) => `${at + index + 1}\t${line.slice(0, 500)}`);
  return count > MAX_SHOWN_LINES ? [...shown, '…'].join('\n') : shown.join('\n');
}
