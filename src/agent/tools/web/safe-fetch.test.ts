import { expect, it } from 'vitest';
import { createHostLimiter } from './safe-fetch.ts';

it('lets so many requests a minute through to one host, and says how long to wait', () => {
  let now = 0;
  const limiter = createHostLimiter(2, () => now);
  expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 0]);
  now = 20_000;
  expect(limiter.take('a')).toBe(40_000);
  expect(limiter.take('b')).toBe(0);
  now = 60_000;
  expect(limiter.take('a')).toBe(0);
});

it('counts no refusal', () => {
  let now = 0;
  const limiter = createHostLimiter(1, () => now);
  limiter.take('a');
  for (now = 1; now < 50; now += 1) limiter.take('a');
  now = 60_000;
  expect(limiter.take('a')).toBe(0);
});

it('does not forget a host over the many that are asked once', () => {
  const limiter = createHostLimiter(1, () => 0);
  limiter.take('a');
  for (let index = 0; index < 900; index += 1) limiter.take(`host-${index}`);
  expect(limiter.take('a')).toBeGreaterThan(0);
});
