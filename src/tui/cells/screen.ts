import { toCharCells } from '../../core/text/text-cells.ts';
import { cleanText } from '../../views/text/plain-text.ts';
import type { Tone } from './tones.ts';

/** Columns and rows of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The terminal that a view has to itself. */
export interface ViewTerminal {
  readonly size: () => Size;
  readonly write: (text: string) => void;
  /** Whether what was written before has not been taken: another frame would only wait behind it. */
  readonly isBehind: () => boolean;
  readonly onInput: (take: (text: string) => void) => void;
  readonly onResize: (call: () => void) => void;
  /** The process was stopped from outside and goes on: whoever had the terminal meanwhile has written on it. */
  readonly onBack: (call: () => void) => void;
  /** Gives the terminal to the shell and comes back when the shell says so. */
  readonly suspend: (onBack: () => void) => void;
}

/** What stands in a row of a screen, a cell for each column. */
export interface ScreenRow {
  /** A character with the marks that stand on it; empty: the second half of the wide one before. */
  readonly chars: readonly string[];
  readonly tones: readonly Tone[];
}

/** A whole screen. */
export interface Screen extends Size {
  readonly grid: readonly ScreenRow[];
}

/** A piece of a line in one tone. */
export interface TonedText {
  readonly text: string;
  readonly tone: Tone;
}

/** A line of a screen. */
export type Line = readonly TonedText[];

/** A screen that is being drawn. What lies outside of it is not drawn. */
export interface Canvas extends Size {
  /**
   * Writes a line from a cell on, in so many columns at most; what has no room gives way to `…`.
   *
   * @returns the column behind it
   */
  readonly write: (row: number, column: number, line: Line, room?: number) => number;
  /** Gives cells of a row another tone. */
  readonly tint: (row: number, column: number, count: number, tone: Tone) => void;
  readonly toScreen: () => Screen;
}

/** More marks than these on one character are not shown. */
const MAX_MARKS = 3;

/** An empty screen. */
export function createCanvas({ columns, rows }: Size): Canvas {
  const grid = Array.from({ length: rows }, () => ({
    chars: new Array<string>(columns).fill(' '),
    tones: new Array<Tone>(columns).fill('plain'),
  }));
  const write: Canvas['write'] = (row, column, line, room = columns - column) => {
    const cells = grid[row];
    const end = Math.min(columns, column + room);
    if (cells === undefined) return column;
    let at = column;
    for (const { text, tone } of line) {
      at = putText(cells, { at, from: column, end }, toShown(text), tone);
      if (at > end) return end;
    }
    return at;
  };
  return {
    columns,
    rows,
    write,
    tint: (row, column, count, tone) => grid[row]?.tones.fill(tone, column, Math.min(columns, column + count)),
    toScreen: () => ({ columns, rows, grid }),
  };
}

interface Cells {
  readonly chars: string[];
  readonly tones: Tone[];
}

/** Puts a text into cells; past the end where it had no room, and the last cell is `…`. */
function putText(
  { chars, tones }: Cells,
  { at, from, end }: { readonly at: number; readonly from: number; readonly end: number },
  text: string,
  tone: Tone,
): number {
  let column = at;
  for (const char of text) {
    const width = toCharCells(char);
    if (width === 0) {
      addMark(chars, column - 1, from, char);
      continue;
    }
    if (column + width > end) {
      if (end > from) cutAt(chars, tones, end - 1, tone);
      return end + 1;
    }
    freeHalves(chars, column, width);
    chars[column] = char;
    tones[column] = tone;
    if (width === 2) {
      chars[column + 1] = '';
      tones[column + 1] = tone;
    }
    column += width;
  }
  return column;
}

/** What is covered by half goes as a whole. */
function freeHalves(chars: string[], column: number, width: number): void {
  if (chars[column] === '' && column > 0) chars[column - 1] = ' ';
  if (chars[column + width] === '') chars[column + width] = ' ';
}

/** A mark belongs to the character before it. */
function addMark(chars: string[], column: number, from: number, mark: string): void {
  const place = chars[column] === '' ? column - 1 : column;
  const known = chars[place];
  if (place < from || known === undefined || known === ' ' || known.length > 2 * MAX_MARKS || /\p{Cf}/u.test(mark)) return;
  chars[place] = known + mark;
}

function cutAt(chars: string[], tones: Tone[], column: number, tone: Tone): void {
  freeHalves(chars, column, 1);
  chars[column] = '…';
  tones[column] = tone;
}

const PLAIN = /^[ -~]*$/;

/** Nothing that a terminal obeys gets into a cell, whoever wrote it. */
function toShown(text: string): string {
  return PLAIN.test(text) ? text : cleanText(text).replace(/\s/g, ' ').normalize('NFC');
}

/** The rows as text, without blanks at their ends. */
export function toScreenText({ grid }: Screen): string {
  return grid.map(({ chars }) => chars.join('').trimEnd()).join('\n');
}
