import { expect, test } from 'vitest';
import { findStoppedWrite } from './run-quality.ts';

test('of an output the first line that tells of a stopped write is found, and nothing in one without', () => {
  expect(findStoppedWrite("ok 1\n  sh: 1: cannot create src/a.txt: Read-only file system\nError: EROFS, open 'b'\n")).toBe(
    'sh: 1: cannot create src/a.txt: Read-only file system',
  );
  expect(findStoppedWrite("Error: EROFS: open 'b'")).toBe("Error: EROFS: open 'b'");
  expect(findStoppedWrite('cannot open: Permission denied\nheroes are read-only')).toBeNull();
});
