import { describe, expect, it } from 'vitest';
import { addUsage, UNKNOWN_USAGE } from './usage.ts';

describe('usage', () => {
  it('adds what is known and leaves unknown what nobody knows', () => {
    const left = { ...UNKNOWN_USAGE, inputTokens: 10, costUsd: 0.5 };
    const right = { ...UNKNOWN_USAGE, inputTokens: 5, outputTokens: 7 };
    expect(addUsage(left, right)).toEqual({
      inputTokens: 15,
      outputTokens: 7,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      costUsd: 0.5,
    });
  });

  it('does not take nothing for unknown', () => {
    expect(addUsage(UNKNOWN_USAGE, { ...UNKNOWN_USAGE, costUsd: 0 }).costUsd).toBe(0);
  });
});
