import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatRoute, NO_ROUTE, PAGE_TABS, parseRoute } from './route.ts';

describe('an address', () => {
  test('of every state leads back to it', () => {
    const number = fc.option(fc.nat({ max: 1_000_000 }));
    const route = fc.record({
      run: fc.stringMatching(/^[0-9a-z]{1,64}$/),
      seq: fc.option(fc.integer({ min: 1, max: 1_000_000 })),
      turn: number,
      tab: fc.constantFrom(...PAGE_TABS),
      from: number,
      words: fc.string(),
    });
    fc.assert(
      fc.property(route, (state) => {
        expect(parseRoute(formatRoute(state))).toEqual(state);
      }),
    );
  });

  test.each(['', '#', '#/', '#/run/', '#/run/../x', '#/run/ABC', '#code=1234', '#/run/a/b'])('%o is that of the list', (hash) => {
    expect(parseRoute(hash)).toEqual(NO_ROUTE);
  });

  test('whose numbers and tab make no sense is that of the run now', () => {
    expect(parseRoute('#/run/abc?seq=0&turn=-1&tab=x&from=1e3')).toEqual({ ...NO_ROUTE, run: 'abc' });
  });
});
