import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePrecedence, intersectsPatterns, matchesTopic, toPrecedence } from '../../core/events/topics.ts';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { HatSpec, RunSpec } from '../../core/run/run-spec.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import {
  addPattern,
  compileTopology,
  createPatternTrie,
  createRouteTable,
  findRoutes,
  findTakers,
  visitMeeting,
} from './compile-topology.ts';

/** What decides who begins and who is called. */
function facts(parts: Parameters<typeof makeSpec>[0]) {
  const { coordination, startTopic, entry, fallback, recoveryHat, classic } = compileTopology(makeSpec(parts));
  return { coordination, startTopic, entry, fallback, recoveryHat, classic };
}

const BUILDER = makeHat('builder', ['build.start'], ['build.done']);
const PLANNER = makeHat('planner', ['task.start', 'task.resume', 'build.done'], ['build.start']);

describe('who coordinates', () => {
  it.each<[string, Partial<RunSpec>, string]>([
    ['no hats: key', {}, 'solo'],
    ['an empty team', { hats: [] }, 'solo'],
    ['hats of which none takes the start', { hats: [BUILDER] }, 'ralph'],
    ['a hat that takes task.start', { hats: [makeHat('a', ['task.start']), BUILDER] }, 'hats'],
    ['a hat that takes task.ready', { hats: [makeHat('a', ['task.ready']), BUILDER] }, 'hats'],
    ['a hat that takes task.resume', { hats: [makeHat('a', ['task.resume']), BUILDER] }, 'hats'],
    ['a pattern that matches the start', { hats: [makeHat('a', ['task.*']), BUILDER] }, 'hats'],
    ['the lone star', { hats: [makeHat('a', ['*']), BUILDER] }, 'hats'],
    ['starting_hat', { hats: [BUILDER], startingHat: 'builder' }, 'hats'],
    ['mode: multi', { hats: [BUILDER], mode: 'multi' }, 'hats'],
    ['coordinator: hats', { hats: [BUILDER], coordinator: 'hats' }, 'hats'],
    ['coordinator: ralph, whatever the hats take', { hats: [PLANNER, BUILDER], coordinator: 'ralph' }, 'ralph'],
    ['coordinator: ralph without hats', { coordinator: 'ralph' }, 'solo'],
    ['task.continue alone', { hats: [makeHat('a', ['task.continue'])] }, 'ralph'],
    ['mode: single', { mode: 'single' }, 'solo'],
  ])('%s: %s', (_name, parts, expected) => {
    expect(facts(parts).coordination).toBe(expected);
  });
});

describe('solo', () => {
  it('Ralph begins with task.start and is called when the queue is empty', () => {
    expect(facts({})).toEqual({
      coordination: 'solo',
      startTopic: 'task.start',
      entry: 'ralph',
      fallback: 'ralph',
      recoveryHat: null,
      classic: false,
    });
  });

  it('has no use for a starting event', () => {
    expect(facts({ startingEvent: 'plan.start' }).startTopic).toBe('task.start');
  });

  it('Empty config results in empty registry (not default planner/builder)', () => {
    expect(compileTopology(makeSpec()).hats).toEqual([]);
  });
});

describe('mode: single', () => {
  const topology = compileTopology(
    makeSpec({ mode: 'single', ralph: { instructions: 'Do.', backends: ['codex', 'claude'], timeoutMs: 5, idleTimeoutMs: 4 } }),
  );

  it('a default hat is created with subscription `["*"]`', () => {
    expect(topology.hats.map((hat) => [hat.id, hat.triggers])).toEqual([['default', ['*']]]);
  });

  it('the default hat begins, is called when the queue is empty, and is worn as Ralph is', () => {
    expect(topology).toMatchObject({ classic: true, entry: 'default', fallback: 'default', recoveryHat: null, startTopic: 'task.start' });
    expect(topology.hats[0]).toMatchObject({
      backends: ['codex', 'claude'],
      timeoutMs: 5,
      idleTimeoutMs: 4,
      instructions: 'Do.',
      maxActivations: null,
    });
  });
});

describe('ralph', () => {
  it('Ralph begins with task.start, although a hat would take it', () => {
    expect(facts({ hats: [PLANNER, BUILDER], coordinator: 'ralph' })).toMatchObject({
      startTopic: 'task.start',
      entry: 'ralph',
      fallback: 'ralph',
    });
  });

  it('the starting event is published first and goes to who takes it', () => {
    expect(facts({ hats: [BUILDER], startingEvent: 'build.start' })).toMatchObject({
      coordination: 'ralph',
      startTopic: 'build.start',
      entry: 'builder',
      fallback: 'ralph',
    });
  });

  it('a starting event that nobody takes goes to Ralph', () => {
    expect(facts({ hats: [BUILDER], startingEvent: 'plan.start' })).toMatchObject({ startTopic: 'plan.start', entry: 'ralph' });
  });
});

