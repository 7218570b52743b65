import { type FlowEdge, type FlowGraph, type FlowNode, toEdgeText, toMarkText, toNodeTitle, toShortText } from './flow-graph.ts';

/**
 * A flow graph as lines of text, for teams that are too large to be drawn: each node with what leaves it, one line for each topic.
 * `╌` instead of `─`: the loop does it by itself. `┃` at the left: on the path that was asked for.
 */
export function drawList(graph: FlowGraph): string {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const leaving = new Map<string, FlowEdge[]>();
  for (const edge of graph.edges) {
    const known = leaving.get(edge.from);
    if (known === undefined) leaving.set(edge.from, [edge]);
    else known.push(edge);
  }
  const lines = graph.nodes.flatMap((node) => toNodeLines(node, leaving.get(node.id) ?? [], byId));
  if (graph.isCut) lines.push('… and more: there are too many ways to list.');
  return `${lines.join('\n')}\n`;
}

const MAX_WORDS = 80;

function toText(edge: FlowEdge): string {
  return toShortText(toEdgeText(edge, '◈'), MAX_WORDS);
}

function toNodeLines(node: FlowNode, edges: readonly FlowEdge[], byId: ReadonlyMap<string, FlowNode>): readonly string[] {
  if (edges.length === 0 && node.kind !== 'hat') return [];
  const marks = [toMarkText(node), ...node.findings.filter((code) => code !== 'hat-unreachable')].filter((part) => part !== '').join(' · ');
  const title = [toNodeTitle(node), node.detail]
    .filter((part) => part !== '')
    .map((part) => toShortText(part, MAX_WORDS))
    .join('  ');
  const width = edges.reduce((most, edge) => Math.max(most, [...toText(edge)].length), 0);
  return [
    `${marks === '' ? title : `${title}  [${marks}]`}`,
    ...edges.map((edge) => toEdgeLine(edge, width, byId.get(edge.to))),
    ...(edges.length === 0 ? ['    (publishes nothing)'] : []),
  ];
}

function toEdgeLine(edge: FlowEdge, width: number, to: FlowNode | undefined): string {
  const dash = edge.kind === 'system' || edge.kind === 'blocked' || edge.kind === 'seen' ? '╌' : '─';
  const text = toText(edge);
  const by = edge.trigger === null || edge.trigger === edge.topic ? '' : `  (by ${toShortText(edge.trigger, MAX_WORDS)})`;
  const name = to === undefined ? '' : to.kind === 'nobody' ? 'nobody takes it!' : toShortText(to.label, MAX_WORDS);
  return `  ${edge.isOnPath ? '┃' : ' '} ${dash}${dash} ${text} ${dash.repeat(width - [...text].length + 2)}▶ ${name}${by}`;
}
