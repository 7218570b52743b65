import { describe, expect, it } from 'vitest';
import { parseMoneyUsd } from './parse-money.ts';

describe('parseMoneyUsd', () => {
  it.each([
    [50, 50],
    [0.25, 0.25],
    ['$5', 5],
    ['$ 5.50', 5.5],
    ['0.5', 0.5],
    [' .5 ', 0.5],
  ])('reads %j as %d dollars', (value, expected) => {
    expect(parseMoneyUsd(value)).toBe(expected);
  });

  it.each(['', '$', '5$', '5 EUR', 'five', '1,000', '-1', '1e3', Number.NaN])('does not guess at %j', (value) => {
    expect(parseMoneyUsd(value)).toBeNull();
  });
});
