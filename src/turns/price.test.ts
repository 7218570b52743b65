import { expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import { toNativePrice } from './price.ts';

const USAGE = { ...UNKNOWN_USAGE, inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 1_000_000, cacheWriteTokens: 0 };

it.each([
  ['claude-opus-5', 5 + 2.5 + 0.5],
  ['claude-haiku-4-5-20251001', 1 + 0.5 + 0.1],
  // A request this long costs more.
  ['gemini-2.5-pro', 2.5 + 1.5 + 0.25],
  ['gpt-5', 1.25 + 1 + 0.125],
  // A longer name is another model, which may cost something else.
  ['gpt-5-unheard', null],
  ['claude-sonnet-4-5-turbo', null],
  ['constructor', null],
  [null, null],
])('a turn of %s costs by the list price', (model, expected) => {
  const cost = toNativePrice({}, model, USAGE);
  expect(cost === null ? null : Math.round(cost * 1000) / 1000).toBe(expected);
});

it("takes the user's own price first, and knows no cost without tokens", () => {
  expect(toNativePrice({ 'gpt-5': { inputUsd: 1, outputUsd: 0, cacheReadUsd: 0 } }, 'gpt-5', USAGE)).toBe(1);
  expect(toNativePrice({}, 'gpt-5', UNKNOWN_USAGE)).toBeNull();
});
