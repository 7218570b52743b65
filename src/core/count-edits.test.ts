import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countEdits } from './count-edits.ts';
import { propertyRuns } from './property-fixtures.ts';

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
