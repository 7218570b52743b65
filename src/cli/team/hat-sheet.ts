import type { HatSpec } from '../../core/run/run-spec.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { toDurationText } from '../../core/text/duration.ts';
import { type FlowGraph, type FlowMark, toHatNodeId, toMarkText } from '../../topology/graph/flow-graph.ts';
import type { Topology } from '../../topology/routing/compile-topology.ts';
import { toCount, toPlainLine } from '../../views/text/plain-text.ts';
import { printLine, type Terminal } from '../terminal/terminal.ts';

export function printHatSheet(terminal: Terminal, sheet: HatSheet): void {
  const { style } = terminal;
  const title = sheet.name === sheet.id ? '' : `  ${toPlainLine(sheet.name, 80)}`;
  printLine(terminal, `${style('heading', toPlainLine(sheet.id, 80))}${title}`);
  if (sheet.description !== '') printLine(terminal, `  ${toPlainLine(sheet.description, 400)}`);
  const rows = listRows(sheet);
  const width = Math.max(...rows.map(([title]) => title.length));
  let last = '';
  for (const [name, text] of rows) {
    printLine(terminal, `  ${style('faint', (name === last ? '' : name).padEnd(width))}  ${text}`);
    last = name;
  }
  if (sheet.messages.length === 0) return;
  printLine(terminal, '');
  for (const message of sheet.messages) printLine(terminal, `  ${style('warning', '!')} ${toPlainLine(message, 400)}`);
}

type SheetRow = readonly [name: string, text: string];

function listRows(sheet: HatSheet): readonly SheetRow[] {
  const marks = toMarkText({ kind: 'hat', marks: sheet.marks });
  const limits = [
    `${toDurationText(sheet.timeoutMs)} a turn`,
    `${toDurationText(sheet.idleTimeoutMs)} without output`,
    ...(sheet.maxActivations === null ? [] : [toCount(sheet.maxActivations, 'activation')]),
  ];
  return [
    ...(marks === '' ? [] : [['is', marks] as const]),
    ...toLinkRows('gets', sheet.from, toSenderText, `nothing: nobody publishes ${listTopics(sheet.triggers)}`),
    ...toLinkRows('sends', sheet.to, toTakerText, 'nothing'),
    ...(sheet.transitions.length === 0 ? [] : [['hands on to', listTopics(sheet.transitions)] as const]),
    ['triggers', listTopics(sheet.triggers)],
    sheet.panel === null
      ? ['backend', sheet.backends.map((label) => toPlainLine(label, 60)).join(', then ')]
      : ['panel', sheet.panel.map(({ id, backend }) => `${toPlainLine(id, 40)}: ${toPlainLine(backend, 60)}`).join(', ')],
    ['limits', limits.join(', ')],
    ['instructions', toInstructionText(sheet.instructions)],
  ];
}

function toLinkRows(name: string, links: readonly HatLink[], toText: (link: HatLink) => string, none: string): readonly SheetRow[] {
  if (links.length === 0) return [[name, none]];
  return links.map((link) => [name, toText(link)] as const);
}

function toSenderText(link: HatLink): string {
  const by = link.trigger === null || link.trigger === link.topic ? '' : ` (by ${toPlainLine(link.trigger, 60)})`;
  return `${toPlainLine(link.topic, 60)} from ${toPlainLine(link.who, 60)}${by}${toKindText(link)}`;
}

function toTakerText(link: HatLink): string {
  const text = link.kind === 'orphan' ? 'nobody: no hat takes it' : toPlainLine(link.who, 60);
  return `${toPlainLine(link.topic, 60)} → ${text}${link.isGated ? ' (a gate is run first)' : ''}${toKindText(link)}`;
}

function toKindText({ kind, isDefault }: HatLink): string {
  if (kind === 'blocked') return ' (when a gate fails)';
  return isDefault ? ' (default)' : '';
}

