import { wrapText } from '../../views/text/fact-rows.ts';
import { printLine, type Terminal } from './terminal.ts';

/** How far what stands below its row is set in. */
const INDENT = 4;
const GAP = '  ';

/**
 * A table with a heading. On a terminal that is too narrow for it the last columns go below their row, whole, each with its heading, unless
 * there is nothing in them.
 */
export function printTable(terminal: Terminal, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const layout = { heading, widths, limit: terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY };
  printLine(terminal, terminal.style('faint', toHeadingLine(layout)));
  for (const row of rows) for (const line of toTableLines(row, layout)) printLine(terminal, line);
}

export interface TableLayout {
  readonly heading: readonly string[];
  /** Least width of each column; of the last none is needed. */
  readonly widths: readonly number[];
  readonly limit: number;
}

/** The headings of the columns that have room. */
export function toHeadingLine(layout: TableLayout): string {
  return pad(layout.heading.slice(0, countFitting(layout, layout.heading)), layout);
}

/** A row; what has no room beside the rest stands below it. */
export function toTableLines(cells: readonly string[], layout: TableLayout): readonly string[] {
  const { heading, limit } = layout;
  const whole = pad(cells, layout);
  const room = countFitting(layout, heading);
  if (whole.length <= limit && room >= heading.length - 1) return [whole];
  const fitting = Math.min(room, countFitting(layout, cells));
  const below = cells.flatMap((cell, column) =>
    column < fitting || cell === '' || cell === '-' ? [] : wrapText(`${heading[column] ?? ''}: ${cell}`, limit - INDENT),
  );
  return [pad(cells.slice(0, fitting), layout), ...below.map((line) => ' '.repeat(INDENT) + line)];
}

/** How many cells from the left have room in a line; the first always counts as one that has. */
function countFitting({ widths, limit }: TableLayout, cells: readonly string[]): number {
  let used = -GAP.length;
  const beyond = cells.findIndex((cell, column) => {
    used += GAP.length + Math.max(widths[column] ?? 0, cell.length);
    return used > limit;
  });
  return beyond === -1 ? cells.length : Math.max(1, beyond);
}

function pad(cells: readonly string[], { widths }: TableLayout): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(GAP)
    .trimEnd();
}

/** Writes sentences; on a terminal they are broken between words. `toStyled` makes a line look like what it is. */
export function printProse(terminal: Terminal, text: string, toStyled: (line: string) => string = (line) => line): void {
  for (const line of terminal.isTty ? wrapText(text, terminal.columns()) : [text]) printLine(terminal, toStyled(line));
}

/** Says on standard error what a person should know, and goes on. */
export function printWarnings(terminal: Pick<Terminal, 'err' | 'errStyle'>, warnings: readonly string[]): void {
  for (const warning of warnings) terminal.err(`${terminal.errStyle('warning', 'WARN')}: ${warning}\n`);
}
