import type { FlowEdge, FlowGraph } from './flow-graph.ts';

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
