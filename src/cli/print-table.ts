import { cutText, wrapText } from '../views/index.ts';
import { printLine, type Terminal } from './terminal.ts';

/** How far a last column is set in that stands below its row. */
const INDENT = 4;

/** A table with a heading; on a terminal that is too narrow for a row its last column goes below it, whole. */
export function printTable(terminal: Terminal, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const limit = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  const toLine = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const toLines = (cells: readonly string[]): readonly string[] => {
    const line = toLine(cells);
    if (line.length <= limit) return [line];
    const below = wrapText(cells.at(-1) ?? '', limit - INDENT).map((text) => ' '.repeat(INDENT) + text);
    return [...wrapText(toLine(cells.slice(0, -1)), limit), ...below];
  };
  printLine(terminal, terminal.style('faint', cutText(toLine(heading), limit)));
  for (const row of rows) for (const line of toLines(row)) printLine(terminal, line);
}
