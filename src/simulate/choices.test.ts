import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesTopic } from '../core/events/topics.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology } from '../topology/routing/compile-topology.ts';
import { createInstances } from './choices.ts';

function teamThatTakes(...triggers: readonly string[]) {
  return compileTopology(makeSpec({ hats: [makeHat('a', triggers, ['x'])] }));
}

test('a topic stands for itself, taken or not', () => {
  expect(createInstances(teamThatTakes('a.b'))('c.d')).toEqual(['c.d']);
});

test('a pattern stands for the topics that somebody takes by it', () => {
  expect(createInstances(teamThatTakes('review.passed', 'review.rejected', 'build.done'))('review.*')).toEqual([
    'review.passed',
    'review.rejected',
  ]);
});

test('where a pattern is taken by a pattern, a topic that both match is made up', () => {
  expect(createInstances(teamThatTakes('*.done'))('build.*')).toEqual(['build.done']);
  expect(createInstances(teamThatTakes('a.*.c'))('*.b.*')).toEqual(['a.b.c']);
});

test('any other topic counts where it is taken too, and where nothing is taken it is all there is', () => {
  expect(createInstances(teamThatTakes('review.passed', 'review.*'))('review.*')).toEqual(['review.passed', 'review.any']);
  expect(createInstances(teamThatTakes('build.done'))('review.*')).toEqual(['review.any']);
});

test('whatever the patterns: there is a topic, and the pattern matches all of them', () => {
  const segment = fc.constantFrom('a', 'b', '*');
  const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 5 }), pattern, (triggers, published) => {
      const topics = createInstances(teamThatTakes(...triggers))(published);
      expect(topics.length).toBeGreaterThan(0);
      for (const topic of topics) expect(matchesTopic(published, topic)).toBe(true);
      expect(topics.join()).not.toContain('*');
    }),
  );
});
