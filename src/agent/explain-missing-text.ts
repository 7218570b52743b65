import { countEdits } from '../core/index.ts';

const maxShownLines = 12;
const maxComparedLines = 5000;
const maxComparedChars = 200;

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
  const sought = squeeze(line).slice(0, maxComparedChars);
  if (sought === '') return '';
  const lines = file.split('\n').slice(0, maxComparedLines);
  let best = { at: -1, edits: Math.ceil(sought.length / 2) };
  for (const [at, candidate] of lines.entries()) {
    const text = squeeze(candidate).slice(0, maxComparedChars);
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
  const shown = lines.slice(at, at + Math.min(count, maxShownLines)).map((line, index) => `${at + index + 1}\t${line.slice(0, 500)}`);
  return count > maxShownLines ? [...shown, '…'].join('\n') : shown.join('\n');
}
