import { describe, expect, it } from 'vitest';
import { parseResetAt } from './reset-time.ts';

/** Wednesday, 2025-11-05 12:00 UTC. */
const NOW = Date.UTC(2025, 10, 5, 12, 0);
const at = (text: string, zone = 'UTC'): string | undefined => {
  const time = parseResetAt(text, NOW, zone);
  return time === undefined ? undefined : new Date(time).toISOString();
};

describe('parseResetAt', () => {
  it.each([
    ['Claude AI usage limit reached|1762365600', '2025-11-05T18:00:00.000Z'],
    ['{"type":"usage_limit_reached","resets_at":1762365600}', '2025-11-05T18:00:00.000Z'],
    ['resetsAt: 1762365600000', '2025-11-05T18:00:00.000Z'],
  ])('reads an epoch: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ["You've hit your usage limit. Try again in 2 hours 5 minutes.", '2025-11-05T14:05:00.000Z'],
    ['try again in 3 days 4 hours 12 minutes', '2025-11-08T16:12:00.000Z'],
    ['Your quota will reset after 12h34m5s.', '2025-11-06T00:34:05.000Z'],
    ['Limit resets in: 3h 2m', '2025-11-05T15:02:00.000Z'],
    ['try again in 1 day and 2 hours', '2025-11-06T14:00:00.000Z'],
    ['Please retry in 34.5s.', '2025-11-05T12:00:34.500Z'],
    ['"resets_in_seconds": 1800', '2025-11-05T12:30:00.000Z'],
    ['retry-after: 60', '2025-11-05T12:01:00.000Z'],
    ['"retryDelay": "90s"', '2025-11-05T12:01:30.000Z'],
  ])('reads a span: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ['limit reached ∙ resets 3pm', '2025-11-05T15:00:00.000Z'],
    ['limit reached, resets 3am', '2025-11-06T03:00:00.000Z'],
    ['resets at 12am', '2025-11-06T00:00:00.000Z'],
    ['resets 3:30pm (America/New_York)', '2025-11-05T20:30:00.000Z'],
    ["You've hit your limit · resets 3pm (Europe/Berlin)", '2025-11-05T14:00:00.000Z'],
    ['try again at 10:41 PM.', '2025-11-05T22:41:00.000Z'],
    ['resets at 15:00 UTC', '2025-11-05T15:00:00.000Z'],
    ['resets Mon 2:00 PM', '2025-11-10T14:00:00.000Z'],
    ['resets Wed 11am', '2025-11-12T11:00:00.000Z'],
  ])('reads a clock time: %s', (text, expected) => expect(at(text)).toBe(expected));

  it.each([
    ['try again at Nov 7th, 2025 9:20 PM.', '2025-11-07T21:20:00.000Z'],
    ['resets Jan 1, 2100, 12am (UTC)', '2100-01-01T00:00:00.000Z'],
    ['resets Nov 9, 1pm', '2025-11-09T13:00:00.000Z'],
    ['resets Nov 9 at 5am (America/Los_Angeles)', '2025-11-09T13:00:00.000Z'],
    ['resets Jan 2, 3pm', '2026-01-02T15:00:00.000Z'],
    ['available again at 2025-11-06T01:02:03Z', '2025-11-06T01:02:03.000Z'],
  ])('reads a date: %s', (text, expected) => expect(at(text)).toBe(expected));

  it('takes the local zone where the text names none', () => {
    expect(at('resets 3pm', 'Asia/Tokyo')).toBe('2025-11-06T06:00:00.000Z');
  });

  it('lands on the clock time also across a change of daylight saving time', () => {
    const before = Date.UTC(2026, 2, 28, 20, 0);
    expect(new Date(parseResetAt('resets 3pm', before, 'Europe/Berlin') ?? 0).toISOString()).toBe('2026-03-29T13:00:00.000Z');
  });

  it.each([
    'usage limit reached',
    'resets soon',
    'try again later',
    'limit reached|1500000000',
    'resets 27:99',
    'resets 3pm (Nowhere/Nothing)',
    'version 3.2 at line 12',
    'error 429 in 3 files',
  ])('finds nothing in: %s', (text) => expect(at(text)).toBeUndefined());
});
