import { describe, expect, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { parsePiece, readChanges, type SentChange, sendChanges } from './run-records.ts';

const TREE = 'a'.repeat(40);

describe('a record of which tree was there around a turn', () => {
  test('is read, and left out where it names no moment of a turn or no tree, and so is what a later version adds', () => {
    const record = { kind: 'snapshot', name: '7.1/before', tree: TREE };
    const wrong = [
      ...['../x/before', '7.1/undo', '7.1', '7/before', 'undo/1', '7.1/before/x'].map((name) => ({ ...record, name })),
      ...['HEAD', '', 'A'.repeat(40), `${TREE}\n`].map((tree) => ({ ...record, tree })),
      { kind: 'of a later version', name: '7.1/before', tree: TREE },
    ];
    expect(parsePiece({ v: 2, place: 'here', records: [...wrong, record] })?.records).toEqual([record]);
  });
});

describe('a list of what was changed', () => {
  const toChanges = (count: number, bytes: string): readonly SentChange[] =>
    Array.from({ length: count }, (_, place) => ({ path: `${'folder/'.repeat(9)}${place}.txt`, mode: '100644', isNew: true, bytes }));

  test.each([
    ['one', 1, 'YQ=='],
    ['twenty thousand, of some bytes each', 20_000, 'YQ=='],
    ['four thousand, as large as stand in a list', 4000, 'a'.repeat(16_384)],
  ])('is read as it was sent (%s), and nothing that is parsed at once is large', async (_, count, bytes) => {
    const { blobs } = createMemoryFleet();
    const sizes: number[] = [];
    const put: typeof blobs.put = (part) => {
      sizes.push(part.length);
      return blobs.put(part);
    };
    const changes = toChanges(count, bytes);
    const body = await sendChanges({ ...blobs, put }, changes);
    expect(JSON.stringify(body).length).toBeLessThan(250_000);
    expect(Math.max(0, ...sizes)).toBeLessThan(4 << 20);
    expect(JSON.stringify((await readChanges(blobs, body)).map(({ path }) => path))).toBe(JSON.stringify(changes.map(({ path }) => path)));
  });

  test('is refused where it is too long or too large, and before it is parsed where it is one that nobody sends', async () => {
    const { blobs } = createMemoryFleet();
    const refused = { code: 'fleet-too-large' };
    await expect(readChanges(blobs, await sendChanges(blobs, toChanges(20_001, '')))).rejects.toMatchObject(refused);
    const part = { value: toChanges(100, 'a'.repeat(1 << 20)) as unknown as Json };
    await expect(readChanges(blobs, { parts: Array<Json>(6).fill(part) })).rejects.toMatchObject(refused);
    await expect(readChanges(blobs, { parts: Array<Json>(100_000).fill({ value: [] }) })).rejects.toMatchObject(refused);
    const parsed = await blobs.put(Buffer.from(`[${'[],'.repeat(4 << 20)}[]]`));
    await expect(readChanges(blobs, { blob: parsed })).rejects.toMatchObject(refused);
  });
});
