import { describe, expect, it } from 'vitest';
import { findChangedFiles, listFiles } from './changed-files.ts';

const patch = (name: string): string => `diff --git a/${name} b/${name}\nindex 1..2\n--- a/${name}\n+++ b/${name}\n+diff --git of a text\n`;

describe('findChangedFiles', () => {
  it('collects the files of all turns, sorted, each once', async () => {
    const patches: Record<string, string> = { '1.1': patch('b.ts'), '2.1': patch('a b.ts') + patch('b.ts') };
    await expect(findChangedFiles({ turns: () => Object.keys(patches), diff: async (name) => patches[name] ?? '' })).resolves.toEqual([
      'a b.ts',
      'b.ts',
    ]);
  });

  it('knows nothing where a turn was not kept, where reading fails, and where there are too many', async () => {
    await expect(findChangedFiles({ turns: () => ['1.1'], diff: async () => null })).resolves.toBeNull();
    await expect(findChangedFiles({ turns: () => ['1.1'], diff: () => Promise.reject(new Error('git')) })).resolves.toBeNull();
    await expect(
      findChangedFiles({ turns: () => Array.from({ length: 41 }, (_, index) => `${index}.1`), diff: async () => '' }),
    ).resolves.toBeNull();
  });

  it('takes the new name of a renamed file', () => {
    expect(listFiles('diff --git a/old.ts b/new.ts\nsimilarity index 100%\n')).toEqual(['new.ts']);
  });
});
