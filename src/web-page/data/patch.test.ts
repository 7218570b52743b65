import { describe, expect, test } from 'vitest';
import { parsePatch } from './patch.ts';

const PATCH = [
  'diff --git a/src/a b.ts b/src/a b.ts',
  'index 1..2 100644',
  '--- a/src/a b.ts',
  '+++ b/src/a b.ts',
  '@@ -1,2 +1,2 @@',
  ' same',
  '-old',
  '+new',
  '+--- not a header',
  'diff --git a/old.txt b/new.txt',
  'similarity index 100%',
].join('\n');

describe('a patch', () => {
  test('is told file by file, with what was added and removed', () => {
    const files = parsePatch(PATCH);
    expect(files.map(({ path, added, removed }) => [path, added, removed])).toEqual([
      ['src/a b.ts', 2, 1],
      ['new.txt', 0, 0],
    ]);
    expect(files.flatMap(({ lines }) => lines).join('\n')).toBe(PATCH);
  });

  test('that is none has no files', () => {
    expect(parsePatch('')).toEqual([]);
    expect(parsePatch('whatever\n+x')).toEqual([]);
  });
});
