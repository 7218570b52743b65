import { toCharCells } from '../../core/text/text-cells.ts';
import type { Screen, ScreenRow } from './screen.ts';
import type { Palette, Tone } from './tones.ts';

const CSI = '\u001b[';
/** The terminal shows what comes between them at once, if it can (mode 2026); one that cannot ignores them. */
const TOGETHER = `${CSI}?2026h`;
const SHOWN = `${CSI}?2026l`;

/** How a screen is written. */
export interface Writing {
  readonly palette: Palette;
  /** False for a terminal that shows nothing but ASCII. */
  readonly isUnicode: boolean;
}

/**
 * What is to be written so that a terminal which shows one screen shows another: the changed cells, each run of them at its own address. Nothing is ever cleared,
 * and nothing depends on where the cursor was. Empty: they are the same.
 *
 * @param before `null`, or of another size: nothing is known of the terminal, every cell is written
 */
export function toChanges(before: Screen | null, after: Screen, writing: Writing): string {
  const known = before !== null && before.columns === after.columns && before.rows === after.rows ? before : null;
  let text = '';
  for (let row = 0; row < after.rows; row += 1) {
    const cells = after.grid[row];
    if (cells === undefined) continue;
    const span = findChange(known?.grid[row] ?? null, cells);
    if (span !== null) text += writeCells(cells, row, span, writing);
  }
  return text === '' ? '' : `${TOGETHER}${text}${SHOWN}`;
}

interface ChangedCells {
  readonly from: number;
  readonly to: number;
}

/** From the first changed cell to the last one; the whole row, where terminals may not agree on how wide its characters are. */
function findChange(before: ScreenRow | null, after: ScreenRow): ChangedCells | null {
  const last = after.chars.length - 1;
  if (last < 0) return null;
  if (before === null) return { from: 0, to: last };
  if (before === after) return null;
  let from = 0;
  while (from <= last && isSameCell(before, after, from)) from += 1;
  if (from > last) return null;
  if (before.chars.some(isOdd) || after.chars.some(isOdd)) return { from: 0, to: last };
  let to = last;
  while (isSameCell(before, after, to)) to -= 1;
  return { from, to };
}

function isSameCell(before: ScreenRow, after: ScreenRow, column: number): boolean {
  return before.chars[column] === after.chars[column] && before.tones[column] === after.tones[column];
}

/** A character that some terminal may take for wider or narrower than another. Lines of boxes are one column wide everywhere. */
function isOdd(char: string): boolean {
  if (char.length > 1 || char === '') return true;
  const code = char.charCodeAt(0);
  return code >= 0x300 && (code < 0x2500 || code > 0x259f);
}

function writeCells({ chars, tones }: ScreenRow, row: number, { from, to }: ChangedCells, writing: Writing): string {
  const goTo = (column: number): string => `${CSI}${row + 1};${column + 1}H`;
  let text = goTo(from);
  let tone: Tone = 'plain';
  for (let column = from; column <= to; column += 1) {
    const char = toWritten(chars[column] ?? ' ', writing);
    if (char === '') continue;
    const next = tones[column] ?? 'plain';
    if (next !== tone) text += toSequence(next, writing.palette);
    tone = next;
    text += isOdd(char) ? writeOdd({ char, width: chars[column + 1] === '' ? 2 : 1 }, column, goTo) : char;
  }
  return tone === 'plain' ? text : `${text}${toSequence('plain', writing.palette)}`;
}

/** Its cells are emptied first, and the next one has its own address: whatever the terminal makes of the character, it stays within its place. */
function writeOdd(
  { char, width }: { readonly char: string; readonly width: 1 | 2 },
  column: number,
  goTo: (column: number) => string,
): string {
  return `${' '.repeat(width)}${goTo(column)}${char}${goTo(column + width)}`;
}

function toSequence(tone: Tone, palette: Palette): string {
  const parameters = palette[tone];
  return parameters === '' ? `${CSI}0m` : `${CSI}0;${parameters}m`;
}

/** The marks that Ralph draws with, for terminals that cannot show them; each as wide as it was. */
const ASCII: Readonly<Record<string, string>> = {
  '─': '-',
  '│': '|',
  '┬': '+',
  '┴': '+',
  '├': '+',
  '┤': '+',
  '┼': '+',
  '█': '#',
  '…': '~',
  '→': '>',
  '×': 'x',
  '·': '-',
  '✓': '+',
  '✗': 'x',
  '▸': '>',
  '’': "'",
  '“': '"',
  '”': '"',
};

function toWritten(char: string, { isUnicode }: Writing): string {
  if (isUnicode || char === '' || (char.length === 1 && char < '\u007f')) return char;
  return ASCII[char] ?? '?'.padEnd(toCharCells(char), ' ');
}
