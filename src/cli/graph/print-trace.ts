import { SYSTEM } from '../../core/index.ts';
import type { FlowEdge, TopicTrace, TraceMatch, TracePublisher } from '../../topology/index.ts';
import { toPlainLine, toRowLines } from '../../views/index.ts';
import { printLine, type Terminal } from '../terminal.ts';

type Row = readonly [name: string, text: string];

/** Prints for people what would happen if an event were published. `payload`: what it would carry, in words. */
export function printTrace(terminal: Terminal, trace: TopicTrace, payload: string | null): void {
  const { style } = terminal;
  const by = trace.from === null ? '' : `, published by ${toPlainLine(trace.from, 60)}`;
  printLine(terminal, `${style('heading', trace.topic)}${by}`);
  const rows = listRows(trace, payload).map(([label, text]) => ({ label, text }));
  const width = terminal.isTty ? terminal.columns() : Number.POSITIVE_INFINITY;
  for (const line of toRowLines(rows, { width, styleLabel: (label) => style('faint', label) })) printLine(terminal, line);
}

function listRows(trace: TopicTrace, payload: string | null): readonly Row[] {
  const publishers = trace.publishers.map((publisher): Row => ['published by', toPublisherText(publisher)]);
  const { blocked } = trace;
  return [
    ...(publishers.length > 0 ? publishers : [['published by', 'nobody: no hat may publish it'] as const]),
    ...(payload === null ? [] : [['carries', payload] as const]),
    ...trace.requires.map((topic): Row => ['needs first', toPlainLine(topic, 60)]),
    ...trace.gates.map((run): Row => ['gate first', toPlainLine(run, 200)]),
    ...(blocked === null
      ? []
      : [['if it fails', `${blocked.topic} → ${blocked.to.join(', ') || 'who published it'}, with what the gate said`] as const]),
    ...toOutcomeRows(trace),
    ...trace.others.map((match): Row => ['not by', `${toPlainLine(match.hat, 60)}: ${toReason(match)}`]),
    ...trace.next.flatMap((hop) => hop.edges.map((edge): Row => ['then', `${'  '.repeat(hop.depth - 1)}${toHopText(hop.hat, edge)}`])),
  ];
}

function toPublisherText({ who, by, target, isDefault }: TracePublisher): string {
  if (who === SYSTEM) return 'the loop itself';
  const notes = [
    ...(by === null || by === '' ? [] : [`publishes ${toPlainLine(by, 60)}`]),
    ...(target === null ? [] : [`only to ${toPlainLine(target, 60)}`]),
    ...(isDefault ? ['default'] : []),
  ];
  return notes.length === 0 ? toPlainLine(who, 60) : `${toPlainLine(who, 60)} (${notes.join(', ')})`;
}

function toOutcomeRows({ outcome, topic, from, takers }: TopicTrace): readonly Row[] {
  switch (outcome) {
    case 'taken':
      return takers.map((match) => ['taken by', `${toPlainLine(match.hat, 60)}: ${toReason(match)}`]);
    case 'completes':
      return [['then', 'the run is completed']];
    case 'terminal':
      return [['taken by', 'nobody: it is a terminal event, recorded and handed to nobody']];
    case 'safety-net':
      return [['taken by', `nobody: no hat takes ${topic}, so ${takers[0]?.hat ?? 'ralph'} gets it`]];
    case 'refused':
      return [['refused', `${from === null ? 'nobody' : toPlainLine(from, 60)} may not publish it: it is recorded, and handed to nobody`]];
  }
}

function toReason({ trigger, why }: TraceMatch): string {
  const pattern = trigger === null ? '' : toPlainLine(trigger, 60);
  switch (why) {
    case 'target':
      return 'the event names it';
    case 'exact':
      return `triggers on ${pattern}`;
    case 'pattern':
      return `triggers on the pattern ${pattern}`;
    case 'net':
      return 'gets what no hat takes';
    case 'entry':
      return 'begins the run, as no hat triggers on its first event';
    case 'lower-precedence':
      return `${pattern} matches too, but less closely`;
    case 'later':
      return `${pattern} matches as closely, but stands later in the file`;
  }
}

/** Where events go that no hat gets. */
const PLACES: Readonly<Record<string, string>> = { nobody: 'nobody (no hat takes it)', handoff: 'nobody (a terminal event)' };

function toHopText(hat: string, edge: FlowEdge): string {
  const to = edge.to.startsWith('hat:') ? edge.to.slice('hat:'.length) : (PLACES[edge.to] ?? edge.to);
  const how = edge.kind === 'blocked' ? ' (when a gate fails)' : edge.isDefault ? ' (default)' : '';
  return `${toPlainLine(hat, 60)} → ${toPlainLine(edge.topic, 60)} → ${toPlainLine(to, 60)}${how}`;
}
