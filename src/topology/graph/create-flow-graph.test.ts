import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../core/run/run-spec.ts';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from '../routing/compile-topology.ts';
import { createFlowGraph } from './create-flow-graph.ts';
import type { FlowGraph } from './flow-graph.ts';

function graphOf(parts: Parameters<typeof makeSpec>[0]): FlowGraph {
  return createFlowGraph(compileTopology(makeSpec(parts)));
}

/** `from -topic-> to (kind)`. */
function ways(graph: FlowGraph): readonly string[] {
  return graph.edges.map(({ from, topic, to, kind }) => `${from} -${topic}-> ${to} (${kind})`);
}

const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done', '*.blocked'], ['build.task']);
const BUILDER = makeHat('builder', ['build.task'], ['build.done', 'build.stuck'], { defaultPublishes: ['build.done'] });

describe('the flow graph of hats that coordinate themselves', () => {
  const graph = graphOf({ hats: [PLANNER, BUILDER], gates: [makeGate(['build.done'])] });

  it('leads from the start through the hats to the end', () => {
    expect(ways(graph)).toEqual([
      'start -task.start-> hat:planner (start)',
      'loop -task.resume-> hat:planner (system)',
      'hat:planner -build.task-> hat:builder (event)',
      'hat:planner -LOOP_COMPLETE-> end (complete)',
      'hat:builder -build.done-> hat:planner (event)',
      'hat:builder -build.stuck-> nobody (orphan)',
      'hat:builder -build.blocked-> hat:planner (blocked)',
    ]);
  });

  it('marks who begins, who is called when nothing is left to do, and who may end', () => {
    expect(graph.nodes.map((node) => [node.id, node.marks])).toEqual([
      ['start', []],
      ['loop', []],
      ['hat:planner', ['entry', 'recovery', 'may-end']],
      ['hat:builder', []],
      ['nobody', []],
      ['end', []],
    ]);
  });

  it('says which event is guarded, which is the default, and by which trigger it is taken', () => {
    expect(graph.edges.find((edge) => edge.topic === 'build.done')).toMatchObject({
      isGated: true,
      isDefault: true,
      trigger: 'build.done',
    });
    expect(graph.edges.find((edge) => edge.topic === 'build.blocked')).toMatchObject({ isGated: false, trigger: '*.blocked' });
  });

  it('takes a blocked event that the hat may publish itself for its own', () => {
    const hats = [PLANNER, makeHat('builder', ['build.task'], ['build.done', 'build.blocked'])];
    const graph = graphOf({ hats, gates: [makeGate(['build.done'])] });
    expect(graph.edges.filter((edge) => edge.topic === 'build.blocked').map((edge) => edge.kind)).toEqual(['event']);
  });

  it('leads a published pattern to every hat that may get something of it', () => {
    const team = graphOf({
      hats: [
        makeHat('a', ['task.start', 'task.resume'], ['review.*']),
        makeHat('b', ['review.ok']),
        makeHat('c', ['review.no']),
        makeHat('d', ['other']),
      ],
    });
    expect(ways(team).filter((way) => way.includes('review.*'))).toEqual([
      'hat:a -review.*-> hat:b (event)',
      'hat:a -review.*-> hat:c (event)',
    ]);
  });

  it('leads a named target to that hat, and an unknown one to nobody', () => {
    const publishes = [
      { topic: 'x.y', target: 'b' },
      { topic: 'x.z', target: 'gone' },
      { topic: 'x.r', target: 'ralph' },
    ];
    const team = graphOf({ hats: [makeHat('a', ['task.start', 'task.resume'], publishes), makeHat('b', ['never.said'])] });
    expect(ways(team)).toEqual(
      expect.arrayContaining(['hat:a -x.y-> hat:b (target)', 'hat:a -x.z-> nobody (orphan)', 'hat:a -x.r-> ralph (target)']),
    );
  });

  it('leads to the hats that a hat may hand on to without an event', () => {
    const hats = [
      PLANNER,
      makeHat('builder', ['build.task'], ['build.done'], { transitions: ['helper', 'gone'] }),
      makeHat('helper', ['x.y']),
    ];
    expect(ways(graphOf({ hats })).filter((way) => way.includes('transition'))).toEqual([
      'hat:builder -HAT_TRANSITION-> hat:helper (transition)',
    ]);
  });

  it('hands a terminal event off, unless a hat takes it', () => {
    const hats = [PLANNER, makeHat('shipper', ['build.task'], ['deploy.done', 'build.done'])];
    expect(ways(graphOf({ hats, terminalEvents: ['deploy.done', 'build.done'] }))).toEqual(
      expect.arrayContaining(['hat:shipper -deploy.done-> handoff (handoff)', 'hat:shipper -build.done-> hat:planner (event)']),
    );
  });

  it('shows failures of turns only where a hat waits for them by name', () => {
    const debuggers = [makeHat('debugger', ['error.*'])];
    expect(ways(graphOf({ hats: [PLANNER, ...debuggers] }))).toContain('loop -error.cli-> hat:debugger (system)');
    expect(ways(graphOf({ hats: [PLANNER, makeHat('all', ['*'])] })).join()).not.toContain('error.cli');
  });

  it('gives a hat the codes of the errors and warnings that it is named in first', () => {
    const facts = { message: '', why: '', fix: '' };
    const findings = [
      { ...facts, code: 'hat-unreachable', severity: 'error' as const, hats: ['builder', 'planner'] },
      { ...facts, code: 'some-hint', severity: 'hint' as const, hats: ['planner'] },
    ];
    const nodes = createFlowGraph(compileTopology(makeSpec({ hats: [PLANNER, BUILDER] })), findings).nodes;
    expect(nodes.filter((node) => node.kind === 'hat').map((node) => [node.findings, node.marks.includes('unreachable')])).toEqual([
      [[], false],
      [['hat-unreachable'], true],
    ]);
  });
});

