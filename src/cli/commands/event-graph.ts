import { toPayloadText, toSafeJson } from '../../core/index.ts';
import { cutText, type EventRow, toCausalTree, toPlainLine } from '../../views/index.ts';
import { printLine, type Terminal } from '../terminal.ts';

/** How `ralph events --graph` can be written. */
export type EventGraphFormat = 'table' | 'json' | 'mermaid' | 'dot';

const PAYLOAD_LENGTH = 120;

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
    const payload = toPlainLine(toPayloadText(row.payload), PAYLOAD_LENGTH);
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
