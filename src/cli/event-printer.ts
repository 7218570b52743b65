import { toPayloadText, toSenderText } from '../core/index.ts';
import { type EventRow, toPlainLine } from '../views/index.ts';
import { toLocalClock } from './local-time.ts';
import { type TableLayout, toHeadingLine, toTableLines } from './print-table.ts';
import { printJson, printLine, type Terminal } from './terminal.ts';

const HEADING = ['id', 'time', 'turn', 'topic', 'from', 'to', 'cause', 'payload'] as const;
/** Widths of all columns but the last; a longer cell pushes the rest of its own line to the right. */
const WIDTHS = [5, 8, 4, 22, 12, 12, 5];
const PAYLOAD_LENGTH = 400;

/** Prints events one by one, as a table whose columns are known beforehand, or as JSON lines. */
export function createEventPrinter(terminal: Terminal, format: 'table' | 'json'): (row: EventRow) => void {
  if (format === 'json') return (row) => printJson(terminal, row);
  let hasHeading = false;
  const limit = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  const layout: TableLayout = { heading: HEADING, widths: WIDTHS, limit };
  return (row) => {
    if (!hasHeading) printLine(terminal, terminal.style('faint', toHeadingLine(layout)));
    hasHeading = true;
    const isBad = row.status === 'refused' || row.status === 'withdrawn';
    for (const line of toTableLines(toCells(row), layout)) printLine(terminal, isBad ? terminal.style('warning', line) : line);
  };
}

function toCells({ id, ts, iteration, topic, source, to, status, sender, causes, payload }: EventRow): readonly string[] {
  const whom = to.length === 0 ? status : to.join('+');
  return [
    id,
    toLocalClock(ts),
    String(iteration),
    topic,
    source,
    whom,
    toCauseText(causes),
    `${sender === null ? '' : `(${toPlainLine(toSenderText(sender), 120)}) `}${toPlainLine(toPayloadText(payload), PAYLOAD_LENGTH)}`,
  ];
}

/** The event that it followed from; of several the last one, with the number of the others. */
function toCauseText(causes: readonly string[]): string {
  const last = causes.at(-1) ?? '';
  return causes.length > 1 ? `${last}+${causes.length - 1}` : last;
}
