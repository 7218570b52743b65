import { expect, it } from 'vitest';
import { LIST_DAY, LIST_TABLE } from './list-price-table.ts';
import { findListedContext, findListPrice } from './list-prices.ts';

it.each([
  ['claude-sonnet-4-5', { inputUsd: 3, outputUsd: 15, cacheReadUsd: 0.3, cacheWriteUsd: 3.75 }],
  ['claude-sonnet-4-5-20250929', { inputUsd: 3, outputUsd: 15 }],
  ['claude-opus-4-1', { inputUsd: 15, outputUsd: 75 }],
  ['gpt-5', { inputUsd: 1.25, outputUsd: 10, cacheReadUsd: 0.125 }],
  ['gpt-5-pro', { inputUsd: 15, outputUsd: 120 }],
  ['gemini-2.5-pro', { inputUsd: 1.25, outputUsd: 10 }],
  ['gemini-2.5-flash', { inputUsd: 0.3, outputUsd: 2.5 }],
  ['grok-4.5', {}],
])('the list has the price of %s', (model, price) => {
  expect(findListPrice(model)).toMatchObject({ ...price, asOf: LIST_DAY });
});

it.each(['claude-sonnet-4-5-turbo', 'gpt-5-unheard', 'constructor', '__proto__', ''])(
  'the list has no price of %j: a longer name is another model',
  (model) => {
    expect(findListPrice(model)).toBeUndefined();
  },
);

it('a long request costs more with the models that are so priced', () => {
  expect(findListPrice('gemini-2.5-pro', 200_001)?.inputUsd).toBe(2.5);
  expect(findListPrice('gemini-2.5-pro', 200_000)?.inputUsd).toBe(1.25);
  expect(findListPrice('gpt-5', 300_000)?.inputUsd).toBe(1.25);
});

it('the list tells what models can read at once', () => {
  expect(findListedContext('gpt-4o')).toBe(128_000);
  expect(findListedContext('unheard')).toBeNull();
});

it('every line of the list is a price', () => {
  const names = LIST_TABLE.split('\n').flatMap((line) => (line === '' ? [] : (line.split(' ')[0] ?? '').split(',')));
  expect(names.length).toBeGreaterThan(150);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    const { inputUsd, outputUsd, cacheReadUsd = 0 } = findListPrice(name) ?? { inputUsd: -1, outputUsd: -1 };
    expect([name, inputUsd >= 0 && outputUsd >= inputUsd && cacheReadUsd <= inputUsd]).toEqual([name, true]);
  }
});
