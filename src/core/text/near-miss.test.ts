import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../property-fixtures.ts';
import { countEdits, createNearMissFinder, findNearMiss } from './near-miss.ts';

const KEYS = ['max_iterations', 'max_cost_usd', 'timeout_seconds', 'idle_timeout_seconds', 'triggers', 'mode', 'args', 'on'];

describe('findNearMiss', () => {
  it.each([
    ['trigers', 'triggers'],
    ['triggres', 'triggers'],
    ['max_iteratons', 'max_iterations'],
    ['maxIterations', 'max_iterations'],
    ['max-iterations', 'max_iterations'],
    ['MAX_ITERATIONS', 'max_iterations'],
    ['max_cost', 'max_cost_usd'],
    ['timeout', 'timeout_seconds'],
    ['moed', 'mode'],
  ])('takes %s for %s', (text, expected) => {
    expect(findNearMiss(text, KEYS)).toBe(expected);
  });

  it.each(['', 'zebra', 'no', 'max', 'x', 'concurrency', 'model_of_the_world', '_'])('takes %j for nothing', (text) => {
    expect(findNearMiss(text, KEYS)).toBeUndefined();
  });

  it('is quick for a text of any length', () => {
    expect(findNearMiss('m'.repeat(1_000_000), KEYS)).toBeUndefined();
  });
});

describe('createNearMissFinder', () => {
  it('finds nothing more when its searches are spent', () => {
    const finder = createNearMissFinder(KEYS, 2);
    expect([finder.find('trigers'), finder.find('moed'), finder.find('trigers')]).toEqual(['triggers', 'mode', undefined]);
  });

  it('finds what has the same letters or the same beginning without counting edits', () => {
    const finder = createNearMissFinder(KEYS);
    expect(['maxIterations', 'max_cost', 'trigers', 'max', '', '_'].map(finder.findSame)).toEqual([
      'max_iterations',
      'max_cost_usd',
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('says whether another candidate is as near', () => {
    const finder = createNearMissFinder(['cat', 'car', 'horse']);
    expect([finder.isOnly('caz', 'cat'), finder.isOnly('hors', 'horse')]).toEqual([false, true]);
  });
});

it('counts the same with a limit, where the limit is not passed', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
  fc.assert(
    fc.property(word, word, fc.nat(5), (left, right, atMost) => {
      const edits = countEdits(left, right);
      const limited = countEdits(left, right, atMost);
      expect(edits <= atMost ? limited : limited > atMost).toBe(edits <= atMost ? edits : true);
    }),
    { numRuns: propertyRuns(1000) },
  );
});
