import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWildcard, intersectsPatterns } from '../../core/events/topics.ts';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { makeHat, makeSpec } from '../../core/spec-fixtures.ts';
import { compileTopology } from './compile-topology.ts';
import { takersOf } from './queries.ts';
import { createTakerIndex } from './taker-index.ts';

const segment = fc.constantFrom('a', 'b', 'cc', '*');
const pattern = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const teams = fc
  .record({
    triggers: fc.array(fc.array(pattern, { maxLength: 3 }), { minLength: 1, maxLength: 5 }),
    routing: fc.constantFrom('exclusive', 'fanout'),
  })
  .map(({ triggers, routing }) =>
    compileTopology(
      makeSpec({ routing: routing as 'exclusive' | 'fanout', hats: triggers.map((list, index) => makeHat(`h${index}`, list)) }),
    ),
  );

describe('who takes what', () => {
  it('is for a topic what the loop does, and for a pattern everybody with a trigger that meets it, in the order of the file', () => {
    fc.assert(
      fc.property(teams, fc.array(pattern, { minLength: 1, maxLength: 8 }), (topology, topics) => {
        const index = createTakerIndex(topology);
        for (const topic of topics) {
          const expected = hasWildcard(topic)
            ? topology.hats.filter((hat) => hat.triggers.some((trigger) => intersectsPatterns(trigger, topic))).map((hat) => hat.id)
            : takersOf(topology, topic);
          const takers = index.takersOf({ topic });
          expect(takers.map((taker) => taker.hat)).toEqual(expected);
          for (const { hat, trigger } of takers) {
            expect(topology.hatById.get(hat)?.triggers).toContain(trigger);
            expect(intersectsPatterns(trigger ?? '', topic)).toBe(true);
          }
        }
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('is the target where there is one, and nobody where it does not exist', () => {
    const index = createTakerIndex(compileTopology(makeSpec({ hats: [makeHat('a', ['x']), makeHat('b', ['y'])] })));
    expect(index.takersOf({ topic: 'x', target: 'b' })).toEqual([{ hat: 'b', trigger: null }]);
    expect(index.takersOf({ topic: 'x', target: 'ghost' })).toEqual([]);
  });

  it('is built once for a team', () => {
    const topology = compileTopology(makeSpec({ hats: [makeHat('a', ['x'])] }));
    expect(createTakerIndex(topology)).toBe(createTakerIndex(topology));
  });
});
