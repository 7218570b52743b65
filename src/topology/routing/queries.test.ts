import { describe, expect, it } from 'vitest';
import { makeGate, makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from './compile-topology.ts';
import {
  emittableBy,
  hasTurns,
  isCompletionTopic,
  isTerminalTopic,
  listedTargetOf,
  mayEnd,
  mayHandOn,
  mayPublish,
  publishableBy,
  receiversOf,
  safetyNetOf,
  takersOf,
} from './queries.ts';

const HATS = [
  makeHat('planner', ['task.start', 'task.resume', 'build.done', 'review.*'], ['build.start', { topic: 'handoff', target: 'reviewer' }]),
  makeHat('builder', ['build.start'], ['build.*', 'deploy.done']),
  makeHat('reviewer', ['review.asked'], []),
];

function team(parts: Parameters<typeof makeSpec>[0] = {}) {
  return compileTopology(makeSpec({ hats: HATS, ...parts }));
}

describe('takers', () => {
  const both = [makeHat('a', ['x', 'y.*']), makeHat('b', ['x', 'y.z', '*'])];

  it('one hat takes an event: the first of the file where several could', () => {
    expect(takersOf(team({ hats: both }), 'x')).toEqual(['a']);
  });

  it('fanout delivers to all subscribers of the best precedence, in the order of the file', () => {
    const topology = team({ hats: both, routing: 'fanout' });
    expect([takersOf(topology, 'x'), takersOf(topology, 'y.z'), takersOf(topology, 'y.q'), takersOf(topology, 'other')]).toEqual([
      ['a', 'b'],
      ['b'],
      ['a'],
      ['b'],
    ]);
  });

  it('nobody takes what nobody asked for', () => {
    expect(takersOf(team(), 'deploy.start')).toEqual([]);
  });
});

describe('what a hat may publish', () => {
  it.each([
    ['a topic that it lists', 'planner', 'build.start', undefined, true],
    ['a topic that it does not list', 'planner', 'build.done', undefined, false],
    ['a topic that a pattern of its publishes matches', 'builder', 'build.failed', undefined, true],
    ['anything, when it lists nothing', 'reviewer', 'review.done', undefined, false],
    ['a listed topic with a target of its own choice', 'planner', 'build.start', 'reviewer', true],
    ['another topic, although a target is given', 'planner', 'gossip', 'reviewer', false],
    ['a listed edge to its target', 'planner', 'handoff', 'reviewer', true],
    ['a listed edge without naming the target', 'planner', 'handoff', undefined, true],
    ['a listed edge towards another hat', 'planner', 'handoff', 'builder', false],
    ['anything, when it is no hat', 'stranger', 'build.start', undefined, false],
  ])('%s', (_name, hat, topic, target, expected) => {
    expect(mayPublish(team(), hat, topic, target)).toBe(expected);
  });

  it.each([
    ['planner', 'gossip', 'reviewer', true],
    ['reviewer', 'gossip', 'ralph', true],
    ['ralph', 'gossip', 'reviewer', true],
    ['planner', 'gossip', 'nobody', false],
    ['planner', 'gossip', undefined, false],
  ])('in files that give a `mode` a known target lifts publishes: %s sends %s to %s', (hat, topic, target, expected) => {
    expect(mayPublish(team({ mode: 'multi' }), hat, topic, target)).toBe(expected);
  });
});

describe('what Ralph and people may publish', () => {
  const topology = team({
    terminalEvents: ['deploy.complete'],
    requiredEvents: ['audit.done'],
    gates: [makeGate(['unheard', 'release.*']), makeGate(['other'])],
  });

  it.each(['ralph', 'external'])('%s: what a hat takes, and what is terminal, required or gated', (hat) => {
    const topics = ['build.start', 'review.anything', 'deploy.complete', 'audit.done', 'release.cut', 'gossip'];
    expect(topics.filter((topic) => mayPublish(topology, hat, topic))).toEqual([
      'build.start',
      'review.anything',
      'deploy.complete',
      'audit.done',
      'release.cut',
    ]);
  });

  it('anything in solo', () => {
    const solo = compileTopology(makeSpec());
    expect([mayPublish(solo, 'ralph', 'gossip'), mayPublish(solo, 'external', 'gossip')]).toEqual([true, true]);
  });

  it('anything in mode: single, where the one hat does it', () => {
    expect(mayPublish(compileTopology(makeSpec({ mode: 'single' })), 'default', 'gossip')).toBe(true);
  });
});

describe('handing on by HAT_TRANSITION', () => {
  const hats = [
    makeHat('a', ['x'], ['far.away', 'impl.done'], { transitions: ['d'] }),
    makeHat('b', ['never.ever', 'impl.*'], ['review.*']),
    makeHat('c', ['review.done'], [{ topic: 'impl.done', target: 'a' }]),
    makeHat('d', ['never'], []),
  ];
  const topology = team({ hats });

  it.each([
    ['takes a topic that it may publish', 'a', 'b', true],
    ['takes a topic that a pattern of its publishes covers', 'b', 'c', true],
    ['is listed in its transitions', 'a', 'd', true],
    ['takes nothing of what it may publish', 'a', 'c', false],
    ['takes what it may publish only towards another one', 'c', 'b', false],
    ['is the one that an entry of its publishes names', 'c', 'a', true],
    ['does not exist', 'a', 'nobody', false],
  ])('a hat may hand on to a hat that %s', (_name, from, to, expected) => {
    expect(mayHandOn(topology, from, to)).toBe(expected);
  });

  it('Ralph may hand on to every hat, people to none', () => {
    expect([mayHandOn(topology, 'ralph', 'd'), mayHandOn(topology, 'external', 'd')]).toEqual([true, false]);
  });
});

describe('who may end the run', () => {
  const hats = [
    makeHat('planner', ['task.start'], []),
    makeHat('a', ['x'], ['LOOP_COMPLETE']),
    makeHat('b', ['y'], ['task.complete']),
    makeHat('c', ['z'], ['z.done']),
  ];
  const everybody = ['ralph', 'planner', 'a', 'b', 'c', 'external', 'stranger'];

  it.each([
    ['ralph', 'Ralph, and a hat that lists the promise or task.complete', ['ralph', 'a', 'b']],
    ['hats', 'the recovery hat, and a hat that lists the promise or task.complete', ['planner', 'a', 'b']],
  ] as const)('under %s: %s', (coordinator, _who, expected) => {
    const topology = team({ hats, coordinator });
    expect(everybody.filter((hat) => mayEnd(topology, hat))).toEqual(expected);
  });

  it('under hats: a lone hat', () => {
    expect(mayEnd(team({ hats: [makeHat('one', ['task.start'])] }), 'one')).toBe(true);
  });

  it('under ralph a lone hat may not', () => {
    expect(mayEnd(team({ hats: [makeHat('one', ['x'])] }), 'one')).toBe(false);
  });

  it('under solo: Ralph; in mode: single the default hat; people never', () => {
    const solo = compileTopology(makeSpec());
    const single = compileTopology(makeSpec({ mode: 'single' }));
    expect([mayEnd(solo, 'ralph'), mayEnd(solo, 'external'), mayEnd(single, 'default'), mayEnd(single, 'external')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('a hat that lists the configured promise', () => {
    const topology = team({ hats: [makeHat('a', ['x'], ['ALL_DONE']), makeHat('b', ['y'], ['LOOP_COMPLETE'])], promise: 'ALL_DONE' });
    expect([mayEnd(topology, 'a'), mayEnd(topology, 'b')]).toEqual([true, false]);
  });
});

describe('topics that end or need no taker', () => {
  const topology = team({ promise: 'ALL_DONE', terminalEvents: ['deploy.complete'] });

  it('the promise and task.complete end the run, terminal events do not', () => {
    expect(['ALL_DONE', 'task.complete', 'deploy.complete', 'LOOP_COMPLETE'].map((topic) => isCompletionTopic(topology, topic))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('all of them need no taker', () => {
    expect(['ALL_DONE', 'task.complete', 'deploy.complete', 'LOOP_COMPLETE'].map((topic) => isTerminalTopic(topology, topic))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('who gets what', () => {
  it.each([
    ['a topic that a hat takes', { topic: 'build.start' }, ['builder']],
    ['a topic that nobody takes', { topic: 'gossip' }, ['ralph']],
    ['a terminal topic', { topic: 'deploy.complete' }, []],
    ['the promise', { topic: 'LOOP_COMPLETE' }, []],
    ['a target', { topic: 'gossip', target: 'builder' }, ['builder']],
    ['a pattern', { topic: 'review.*' }, ['planner', 'reviewer']],
    ['a pattern that only a terminal topic matches', { topic: 'deploy.*' }, []],
    ['a pattern that nobody takes anything of', { topic: 'gossip.*' }, ['ralph']],
  ])('%s', (_name, publish, expected) => {
    expect(receiversOf(team({ terminalEvents: ['deploy.complete', 'other'] }), publish)).toEqual(expected);
  });

  it('the safety net is Ralph, in mode: single the one hat', () => {
    const single = compileTopology(makeSpec({ mode: 'single' }));
    expect([safetyNetOf(team()), safetyNetOf(single), receiversOf(single, { topic: 'x' })]).toEqual(['ralph', 'default', ['default']]);
  });

  it('a turn can be a hat’s or Ralph’s, in mode: single the one hat’s alone', () => {
    const single = compileTopology(makeSpec({ mode: 'single' }));
    expect([
      hasTurns(team(), 'builder'),
      hasTurns(team(), 'ralph'),
      hasTurns(team(), 'nobody'),
      hasTurns(single, 'ralph'),
      hasTurns(single, 'default'),
    ]).toEqual([true, true, false, false, true]);
  });

  it('the target that publishes lists for a topic, unless the topic is listed for everybody too', () => {
    const hats = [makeHat('a', ['x'], [{ topic: 'ask.*', target: 'b' }, { topic: 'tell', target: 'b' }, 'tell']), makeHat('b', ['y'])];
    const topology = team({ hats });
    expect(['ask.now', 'tell', 'other'].map((topic) => listedTargetOf(topology, 'a', topic))).toEqual(['b', undefined, undefined]);
  });
});

describe('what is listed as allowed', () => {
  const topology = team({ terminalEvents: ['deploy.complete'], requiredEvents: ['audit.done'] });

  it('a hat: its publishes, without the topics that end the run', () => {
    const hats = [makeHat('a', ['x'], ['one', 'two.*', 'one', 'LOOP_COMPLETE', 'task.complete'])];
    expect(publishableBy(team({ hats }), 'a')).toEqual(['one', 'two.*']);
  });

  it('what it can hand in: these as well, where the hat may end the run', () => {
    const pair = team({ hats: [makeHat('a', ['x'], ['one', 'task.complete']), makeHat('b', ['one'], ['x'])] });
    expect([emittableBy(pair, 'a'), emittableBy(pair, 'b')]).toEqual([['one', 'task.complete', 'LOOP_COMPLETE'], ['x']]);
  });

  it('Ralph: everything that hats take, and what is terminal or required', () => {
    expect(publishableBy(topology, 'ralph')).toEqual([
      'task.start',
      'task.resume',
      'build.done',
      'review.*',
      'build.start',
      'review.asked',
      'deploy.complete',
      'audit.done',
    ]);
  });

  it('is never refused', () => {
    const refused = ['ralph', 'planner', 'builder', 'reviewer'].flatMap((hat) =>
      publishableBy(topology, hat)
        .map((topic) => topic.replaceAll('*', 'any'))
        .filter((topic) => !mayPublish(topology, hat, topic)),
    );
    expect(refused).toEqual([]);
  });
});
