import { expect, test } from 'vitest';
import type { Blobs } from '../ports/fleet.ts';
import { findUnreported, limitFetching } from './fetch-report.ts';

/** Files that come in parts, each of which takes as long. */
function createSlowBlobs(bytes: number, ms: number) {
  let clock = 0;
  const get: Blobs['get'] = async (_, reading) => {
    clock += ms;
    reading?.onBytes?.(bytes);
    return new Uint8Array(bytes);
  };
  return { blobs: { put: async () => '', get } satisfies Blobs, steady: () => clock };
}

test('files that come in drops are given up, those of a slow line are not', async () => {
  const fetchAll = async ({ blobs, steady }: ReturnType<typeof createSlowBlobs>): Promise<void> => {
    const { get } = limitFetching(blobs, steady, new AbortController().signal);
    for (let file = 0; file < 20; file += 1) await get('');
  };
  await expect(fetchAll(createSlowBlobs(10, 10_000))).rejects.toThrow('it came too slowly: 0 KB in 70 s');
  await fetchAll(createSlowBlobs(200_000, 10_000));
});

test('a report is waited for while what came before it is on its way, and from there on, but not for ever', () => {
  const ended = 1000;
  const order = { over: new AbortController(), heardAt: ended, heardBytes: 0, isTaking: true, takenAt: null };
  expect(findUnreported(order, ended, ended + 3_600_000)).toBe(null);
  const taken = { ...order, isTaking: false, takenAt: ended + 3_600_000 };
  expect(findUnreported(taken, ended, ended + 3_605_000)).toBe(null);
  expect(findUnreported(taken, ended, ended + 3_620_000)).toContain('nothing of its report came for 10 s');
  expect(findUnreported(order, ended, ended + 7_300_000)).toContain('took longer than 2 hours');
});
