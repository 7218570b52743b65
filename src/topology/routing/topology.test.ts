import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePrecedence, intersectsPatterns, matchesTopic, toPrecedence } from '../../core/events/topics.ts';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { HatSpec } from '../../core/run/run-spec.ts';
import { makeHat } from '../../core/spec-fixtures.ts';
import { addPattern, createPatternTrie, createRouteTable, findRoutes, findTakers, visitMeeting } from './topology.ts';

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
