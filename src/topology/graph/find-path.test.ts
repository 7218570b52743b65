import { describe, expect, it } from 'vitest';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { createFlowGraph } from './create-flow-graph.ts';
import { findPath, markPath, toPathEnd } from './find-path.ts';

const GRAPH = createFlowGraph(
  compileTopology(
    makeSpec({
      hats: [
        makeHat('planner', ['task.start', 'task.resume', 'review.done'], ['build.task', 'review.task']),
        makeHat('builder', ['build.task'], ['build.done']),
        makeHat('reviewer', ['build.done', 'review.task'], ['review.done']),
        makeHat('island', ['never.said'], ['never.heard']),
      ],
    }),
  ),
);

function pathOf(from: string, to: string): readonly string[] | null {
  const [begin, end] = [toPathEnd(GRAPH, from), toPathEnd(GRAPH, to)];
  if (begin === null || end === null) throw new Error('unknown');
  return findPath(GRAPH, begin, end).path?.map((edge) => edge.topic) ?? null;
}

describe('a path through a flow graph', () => {
  it('is the shortest one between two hats', () => {
    expect(pathOf('planner', 'reviewer')).toEqual(['review.task']);
    expect(pathOf('builder', 'planner')).toEqual(['build.done', 'review.done']);
    expect(pathOf('start', 'end')).toEqual(['task.start', 'LOOP_COMPLETE']);
  });

  it('may begin or end with an event', () => {
    expect(pathOf('build.task', 'end')).toEqual(['build.task', 'build.done', 'review.done', 'LOOP_COMPLETE']);
    expect(pathOf('start', 'build.done')).toEqual(['task.start', 'build.task', 'build.done']);
    expect(pathOf('build.done', 'build.done')).toEqual(['build.done']);
  });

  it('is empty from a hat to itself', () => {
    expect(pathOf('planner', 'planner')).toEqual([]);
  });

  it('is not there where nothing leads; then what can be reached is told', () => {
    expect(pathOf('planner', 'island')).toBeNull();
    const found = findPath(GRAPH, { kind: 'node', id: 'hat:island' }, { kind: 'node', id: 'end' });
    expect(found).toEqual({ path: null, reached: ['nobody'] });
  });

  it('knows no other words', () => {
    expect(toPathEnd(GRAPH, 'biulder')).toBeNull();
    expect(toPathEnd(GRAPH, 'review.\u001b[31m')).toBeNull();
  });

  it('is marked on the nodes and edges that it goes through', () => {
    const { path } = findPath(GRAPH, { kind: 'node', id: 'hat:builder' }, { kind: 'node', id: 'hat:planner' });
    const marked = markPath(GRAPH, path ?? []);
    expect(marked.edges.filter((edge) => edge.isOnPath).map((edge) => edge.topic)).toEqual(['build.done', 'review.done']);
    expect(marked.nodes.filter((node) => node.marks.includes('on-path')).map((node) => node.label)).toEqual([
      'planner',
      'builder',
      'reviewer',
    ]);
  });
});
