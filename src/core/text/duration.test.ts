import { describe, expect, it } from 'vitest';
import { toDurationText, toUsdText } from './duration.ts';

describe('durations for people', () => {
  it.each([
    [-5, '0 ms'],
    [0, '0 ms'],
    [0.4, '0 ms'],
    [850, '850 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1000, '1.0 s'],
    [12_345, '12.3 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 00 s'],
    [60_000, '1 min 00 s'],
    [245_000, '4 min 05 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_600, '1 h 00 min'],
    [7_380_000, '2 h 03 min'],
    [14_400_000, '4 h 00 min'],
    [100 * 3_600_000, '100 h 00 min'],
  ])('%d ms are %s', (ms, text) => {
    expect(toDurationText(ms)).toBe(text);
  });
});

describe('money for people', () => {
  it.each([
    [null, 'unknown'],
    [0, '$0.00'],
    [0.0042, '$0.0042'],
    [0.1, '$0.10'],
    [1.25, '$1.25'],
    [50, '$50.00'],
  ])('%s is %s', (amount, text) => {
    expect(toUsdText(amount)).toBe(text);
  });
});
