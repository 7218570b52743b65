import { expect, it } from 'vitest';
import { inLanes } from './in-lanes.ts';

const pause = (): Promise<void> => new Promise((done) => setImmediate(done));

it('begins everything in order, a few at a time', async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const items = Array.from({ length: 50 }, (_item, index) => index);
  await inLanes(items, async (item) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await pause();
    running -= 1;
  });
  expect(begun).toEqual(items);
  expect(most).toBe(8);
  expect(running).toBe(0);
});

it('begins nothing more after a failure, and throws it when what ran has ended', async () => {
  const begun: number[] = [];
  let running = 0;
  const done = inLanes(
    Array.from({ length: 50 }, (_item, index) => index),
    async (item) => {
      begun.push(item);
      running += 1;
      await pause();
      running -= 1;
      if (item === 3) throw new Error('no room');
    },
  );
  await expect(done).rejects.toThrow('no room');
  expect(running).toBe(0);
  expect(begun.length).toBeLessThan(20);
});

it('has nothing to do without items', async () => {
  await inLanes([], () => Promise.reject(new Error('asked')));
});