describe('the flow graph under other coordinations', () => {
  it('draws a coordinating Ralph with what nobody takes and what only he can set going', () => {
    const team = graphOf({ hats: [BUILDER, makeHat('reviewer', ['build.done', 'audit.*'], ['review.approved'])] });
    expect(ways(team)).toEqual([
      'start -task.start-> ralph (start)',
      'hat:builder -build.done-> hat:reviewer (event)',
      'hat:builder -build.stuck-> ralph (unclaimed)',
      'hat:reviewer -review.approved-> ralph (unclaimed)',
      'ralph -build.task-> hat:builder (ralph)',
      'ralph -audit.*-> hat:reviewer (ralph)',
      'ralph -LOOP_COMPLETE-> end (complete)',
    ]);
  });

  it('draws one agent that does everything', () => {
    expect(ways(graphOf({}))).toEqual(['start -task.start-> ralph (start)', 'ralph -LOOP_COMPLETE-> end (complete)']);
    expect(ways(graphOf({ mode: 'single' }))).toEqual([
      'start -task.start-> hat:default (start)',
      'hat:default -LOOP_COMPLETE-> end (complete)',
    ]);
  });
});

const words = fc.constantFrom('a.x', 'a.y', 'b.x', 'a.*', '*.x', '*', 'task.start', 'task.resume', 'task.complete', 'error.*', 'odd "one"');
const hat = fc.record({ triggers: fc.array(words, { maxLength: 4 }), publishes: fc.array(words, { maxLength: 4 }) });
const teams = fc.record({
  hats: fc.array(hat, { maxLength: 8 }),
  routing: fc.constantFrom('exclusive' as const, 'fanout' as const),
  coordinator: fc.constantFrom('auto' as const, 'ralph' as const, 'hats' as const),
  mode: fc.constantFrom(null, null, 'single' as const, 'multi' as const),
  gates: fc.array(words, { maxLength: 2 }),
});

function toSpec({ hats, gates, ...rest }: typeof teams extends fc.Arbitrary<infer T> ? T : never): RunSpec {
  return makeSpec({ ...rest, hats: hats.map((one, index) => makeHat(`h${index}`, one.triggers, one.publishes)), gates: [makeGate(gates)] });
}

describe('the flow graph of any team, sound or not', () => {
  it('has unique ids, and edges between nodes that are there', () => {
    fc.assert(
      fc.property(teams, (team) => {
        const { nodes, edges } = createFlowGraph(compileTopology(toSpec(team)));
        const ids = new Set(nodes.map((node) => node.id));
        expect(ids.size).toBe(nodes.length);
        expect(new Set(edges.map((edge) => edge.id)).size).toBe(edges.length);
        for (const edge of edges) expect(ids.has(edge.from) && ids.has(edge.to), `${edge.from} ${edge.to}`).toBe(true);
      }),
    );
  });

  it('is bounded where every hat may send to every other', () => {
    const hats = Array.from({ length: 330 }, (_, index) => makeHat(`h${index}`, ['*'], ['*']));
    const graph = graphOf({ hats, coordinator: 'hats' });
    expect(graph.isCut).toBe(true);
    expect(graph.edges.length).toBe(100_000);
  });
});
