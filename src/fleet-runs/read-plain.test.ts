import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnds, readWhole } from './read-plain.ts';

test('a file that somebody else may have put there is read up to a limit, and no link is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-plain-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'a');
  writeFileSync(path, 'abcdefgh');
  const read = (head: number, tail: number) => {
    const file = readEnds(path, head, tail);
    return file === null ? null : [file.head.toString(), file.tail.toString(), file.leftBytes];
  };
  expect([read(9, 0), read(5, 3), read(3, 2), read(3, 0)]).toEqual([
    ['abcdefgh', '', 0],
    ['abcdefgh', '', 0],
    ['abc', 'gh', 3],
    ['abc', '', 5],
  ]);
  expect([readWhole(path, 8)?.toString(), readWhole(path, 7), readEnds(folder, 9), readEnds(join(folder, 'b'), 9)]).toEqual([
    ...['abcdefgh', null, null, null],
  ]);
  symlinkSync(path, join(folder, 'b'));
  expect(readEnds(join(folder, 'b'), 9)).toBe(null);
  truncateSync(path, 1e12);
  expect(readEnds(path, 3)?.leftBytes).toBe(1e12 - 3);
});
