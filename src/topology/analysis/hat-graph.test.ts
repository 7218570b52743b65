import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findComponents } from './hat-graph.ts';

type Graph = readonly (readonly number[])[];

const GRAPHS = fc.integer({ min: 1, max: 12 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count - 1 });
  return fc.array(fc.array(node, { maxLength: 4 }), { minLength: count, maxLength: count });
});

function reaches(graph: Graph, from: number): ReadonlySet<number> {
  const seen = new Set([from]);
  for (const node of seen) for (const next of graph[node] ?? []) seen.add(next);
  return seen;
}

function toComponents(graph: Graph): readonly (readonly number[])[] {
  return findComponents(graph.length, (node) => graph[node] ?? []);
}

it('puts two nodes together if and only if each can be reached from the other', () => {
  fc.assert(
    fc.property(GRAPHS, (graph) => {
      const groups = toComponents(graph);
      const groupOf = new Map(groups.flatMap((nodes, group) => nodes.map((node) => [node, group] as const)));
      expect(groupOf.size).toBe(graph.length);
      const reached = graph.map((_, node) => reaches(graph, node));
      for (const a of graph.keys()) {
        for (const b of graph.keys()) {
          expect(groupOf.get(a) === groupOf.get(b)).toBe(reached[a]?.has(b) === true && reached[b]?.has(a) === true);
        }
      }
    }),
  );
});

it('tells a component after those that it leads to', () => {
  fc.assert(
    fc.property(GRAPHS, (graph) => {
      const groups = toComponents(graph);
      const groupOf = new Map(groups.flatMap((nodes, group) => nodes.map((node) => [node, group] as const)));
      for (const [node, nexts] of graph.entries()) {
        for (const next of nexts) expect(groupOf.get(next)).toBeLessThanOrEqual(groupOf.get(node) ?? 0);
      }
    }),
  );
});

it('walks chains and rings that no stack could', () => {
  const count = 200_000;
  expect(findComponents(count, (node) => (node + 1 < count ? [node + 1] : []))).toHaveLength(count);
  expect(findComponents(count, (node) => [(node + 1) % count])).toHaveLength(1);
});
