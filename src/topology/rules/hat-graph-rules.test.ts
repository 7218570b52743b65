import { describe, expect, it } from 'vitest';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { checkEndlessCycles } from './check-endless-cycles.ts';
import { checkFailureHats } from './check-failure-hats.ts';
import { checkShortestRun } from './check-shortest-run.ts';
import { askRule } from './rule-fixtures.ts';

type Parts = Omit<NonNullable<Parameters<typeof makeSpec>[0]>, 'hats'>;

function check(hats: readonly HatSpec[], parts: Parts = {}) {
  const rules = [checkEndlessCycles, checkFailureHats, checkShortestRun];
  return rules.flatMap((rule) => askRule(rule, makeSpec({ hats, ...parts })));
}

function codesOf(hats: readonly HatSpec[], parts: Parts = {}): readonly string[] {
  return check(hats, parts).map((finding) => `${finding.code} ${finding.hats?.join('+') ?? ''}`.trim());
}

describe('cycle-without-exit', () => {
  const planner = makeHat('planner', ['task.start', 'task.resume'], ['build.task']);
  const builder = makeHat('builder', ['build.task', 'review.rejected'], ['review.request']);
  const reviewer = makeHat('reviewer', ['review.request'], ['review.rejected']);

  it('names the cycle from which no way leads to a hat that may end', () => {
    expect(check([planner, builder, reviewer])).toMatchObject([
      {
        code: 'cycle-without-exit',
        severity: 'warning',
        message: 'The cycle builder → review.request → reviewer → review.rejected → builder has no exit.',
        at: { kind: 'hat-list', hat: 'builder', list: 'publishes' },
        hats: ['builder', 'reviewer'],
        topics: ['review.request', 'review.rejected'],
        related: [{ at: { kind: 'hat', hat: 'reviewer' } }],
      },
    ]);
  });

  it('finds a hat that calls itself for ever', () => {
    const worker = makeHat('worker', ['build.task', 'work.more'], ['work.more']);
    expect(check([planner, worker])[0]?.message).toBe('The cycle worker → work.more → worker has no exit.');
  });

  it('tells only the last of cycles that lead into each other', () => {
    const a = makeHat('a', ['build.task', 'a.again'], ['a.again', 'b.go']);
    const b = makeHat('b', ['b.go', 'b.again'], ['b.again']);
    expect(codesOf([planner, a, b])).toEqual(['cycle-without-exit b']);
  });

  it.each<[string, Partial<HatSpec> & { readonly publishes?: HatSpec['publishes'] }]>([
    ['hands to the recovery hat', { publishes: [{ topic: 'review.rejected' }, { topic: 'task.resume' }] }],
    ['may end the run', { publishes: [{ topic: 'review.rejected' }, { topic: 'LOOP_COMPLETE' }] }],
    ['may complete the task', { publishes: [{ topic: 'review.rejected' }, { topic: 'task.complete' }] }],
    ['publishes a terminal event', { publishes: [{ topic: 'review.rejected' }, { topic: 'shipped' }] }],
    ['publishes what nobody takes', { publishes: [{ topic: 'review.rejected' }, { topic: 'nobody.takes' }] }],
    ['hands to Ralph', { publishes: [{ topic: 'review.rejected' }, { topic: 'x', target: 'ralph' }] }],
    ['has a limit of its own', { maxActivations: 3 }],
    ['may call the recovery hat', { transitions: ['planner'] }],
    ['may call Ralph', { transitions: ['ralph'] }],
  ])('is no endless one where a hat of it %s', (_, parts) => {
    expect(codesOf([planner, builder, { ...reviewer, ...parts }], { terminalEvents: ['shipped'] })).toEqual([]);
  });

  it('knows that a terminal event which somebody takes goes on', () => {
    const back = makeHat('reviewer', ['review.request'], ['review.rejected']);
    expect(codesOf([planner, builder, back], { terminalEvents: ['review.rejected'] })).toEqual(['cycle-without-exit builder+reviewer']);
  });

  it('leaves cycles to Ralph where he coordinates, and unreachable hats to their own rule', () => {
    expect(codesOf([planner, builder, reviewer], { coordinator: 'ralph' })).toEqual([]);
    expect(codesOf([makeHat('planner', ['task.start', 'task.resume']), builder, reviewer])).toEqual([]);
  });

  it('is silent about planner and builder', () => {
    expect(
      codesOf([
        makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.task']),
        makeHat('builder', ['build.task'], ['build.done']),
      ]),
    ).toEqual([]);
  });

  it('cuts a long cycle in its middle', () => {
    const count = 40;
    const ring = Array.from({ length: count }, (_, at) =>
      makeHat(`h${at}`, at === 0 ? ['build.task', 't0'] : [`t${at}`], [`t${(at + 1) % count}`]),
    );
    expect(check([planner, ...ring])[0]?.message).toBe(
      'The cycle h0 → t1 → h1 → t2 → h2 → t3 → h3 → t4 → h4 → t5 → h5 → … (34 more) → t0 → h0 has no exit.',
    );
  });

  it('gives up on thousands of patterns that all meet each other, quickly', () => {
    const many = Array.from({ length: 3000 }, (_, at) => makeHat(`h${at}`, ['*'], [`*.t${at}`]));
    expect(codesOf(many)).toEqual([]);
  });
});

