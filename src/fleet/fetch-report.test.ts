import { expect, test } from 'vitest';
import type { Blobs } from '../ports/fleet.ts';
import { limitFetching } from './fetch-report.ts';

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
