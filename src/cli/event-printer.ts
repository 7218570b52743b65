import { toPayloadText } from '../core/index.ts';
import { cutText, type EventRow, toPlainLine, wrapText } from '../views/index.ts';
import { toLocalClock } from './local-time.ts';
import { printJson, printLine, type Terminal } from './terminal.ts';

const HEADING = ['id', 'time', 'turn', 'topic', 'from', 'to', 'cause', 'payload'] as const;
/** Widths of all columns but the last; a longer cell pushes the rest of its own line to the right. */
const WIDTHS = [5, 8, 4, 24, 10, 12, 5];
const PAYLOAD_LENGTH = 400;
/** How far a payload below its row is set in, and about how many lines it may take. */
const INDENT = 4;
const LINES_BELOW = 3;

/** Prints events one by one, as a table whose columns are known beforehand, or as JSON lines. */
export function createEventPrinter(terminal: Terminal, format: 'table' | 'json'): (row: EventRow) => void {
  if (format === 'json') return (row) => printJson(terminal, row);
  let hasHeading = false;
  const limit = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  return (row) => {
    if (!hasHeading) printLine(terminal, terminal.style('faint', toLine(HEADING, limit)));
    hasHeading = true;
    const isBad = row.status === 'refused' || row.status === 'withdrawn';
    for (const line of toLines(toCells(row), limit)) printLine(terminal, isBad ? terminal.style('warning', line) : line);
  };
}

/** Where a row is wider than the terminal its payload goes below it: it is what people look for. */
function toLines(cells: readonly string[], limit: number): readonly string[] {
  const whole = toLine(cells, Number.POSITIVE_INFINITY);
  if (whole.length <= limit) return [whole];
  const below = limit - INDENT;
  const payload = wrapText(cutText(cells.at(-1) ?? '', LINES_BELOW * below), below);
  return [toLine(cells.slice(0, -1), limit), ...payload.map((line) => ' '.repeat(INDENT) + line)];
}

function toLine(cells: readonly string[], limit: number): string {
  const line = cells.map((cell, column) => cell.padEnd(WIDTHS[column] ?? 0)).join('  ');
  return cutText(line.trimEnd(), limit);
}

function toCells({ id, ts, iteration, topic, source, to, status, causes, payload }: EventRow): readonly string[] {
  const whom = to.length === 0 ? status : to.join('+');
  return [
    id,
    toLocalClock(ts),
    String(iteration),
    topic,
    source,
    whom,
    toCauseText(causes),
    toPlainLine(toPayloadText(payload), PAYLOAD_LENGTH),
  ];
}

/** The event that it followed from; of several the last one, with the number of the others. */
function toCauseText(causes: readonly string[]): string {
  const last = causes.at(-1) ?? '';
  return causes.length > 1 ? `${last}+${causes.length - 1}` : last;
}