function listTopics(topics: readonly string[]): string {
  return topics.length === 0 ? 'nothing' : topics.map((topic) => toPlainLine(topic, 60)).join(', ');
}

function toInstructionText(instructions: string): string {
  if (instructions.trim() === '') return 'none of its own: derived from its events';
  const lines = instructions.trim().split('\n');
  return `${toPlainLine(lines[0] ?? '', 100)}${lines.length > 1 ? ` (${toCount(lines.length, 'line')} in all)` : ''}`;
}

/** A hat as `ralph hats` lists it; with `--format json` one line each. Of its backends the first is used, the others when it is limited. */
export interface ListedHat
  extends Pick<HatSpec, 'id' | 'name' | 'description' | 'triggers' | 'publishes' | 'defaultPublishes' | 'backends'> {
  /** Version of this record. */
  readonly v: 1;
  readonly marks: readonly FlowMark[];
  /** Codes of the errors and warnings about it. */
  readonly findings: readonly string[];
}

interface HatSheet extends ListedHat, Pick<HatSpec, 'transitions' | 'instructions' | 'maxActivations' | 'timeoutMs' | 'idleTimeoutMs'> {
  /** The agents that wear it together; `null` where one does. */
  readonly panel: readonly { readonly id: string; readonly backend: string }[] | null;
  /** Who sends what to it. */
  readonly from: readonly HatLink[];
  /** Who gets what it publishes. */
  readonly to: readonly HatLink[];
  /** What is to be said about it: the messages of findings that name it. */
  readonly messages: readonly string[];
}

/** An event between the hat and somebody else. */
interface HatLink {
  /** A hat, `ralph`, or what else the flow graph has. */
  readonly who: string;
  readonly topic: string;
  /** The trigger by which it is taken; `null` where none is needed. */
  readonly trigger: string | null;
  readonly kind: string;
  readonly isDefault: boolean;
  readonly isGated: boolean;
}

/** The hats of a team, in the order of the file. */
export function listHatRows(topology: Topology, graph: FlowGraph): readonly ListedHat[] {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  return topology.hats.map((hat) => {
    const node = nodes.get(toHatNodeId(hat.id));
    const { id, name, description, triggers, publishes, defaultPublishes, backends } = hat;
    const known = { marks: node?.marks ?? [], findings: node?.findings ?? [] };
    return { v: 1, id, name, description, triggers, publishes, defaultPublishes, backends, ...known };
  });
}

/** Everything about one hat of a team; `null` where there is none of this id. */
export function createHatSheet(topology: Topology, graph: FlowGraph, findings: readonly Finding[], id: string): HatSheet | null {
  const row = listHatRows(topology, graph).find((candidate) => candidate.id === id);
  const hat = topology.hatById.get(id) as HatSpec;
  if (row === undefined) return null;
  const self = toHatNodeId(id);
  const labels = new Map(graph.nodes.map((node) => [node.id, node.label]));
  const toLink = (whoId: string, edge: FlowGraph['edges'][number]): HatLink => {
    const { topic, trigger, kind, isDefault, isGated } = edge;
    return { who: labels.get(whoId) ?? whoId, topic, trigger, kind, isDefault, isGated };
  };
  return {
    ...row,
    panel: hat.panel?.agents.map(({ id: agent }, place) => ({ id: agent, backend: hat.backends[place] ?? '' })) ?? null,
    from: graph.edges.filter((edge) => edge.to === self).map((edge) => toLink(edge.from, edge)),
    to: graph.edges.filter((edge) => edge.from === self).map((edge) => toLink(edge.to, edge)),
    transitions: hat.transitions,
    instructions: hat.instructions,
    maxActivations: hat.maxActivations,
    timeoutMs: hat.timeoutMs,
    idleTimeoutMs: hat.idleTimeoutMs,
    messages: findings.filter((finding) => finding.hats?.includes(id) === true).map((finding) => `${finding.message} [${finding.code}]`),
  };
}
