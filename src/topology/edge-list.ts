import type { FlowEdge } from './flow-graph.ts';

/** What is known of an edge when it is added; what is absent is not the case. */
export type EdgeFacts = Pick<FlowEdge, 'from' | 'to' | 'topic' | 'kind'> & Partial<Pick<FlowEdge, 'trigger' | 'isDefault' | 'isGated'>>;

/** Edges under construction. */
export interface EdgeList {
  /** Adds an edge, unless the same topic goes the same way already. */
  readonly add: (facts: EdgeFacts) => void;
  readonly isFull: () => boolean;
  /** True if edges were refused because the list was full. */
  readonly isCut: () => boolean;
  readonly list: () => readonly FlowEdge[];
}

/** An empty list that takes so many edges. */
export function createEdgeList(limit: number): EdgeList {
  const edges = new Map<string, FlowEdge>();
  let isCut = false;
  return {
    add: ({ from, to, topic, kind, trigger = null, isDefault = false, isGated = false }) => {
      const key = `${from}\n${to}\n${topic}`;
      if (edges.has(key)) return;
      if (edges.size >= limit) {
        isCut = true;
        return;
      }
      edges.set(key, { id: `e${edges.size + 1}`, from, to, topic, kind, trigger, isDefault, isGated, isOnPath: false });
    },
    isFull: () => edges.size >= limit,
    isCut: () => isCut,
    list: () => [...edges.values()],
  };
}