describe('hats', () => {
  it('the hat that takes task.start begins, the recovery hat is called when the queue is empty', () => {
    const starter = makeHat('starter', ['task.start'], ['plan']);
    const rescuer = makeHat('rescuer', ['task.resume', 'plan'], []);
    expect(facts({ hats: [starter, rescuer] })).toMatchObject({
      startTopic: 'task.start',
      entry: 'starter',
      fallback: 'rescuer',
      recoveryHat: 'rescuer',
    });
  });

  it('task.ready is published where only that one is taken', () => {
    expect(facts({ hats: [makeHat('a', ['task.ready'])] })).toMatchObject({ startTopic: 'task.ready', entry: 'a', fallback: 'a' });
  });

  it('task.start is published where both are taken', () => {
    expect(facts({ hats: [makeHat('a', ['task.ready']), makeHat('b', ['task.start'])] })).toMatchObject({
      startTopic: 'task.start',
      entry: 'b',
    });
  });

  it('starting_hat begins, whatever it takes', () => {
    expect(facts({ hats: [PLANNER, BUILDER], startingHat: 'builder' })).toMatchObject({ entry: 'builder', fallback: 'planner' });
  });

  it('a starting hat that does not exist is passed over', () => {
    expect(facts({ hats: [PLANNER, BUILDER], startingHat: 'nobody' })).toMatchObject({ coordination: 'hats', entry: 'planner' });
  });

  it('where nobody takes the start the recovery hat begins', () => {
    expect(facts({ hats: [BUILDER, makeHat('rescuer', ['task.resume'])] })).toMatchObject({ startTopic: 'task.start', entry: 'rescuer' });
  });

  it('where nobody takes anything of the kind the first hat begins, and Ralph is never named', () => {
    expect(facts({ hats: [BUILDER, makeHat('other', ['x'])], mode: 'multi' })).toMatchObject({
      entry: 'builder',
      fallback: 'builder',
      recoveryHat: null,
    });
  });

  it('the starting event is published first and goes to who takes it', () => {
    expect(facts({ hats: [PLANNER, BUILDER], startingEvent: 'build.start' })).toMatchObject({
      startTopic: 'build.start',
      entry: 'builder',
    });
  });
});

describe('the recovery hat', () => {
  it.each<[string, Partial<RunSpec>, string | null]>([
    ['the one that is named', { hats: [PLANNER, makeHat('b', ['task.resume'])], recoveryHat: 'b' }, 'b'],
    ['a hat called planner', { hats: [makeHat('a', ['task.resume']), makeHat('planner', ['task.start'])] }, 'planner'],
    ['a hat called planner, when the named one does not exist', { hats: [PLANNER], recoveryHat: 'nobody' }, 'planner'],
    ['the hat that takes task.resume', { hats: [makeHat('a', ['task.start']), makeHat('b', ['task.resume'])] }, 'b'],
    ['the better precedence where patterns overlap', { hats: [makeHat('a', ['*', 'task.start']), makeHat('b', ['task.*'])] }, 'b'],
    [
      'the first of the file where they tie',
      { hats: [makeHat('a', ['*.done']), makeHat('b', ['task.*']), makeHat('c', ['*.resume'])], mode: 'multi' },
      'c',
    ],
    ['the hat that takes the start', { hats: [makeHat('a', ['x']), makeHat('b', ['task.start'])] }, 'b'],
    ['the starting hat', { hats: [makeHat('a', ['x'])], startingHat: 'a' }, 'a'],
  ])('is %s', (_name, parts, expected) => {
    expect(facts(parts).recoveryHat).toBe(expected);
  });
});

/** The rule in the simplest words: of all triggers that match, those of the best precedence; their hats in the order of the file. */
function naiveTakers(hats: readonly HatSpec[], topic: string): readonly string[] {
  const matching = hats.flatMap((hat) =>
    hat.triggers.filter((trigger) => matchesTopic(trigger, topic)).map((trigger) => ({ hat: hat.id, trigger })),
  );
  const best = matching.map((match) => toPrecedence(match.trigger)).sort((left, right) => comparePrecedence(right, left))[0];
  if (best === undefined) return [];
  const winners = matching.filter((match) => comparePrecedence(toPrecedence(match.trigger), best) === 0).map((match) => match.hat);
  return hats.map((hat) => hat.id).filter((id) => winners.includes(id));
}

