import { cutText } from '../views/index.ts';
import { printLine, type Terminal } from './terminal.ts';

/** A table with a heading; on a terminal the last column is cut to its width. */
export function printTable(terminal: Terminal, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const limit = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  const toLine = (cells: readonly string[]): string =>
    cutText(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
      limit,
    );
  printLine(terminal, terminal.style('faint', toLine(heading)));
  for (const row of rows) printLine(terminal, toLine(row));
}
