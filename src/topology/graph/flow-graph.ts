import { maskControls } from '../../core/text/mask-controls.ts';

/**
 * The flow of events as a graph, for drawing and for programs (`ralph graph --format json`). Plain JSON; the order of nodes and edges
 * follows the file, so the same team always gives the same graph.
 */
export interface FlowGraph {
  readonly coordination: 'solo' | 'ralph' | 'hats';
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** True where edges were left out because there are too many of them. */
  readonly isCut: boolean;
}

/**
 * What a node stands for.
 * - `start`: what begins the run. `loop`: the loop itself, which publishes `task.resume` and the errors of turns.
 * - `hat`, `ralph`: who works. `end`: the run is completed. `handoff`: terminal events, which need no taker.
 * - `nobody`: where events go that no hat takes although one should. `external`: people and other programs, in a past run.
 */
export type FlowNodeKind = 'start' | 'loop' | 'hat' | 'ralph' | 'end' | 'handoff' | 'nobody' | 'external';

/** What is special about a node. */
export type FlowMark = 'entry' | 'recovery' | 'may-end' | 'unreachable' | 'on-path';

export interface FlowNode {
  /** Unique: `hat:` and the id of the hat, else the kind. */
  readonly id: string;
  readonly kind: FlowNodeKind;
  /** The id of the hat, or a word for the node. */
  readonly label: string;
  /** The name of the hat where it says more than its id, else what the node means; may be empty. */
  readonly detail: string;
  readonly marks: readonly FlowMark[];
  /** Codes of the errors and warnings that name the hat. */
  readonly findings: readonly string[];
  /** Turns in a past run; only with `--live`. */
  readonly turns?: number;
}

/**
 * Why an event goes from one node to the other.
 * - `event`: published by a hat and taken by its trigger. `target`: the entry of `publishes` names the hat.
 * - `transition`: the hat may hand over by `HAT_TRANSITION`, without a topic.
 * - `ralph`: only Ralph can publish it. `unclaimed`: nobody takes it, so the coordinating Ralph gets it.
 * - `start`: begins the run. `system`: published by the loop. `blocked`: what a failing gate makes of an event.
 * - `complete`: ends the run. `handoff`: a terminal event. `orphan`: nobody takes it, although somebody should.
 * - `seen`: not declared, but it happened in a past run.
 */
export type FlowEdgeKind =
  | 'event'
  | 'target'
  | 'transition'
  | 'ralph'
  | 'unclaimed'
  | 'start'
  | 'system'
  | 'blocked'
  | 'complete'
  | 'handoff'
  | 'orphan'
  | 'seen';

export interface FlowEdge {
  /** Unique: `e1`, `e2`, …. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The topic, or the pattern under which it is published or taken. */
  readonly topic: string;
  readonly kind: FlowEdgeKind;
  /** The trigger by which it is taken; `null` where none is needed. */
  readonly trigger: string | null;
  /** True if it is published when the hat emits nothing. */
  readonly isDefault: boolean;
  /** True if a gate is run before it. */
  readonly isGated: boolean;
  /** True if it lies on the path that was asked for. */
  readonly isOnPath: boolean;
  /** How often it went this way in a past run; only with `--live`. */
  readonly count?: number;
}

/** The id of a hat's node. */
export function toHatNodeId(hat: string): string {
  return `hat:${hat}`;
}

/** What is drawn between two nodes: one line however many topics go that way. */
export interface FlowArrow {
  readonly from: string;
  readonly to: string;
  readonly edges: readonly FlowEdge[];
  /** True if nobody declared it: what the loop does by itself. */
  readonly isFaint: boolean;
  /** True if something is wrong with it. */
  readonly isWrong: boolean;
  readonly isOnPath: boolean;
}

/** The edges of a graph, those between the same two nodes in the same direction put together; in the order of the first of each. */
export function toFlowArrows(graph: FlowGraph): readonly FlowArrow[] {
  const groups = new Map<string, FlowEdge[]>();
  for (const edge of graph.edges) {
    const key = `${edge.from}\n${edge.to}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [edge]);
    else group.push(edge);
  }
  return [...groups.values()].map(toArrow);
}

function toArrow(edges: readonly FlowEdge[]): FlowArrow {
  const { from, to } = edges[0] as FlowEdge;
  return {
    from,
    to,
    edges,
    isFaint: edges.every((edge) => edge.kind === 'system' || edge.kind === 'blocked' || edge.kind === 'seen'),
    isWrong: edges.some((edge) => edge.kind === 'orphan'),
    isOnPath: edges.some((edge) => edge.isOnPath),
  };
}

/** How many lines a label has at most. */
const MAX_LINES = 8;

/** What is written on an arrow, a line for each topic: `build.done ×3 (default)`; the last says how many are missing. */
export function toArrowLines(arrow: FlowArrow, gateMark: string): readonly string[] {
  const shown = arrow.edges.length > MAX_LINES ? arrow.edges.slice(0, MAX_LINES - 1) : arrow.edges;
  const lines = shown.map((edge) => toEdgeText(edge, gateMark));
  return shown.length < arrow.edges.length ? [...lines, `and ${arrow.edges.length - shown.length} more`] : lines;
}

/** One topic with what is to be known about it. */
export function toEdgeText(edge: FlowEdge, gateMark: string): string {
  const gate = edge.isGated ? `${gateMark} ` : '';
  const count = edge.count === undefined ? '' : ` ×${edge.count}`;
  return `${gate}${edge.topic}${count}${edge.isDefault ? ' (default)' : ''}`;
}

const WORDS: Readonly<Partial<Record<FlowMark, string>>> = {
  entry: 'entry',
  recovery: 'recovery',
  'may-end': 'may end',
  unreachable: 'unreachable',
};

/** The label of a node, with its turns in a past run: `builder ×3`. */
export function toNodeTitle(node: FlowNode): string {
  return node.turns === undefined ? node.label : `${node.label} ×${node.turns}`;
}

/** What is special about a node in words: `entry · recovery · may end`; empty where nothing is. */
export function toMarkText(node: Pick<FlowNode, 'kind' | 'marks'>): string {
  if (node.kind !== 'hat' && node.kind !== 'ralph') return '';
  return node.marks.flatMap((mark) => WORDS[mark] ?? []).join(' · ');
}

/** A name on one line, cut to a number of characters, without control characters that a terminal would obey. */
export function toShortText(text: string, limit: number): string {
  const plain = [...maskControls(text.slice(0, limit * 4 + 100), { by: ' ' })];
  return plain.length <= limit ? plain.join('') : `${plain.slice(0, limit - 1).join('')}…`;
}