describe('hat-only-after-failure', () => {
  const planner = makeHat('planner', ['task.start', 'task.resume', 'fix.done'], ['build.done']);

  it('warns of a hat that only a failure calls, and at whom only that hat calls', () => {
    const debugger_ = makeHat('debugger', ['error.*'], ['fix.ready']);
    const fixer = makeHat('fixer', ['fix.ready'], ['fix.done']);
    expect(check([planner, debugger_, fixer])).toMatchObject([
      {
        code: 'hat-only-after-failure',
        severity: 'warning',
        message: "Hat 'debugger' only runs after a failure.",
        at: { kind: 'hat', hat: 'debugger' },
      },
      { hats: ['fixer'] },
    ]);
  });

  it('counts what a failing gate makes of a topic as a failure', () => {
    const doctor = makeHat('doctor', ['build.blocked', 'task.blocked'], ['fix.done']);
    expect(codesOf([planner, doctor], { gates: [makeGate(['build.done'])] })).toEqual(['hat-only-after-failure doctor']);
    expect(codesOf([planner, makeHat('doctor', ['task.blocked'], ['fix.done'])])).toEqual(['hat-only-after-failure doctor']);
  });

  it('is silent where something else calls it too, and about a lone star', () => {
    const builder = makeHat('builder', ['build.done'], ['review.rejected']);
    expect(codesOf([planner, builder, makeHat('debugger', ['error.*', 'review.rejected'], ['fix.done'])])).toEqual([]);
    expect(codesOf([planner, makeHat('rest', ['*'], ['fix.done'])])).toEqual([]);
    expect(codesOf([planner, makeHat('other', ['never.published'], ['fix.done'])])).toEqual([]);
  });
});

describe('iterations-too-few', () => {
  const planner = makeHat('a', ['task.start'], ['b.go']);
  const middle = makeHat('b', ['b.go'], ['c.go']);
  const last = makeHat('c', ['c.go', 'task.resume'], ['LOOP_COMPLETE']);
  const turns = (maxIterations: number, hats: readonly HatSpec[], parts: Parts = {}) =>
    codesOf(hats, { ...parts, limits: { maxIterations } });

  it('counts the turns from the start to the first hat that may end', () => {
    expect(check([planner, middle, last], { limits: { maxIterations: 2 } })).toMatchObject([
      {
        code: 'iterations-too-few',
        severity: 'warning',
        message: '`max_iterations` is 2, but the shortest way to a completion takes 3 turns.',
        at: { kind: 'loop', key: 'max_iterations' },
      },
    ]);
    expect(turns(3, [planner, middle, last])).toEqual([]);
  });

  it('is satisfied with one turn where the first hat may end', () => {
    expect(turns(1, [makeHat('worker', ['task.start'])])).toEqual([]);
    expect(turns(1, [makeHat('planner', ['task.start', 'task.resume', 'x'], ['y']), makeHat('b', ['y'], ['x'])])).toEqual([]);
  });

  it('counts the turns in which required events can be published', () => {
    const lead = makeHat('lead', ['task.start', 'task.resume', 'done'], ['work']);
    const worker = makeHat('worker', ['work'], ['done']);
    expect(turns(2, [lead, worker], { requiredEvents: ['done'] })).toEqual(['iterations-too-few']);
    expect(turns(3, [lead, worker], { requiredEvents: ['done'] })).toEqual([]);
    expect(turns(1, [makeHat('one', ['task.start'], ['done'])], { requiredEvents: ['done'] })).toEqual([]);
  });

  it('counts Ralph where he coordinates', () => {
    const hats = [makeHat('a', ['go'], ['b.go']), makeHat('b', ['b.go'], ['done'])];
    expect(turns(1, hats)).toEqual([]);
    expect(turns(1, hats, { startingEvent: 'go' })).toEqual(['iterations-too-few']);
    expect(turns(2, hats, { startingEvent: 'go' })).toEqual([]);
  });

  it('says nothing where no way leads to an end', () => {
    expect(turns(1, [planner, makeHat('b', ['b.go'], []), makeHat('c', ['c.go', 'task.resume'], [])])).toEqual([]);
  });
});
