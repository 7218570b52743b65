import { describe, expect, it } from 'vitest';
import { makeHat } from '../../core/spec-fixtures.ts';
import type { FlowGraph } from '../../topology/graph/flow-graph.ts';
import { completedRun, createScript, sampleSpec } from '../fixtures.ts';
import { createGraphFold } from './fold-graph.ts';

function viewOf(records: ReturnType<typeof completedRun>['records']): FlowGraph | null {
  const fold = createGraphFold();
  for (const record of records) fold.take(record);
  return fold.view();
}

function countsOf(graph: FlowGraph | null): readonly string[] {
  return (graph?.edges ?? []).map(
    ({ from, topic, to, kind, count }) => `${from} -${topic}-> ${to} ×${count}${kind === 'seen' ? ' (seen)' : ''}`,
  );
}

describe('the graph of a run', () => {
  it('counts how often each event went where, and the turns of each hat', () => {
    const graph = viewOf(completedRun().records);
    expect(countsOf(graph)).toEqual([
      'start -task.start-> hat:planner ×1',
      'loop -task.resume-> hat:planner ×0',
      'hat:planner -build.task-> hat:builder ×2',
      'hat:planner -LOOP_COMPLETE-> end ×1',
      'hat:builder -build.done-> hat:reviewer ×1',
      'hat:builder -build.blocked-> hat:planner ×1',
      'hat:reviewer -review.passed-> hat:planner ×1',
      'hat:reviewer -review.rejected-> hat:builder ×0',
    ]);
    expect(graph?.nodes.filter((node) => node.kind === 'hat').map((node) => [node.label, node.turns])).toEqual([
      ['planner', 3],
      ['builder', 2],
      ['reviewer', 1],
    ]);
  });

  it('counts an event that a gate blocked for the hat whose event it was', () => {
    const script = createScript();
    script.publish('build.blocked', 'quality_gate', ['planner'], {
      payload: { blocked_by: 'npm test', original: 'build.done', published_by: 'builder' },
    });
    expect(countsOf(viewOf(script.records))).toContain('hat:builder -build.blocked-> hat:planner ×1');
  });

  it('shows what nobody declared: events from outside, and those of a Ralph who stepped in', () => {
    const script = createScript();
    script.publish('build.task', 'external', ['builder']);
    script.publish('odd.one', 'builder', ['ralph'], { how: 'safety-net' });
    script.publish('build.task', 'ralph', ['builder']);
    const graph = viewOf(script.records);
    expect(countsOf(graph).filter((line) => line.endsWith('(seen)'))).toEqual([
      'external -build.task-> hat:builder ×1 (seen)',
      'hat:builder -odd.one-> ralph ×1 (seen)',
      'ralph -build.task-> hat:builder ×1 (seen)',
    ]);
    expect(graph?.nodes.map((node) => node.id).slice(0, 2)).toEqual(['external', 'ralph']);
  });

  it('counts an orphan on its way to nobody, though Ralph got it', () => {
    const hats = [makeHat('worker', ['task.start', 'task.resume'], ['lost.event'])];
    const script = createScript(sampleSpec({ hats }));
    script.publish('lost.event', 'worker', ['ralph'], { how: 'safety-net' });
    expect(countsOf(viewOf(script.records))).toContain('hat:worker -lost.event-> nobody ×1');
  });

  it('counts an event under the pattern by which it was declared', () => {
    const hats = [makeHat('a', ['task.start', 'task.resume'], ['review.*']), makeHat('b', ['review.done'])];
    const script = createScript(sampleSpec({ hats }));
    script.publish('review.done', 'a', ['b']);
    expect(countsOf(viewOf(script.records))).toContain('hat:a -review.*-> hat:b ×1');
  });

  it('is the team that the run goes on with after a changed configuration', () => {
    const script = completedRun();
    script.input({ type: 'run-resumed', spec: sampleSpec({ hats: [makeHat('solo', ['task.start'])] }) });
    expect(viewOf(script.records)?.nodes.some((node) => node.id === 'hat:solo')).toBe(true);
  });

  it('is not there before the run has begun', () => {
    expect(viewOf([])).toBeNull();
  });
});