const segment = fc.constantFrom('a', 'b', 'cc', 'task');
const pattern = fc.array(fc.oneof(segment, fc.constant('*')), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const topic = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
const team = fc
  .array(fc.array(pattern, { maxLength: 4 }), { maxLength: 5 })
  .map((all) => all.map((triggers, index) => makeHat(`hat${index}`, triggers)));

describe('the route table', () => {
  it('agrees with a naive oracle over random hats, patterns and topics', () => {
    fc.assert(
      fc.property(team, topic, (hats, sample) => {
        expect(findTakers(createRouteTable(hats), sample)).toEqual(naiveTakers(hats, sample));
      }),
      { numRuns: propertyRuns(3000) },
    );
  });

  it('`has_subscriber()` returns false for unsubscribed topics', () => {
    expect(findTakers(createRouteTable([makeHat('builder', ['build.*'])]), 'review.start')).toEqual([]);
  });

  it('`get_for_topic()` returns correct hat for matching trigger', () => {
    const table = createRouteTable([makeHat('builder', ['build.*']), makeHat('reviewer', ['review.start'])]);
    expect([findTakers(table, 'build.start'), findTakers(table, 'review.start')]).toEqual([['builder'], ['reviewer']]);
  });

  it('finds the routes themselves, several only where different patterns tie', () => {
    const table = createRouteTable([makeHat('a', ['task.*']), makeHat('b', ['*.done', '*']), makeHat('c', ['task.*'])]);
    expect(findRoutes(table, 'task.done').map((route) => [route.pattern, route.hats])).toEqual([
      ['task.*', ['a', 'c']],
      ['*.done', ['b']],
    ]);
    expect(findTakers(table, 'task.done')).toEqual(['a', 'b', 'c']);
  });

  it('counts a trigger that a hat names twice once', () => {
    expect(findTakers(createRouteTable([makeHat('a', ['x', 'x'])]), 'x')).toEqual(['a']);
  });

  it('looks up among a thousand hats without looking at each', () => {
    const hats = Array.from({ length: 1000 }, (_none, index) => makeHat(`hat${index}`, [`t${index}.start`, `t${index}.*`]));
    const table = createRouteTable(hats);
    const takers = hats.flatMap((_hat, index) => findTakers(table, `t${index}.other`));
    expect(takers).toEqual(hats.map((hat) => hat.id));
  });
});

function createTrie(patterns: readonly string[]) {
  const trie = createPatternTrie<string>();
  for (const pattern of patterns) addPattern(trie, pattern, pattern);
  return trie;
}

function meeting(patterns: readonly string[], pattern: string): readonly string[] {
  const found: string[] = [];
  visitMeeting(createTrie(patterns), pattern, (value) => found.push(value) > 0);
  return found.sort();
}

const trieSegment = fc.constantFrom('a', 'b', '*', '*');
const triePattern = fc.array(trieSegment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('.'));

describe('the trie of patterns', () => {
  it('finds exactly what meets a pattern, each once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(triePattern, { maxLength: 20 }), triePattern, (patterns, sample) => {
        expect(meeting(patterns, sample)).toEqual(patterns.filter((other) => intersectsPatterns(other, sample)).sort());
      }),
      { numRuns: propertyRuns(5000) },
    );
  });

  it.each([
    ['build.done', ['build.*', '*.done', '*', 'build.done'], ['*', '*.done', 'build.*', 'build.done']],
    ['build', ['build.*', '*', 'build'], ['*', 'build']],
    ['a.b.c', ['a.*', 'a.*.c', 'a.*.*', 'a.*.*.*', '*.b'], ['a.*', 'a.*.*', 'a.*.c']],
    ['*', ['a', 'a.b.c', '*.x', '*'], ['*', '*.x', 'a', 'a.b.c']],
    ['*.blocked', ['build.*', 'build.blocked', 'build.x.blocked', 'blocked'], ['build.*', 'build.blocked']],
  ])('%s meets of %j only %j', (sample, patterns, expected) => {
    expect(meeting(patterns, sample)).toEqual(expected);
  });

  it('stops when it is told to', () => {
    const seen: string[] = [];
    expect(visitMeeting(createTrie(['a', 'b', 'c']), '*', (value) => seen.push(value) < 2)).toBe(true);
    expect(seen).toHaveLength(2);
  });

  it('says so when the budget was not enough, and goes no further afterwards', () => {
    const trie = createTrie(Array.from({ length: 100 }, (_none, index) => `t${index}.x`));
    const budget = { steps: 50 };
    expect(visitMeeting(trie, '*.y', () => true, budget)).toBe(false);
    expect(visitMeeting(trie, 't1.x', () => true, budget)).toBe(false);
  });

  it('goes as deep as the pattern', () => {
    const deep = Array.from({ length: 50_000 }, () => '*').join('.');
    expect(meeting([deep], deep)).toEqual([deep]);
  });
});
