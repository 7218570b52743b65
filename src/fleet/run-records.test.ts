import { describe, expect, test } from 'vitest';
import { parsePiece } from './run-records.ts';

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
