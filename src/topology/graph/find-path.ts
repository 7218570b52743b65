import { hasWildcard, intersectsPatterns, isTopicPattern } from '../../core/events/topics.ts';
import type { FlowEdge, FlowGraph } from './flow-graph.ts';

export interface FoundPath {
  /** The edges of one shortest way; empty where FROM and TO are the same node. `null`: there is no way. */
  readonly path: readonly FlowEdge[] | null;
  /** Ids of all nodes that can be reached from FROM, in the order in which they are. */
  readonly reached: readonly string[];
}

/** One end of a path: a node, or an event that goes along some edges. */
export type PathEnd = { readonly kind: 'node'; readonly id: string } | { readonly kind: 'event'; readonly topic: string };

/** What a word means: the id of a hat, `start`, `end`, `ralph` and so on, else a topic of the graph; `null` if neither. A hat wins. */
export function toPathEnd(graph: FlowGraph, word: string): PathEnd | null {
  const node =
    graph.nodes.find((candidate) => candidate.kind === 'hat' && candidate.label === word) ?? graph.nodes.find(({ id }) => id === word);
  if (node !== undefined) return { kind: 'node', id: node.id };
  return isTopicPattern(word) && graph.edges.some((edge) => isAbout(edge, word)) ? { kind: 'event', topic: word } : null;
}

/** The shortest way by events, found breadth first; of several the one that comes first in the file. A way from an event begins with it. */
export function findPath(graph: FlowGraph, from: PathEnd, to: PathEnd): FoundPath {
  if (from.kind === 'node' && to.kind === 'node' && from.id === to.id) return { path: [], reached: [] };
  const leaving = new Map<string, FlowEdge[]>();
  for (const edge of graph.edges) {
    const list = leaving.get(edge.from);
    if (list === undefined) leaving.set(edge.from, [edge]);
    else list.push(edge);
  }
  const first = from.kind === 'node' ? (leaving.get(from.id) ?? []) : graph.edges.filter((edge) => isAbout(edge, from.topic));
  const isGoal = (edge: FlowEdge): boolean => (to.kind === 'node' ? edge.to === to.id : isAbout(edge, to.topic));
  const reached = new Set<string>();
  const before = new Map<FlowEdge, FlowEdge | null>(first.map((edge) => [edge, null]));
  const queue = [...first];
  for (let at = 0; at < queue.length; at += 1) {
    const edge = queue[at] as FlowEdge;
    if (isGoal(edge)) return { path: walkBack(edge, before), reached: [...reached] };
    if (reached.has(edge.to)) continue;
    reached.add(edge.to);
    for (const next of leaving.get(edge.to) ?? []) {
      if (before.has(next)) continue;
      before.set(next, edge);
      queue.push(next);
    }
  }
  return { path: null, reached: [...reached] };
}

function walkBack(last: FlowEdge, before: ReadonlyMap<FlowEdge, FlowEdge | null>): readonly FlowEdge[] {
  const path: FlowEdge[] = [];
  for (let edge: FlowEdge | null | undefined = last; edge !== null && edge !== undefined; edge = before.get(edge)) path.push(edge);
  return path.reverse();
}

function isAbout(edge: FlowEdge, topic: string): boolean {
  return edge.topic === topic || (hasWildcard(edge.topic) && edge.topic !== '*' && intersectsPatterns(edge.topic, topic));
}

/** The graph with a path marked on its edges and nodes. */
export function markPath(graph: FlowGraph, path: readonly FlowEdge[]): FlowGraph {
  const edges = new Set(path.map((edge) => edge.id));
  const nodes = new Set(path.flatMap((edge) => [edge.from, edge.to]));
  return {
    ...graph,
    nodes: graph.nodes.map((node) => (nodes.has(node.id) ? { ...node, marks: [...node.marks, 'on-path' as const] } : node)),
    edges: graph.edges.map((edge) => (edges.has(edge.id) ? { ...edge, isOnPath: true } : edge)),
  };
}
