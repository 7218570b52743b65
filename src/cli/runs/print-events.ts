import { toSenderText } from '../../core/events/event.ts';
import { toSafeJson } from '../../core/text/mask-controls.ts';
import { toPayloadText } from '../../core/values/json.ts';
import { type EventRow, toCausalTree } from '../../views/fold/fold-events.ts';
import { cutText, toPlainLine } from '../../views/text/plain-text.ts';
import { toLocalClock } from '../terminal/local-time.ts';
import { type TableLayout, toHeadingLine, toTableLines } from '../terminal/print.ts';
import { printJson, printLine, type Terminal } from '../terminal/terminal.ts';

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

function toCells({ id, ts, iteration, topic, source, to, status, sender, worker, causes, payload }: EventRow): readonly string[] {
  const whom = to.length === 0 ? status : to.join('+');
  return [
    id,
    toLocalClock(ts),
    String(iteration),
    topic,
    source,
    whom,
    toCauseText(causes),
    `${sender === null ? '' : `(${toPlainLine(toSenderText(sender), 120)}) `}${worker === null ? '' : `(on ${toPlainLine(worker, 60)}) `}${toPlainLine(toPayloadText(payload), PAYLOAD_LENGTH)}`,
  ];
}

/** The event that it followed from; of several the last one, with the number of the others. */
function toCauseText(causes: readonly string[]): string {
  const last = causes.at(-1) ?? '';
  return causes.length > 1 ? `${last}+${causes.length - 1}` : last;
}

export type EventGraphFormat = 'table' | 'json' | 'mermaid' | 'dot';

const TREE_PAYLOAD_LENGTH = 120;

/** Prints which event followed from which: a tree for people, one object a line for programs, or a drawing of others. */
export function printEventGraph(terminal: Terminal, rows: readonly EventRow[], format: EventGraphFormat): void {
  for (const line of WRITERS[format](rows, terminal)) printLine(terminal, line);
}

const WRITERS: Readonly<Record<EventGraphFormat, (rows: readonly EventRow[], terminal: Terminal) => readonly string[]>> = {
  table: toTreeLines,
  json: (rows) =>
    rows.map(({ v, id, topic, source, iteration, causes, to, status }) =>
      toSafeJson({ v, id, topic, source, iteration, causes, to, status }),
    ),
  mermaid: (rows) => [
    'flowchart TD',
    ...rows.map((row) => `  ${row.id}["${toLabel(row)}"]`),
    ...rows.flatMap(({ id, causes }) => causes.map((cause) => `  ${cause} --> ${id}`)),
  ],
  dot: (rows) => [
    'digraph events {',
    '  node [shape=box];',
    ...rows.map((row) => `  ${row.id} [label="${toLabel(row)}"];`),
    ...rows.flatMap(({ id, causes }) => causes.map((cause) => `  ${cause} -> ${id};`)),
    '}',
  ],
};

function toTreeLines(rows: readonly EventRow[], terminal: Terminal): readonly string[] {
  const limit = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  return toCausalTree(rows).map(({ branch, row, others }) => {
    const also = others.length === 0 ? '' : ` (also from ${others.join(', ')})`;
    const payload = toPlainLine(toPayloadText(row.payload), TREE_PAYLOAD_LENGTH);
    const line = `${branch}${row.id} ${row.topic}  ${toWay(row)}${also}${payload === '' ? '' : `: ${payload}`}`;
    const text = cutText(line, limit);
    return isRefused(row) ? terminal.style('warning', text) : text;
  });
}

/** `builder in turn 2 → reviewer`, `system → planner`, `planner in turn 4, terminal`. */
function toWay({ source, iteration, to, status }: EventRow): string {
  const turn = iteration === 0 || source === 'system' || source === 'external' ? '' : ` in turn ${iteration}`;
  return `${source}${turn}${to.length === 0 ? `, ${status}` : ` → ${to.join(' + ')}`}`;
}

function isRefused({ status }: EventRow): boolean {
  return status === 'refused' || status === 'withdrawn';
}

function toLabel({ id, topic, source }: EventRow): string {
  return `${id} ${topic} (${source})`.replace(/[^\w .()-]/g, '_');
}
