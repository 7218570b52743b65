import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDurationMs, parseMoneyUsd } from './setting-values.ts';

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

describe('parseDurationMs', () => {
  it.each([
    [90, 90_000],
    ['90', 90_000],
    ['0.5', 500],
    [0, 0],
    ['500ms', 500],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    [' 1h 30m ', 5_400_000],
    ['1.5h', 5_400_000],
    ['1d', 86_400_000],
    ['2m5s250ms', 125_250],
    [0.0001, 1],
  ])('reads %j as %d ms', (value, expected) => {
    expect(parseDurationMs(value)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'm',
    '10 x',
    '10x',
    'ten',
    '1m1h',
    '1m1m',
    '-5',
    '-5m',
    '1h-30m',
    '1,5h',
    '1h30',
    'NaN',
    'Infinity',
    '1e3',
    '1_000',
    '10m!',
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('does not guess at %j', (value) => {
    expect(parseDurationMs(value)).toBeNull();
  });

  it('adds up parts in falling order, whatever they are', () => {
    const part = fc.nat({ max: 999 });
    fc.assert(
      fc.property(part, part, part, part, (h, m, s, ms) => {
        expect(parseDurationMs(`${h}h${m}m${s}s${ms}ms`)).toBe(((h * 60 + m) * 60 + s) * 1000 + ms);
      }),
    );
  });

  it('never throws and never answers with something that is no number of milliseconds', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = parseDurationMs(text);
        expect(value === null || Number.isSafeInteger(value) || value > Number.MAX_SAFE_INTEGER).toBe(true);
      }),
    );
  });
});
