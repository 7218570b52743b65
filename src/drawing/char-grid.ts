import { toCharCells } from '../core/text/text-cells.ts';

/** How a part of a drawing in characters is to look. */
export type DrawingTone = 'heading' | 'faint' | 'good' | 'bad' | 'name';

export type LineLook = 'plain' | 'dashed' | 'heavy';

export interface Cell {
  readonly x: number;
  readonly y: number;
}

/** A drawing in characters: lines that cross by themselves, and text over them. */
export interface CharGrid {
  /** Draws a line through corners that lie straight above or beside each other. */
  readonly line: (corners: readonly Cell[], look: LineLook, tone: DrawingTone | null) => void;
  /** Writes text from a cell on, over whatever is there. */
  readonly write: (at: Cell, text: string, tone: DrawingTone | null) => void;
  /** Columns of the widest row. */
  readonly columns: () => number;
  /** The rows, without spaces at their ends. */
  readonly render: (paint: (tone: DrawingTone, text: string) => string) => string;
}

interface Drawn {
  /** The sides of the cell that lines touch. */
  readonly sides: number;
  readonly look: LineLook;
  /** `null` where lines are; empty for the second half of a wide character. */
  readonly char: string | null;
  readonly tone: DrawingTone | null;
}

const [ABOVE, RIGHT, BELOW, LEFT] = [1, 2, 4, 8];

/** What a cell shows by its sides: the sum of the four numbers. */
const SHAPES: Readonly<Record<LineLook, string>> = {
  plain: ' │─╰││╭├─╯─┴╮┤┬┼',
  dashed: ' ┆╌╰┆┆╭├╌╯╌┴╮┤┬┼',
  heavy: ' ┃━┗┃┃┏┣━┛━┻┓┫┳╋',
};

export function createCharGrid(): CharGrid {
  const rows: (Drawn | undefined)[][] = [];
  const put = ({ x, y }: Cell, drawn: Drawn): void => {
    while (rows.length <= y) rows.push([]);
    (rows[y] as (Drawn | undefined)[])[x] = drawn;
  };
  const touch = (cell: Cell, side: number, look: LineLook, tone: DrawingTone | null): void => {
    const known = rows[cell.y]?.[cell.x];
    put(cell, { sides: (known?.sides ?? 0) | side, look, char: null, tone });
  };
  return {
    line: (corners, look, tone) => {
      for (const [index, to] of corners.entries()) {
        const from = corners[index - 1];
        if (from !== undefined) walk(from, to, (cell, side) => touch(cell, side, look, tone));
      }
    },
    write: ({ x, y }, text, tone) => {
      let column = x;
      for (const char of text) {
        const cells = toCharCells(char);
        if (cells === 0) continue;
        put({ x: column, y }, { sides: 0, look: 'plain', char, tone });
        if (cells === 2) put({ x: column + 1, y }, { sides: 0, look: 'plain', char: '', tone });
        column += cells;
      }
    },
    columns: () => rows.reduce((most, row) => Math.max(most, row.length), 0),
    render: (paint) => rows.map((row) => renderRow(row, paint)).join('\n'),
  };
}

/** Goes from cell to cell and tells which side of each is touched. */
function walk(from: Cell, to: Cell, touch: (cell: Cell, side: number) => void): void {
  const [dx, dy] = [Math.sign(to.x - from.x), Math.sign(to.y - from.y)];
  const out = dy > 0 ? BELOW : dy < 0 ? ABOVE : dx > 0 ? RIGHT : LEFT;
  const into = dy > 0 ? ABOVE : dy < 0 ? BELOW : dx > 0 ? LEFT : RIGHT;
  const steps = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
  for (let step = 0; step < steps; step += 1) {
    touch({ x: from.x + dx * step, y: from.y + dy * step }, out as number);
    touch({ x: from.x + dx * (step + 1), y: from.y + dy * (step + 1) }, into as number);
  }
}

function renderRow(row: readonly (Drawn | undefined)[], paint: (tone: DrawingTone, text: string) => string): string {
  let text = '';
  let run = '';
  let tone: DrawingTone | null = null;
  const flush = (): void => {
    text += tone === null || run.trim() === '' ? run : paint(tone, run);
    run = '';
  };
  for (let x = 0; x < row.length; x += 1) {
    const cell = row[x];
    const next = cell?.tone ?? null;
    if (next !== tone) flush();
    tone = next;
    run += cell === undefined ? ' ' : (cell.char ?? SHAPES[cell.look][cell.sides] ?? ' ');
  }
  flush();
  return text.trimEnd();
}
