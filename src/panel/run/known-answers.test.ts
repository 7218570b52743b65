import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createFolder, removeFolders, writeFiles } from '../share/share-fixtures.ts';
import { KnownAnswers } from './known-answers.ts';

afterEach(removeFolders);

function makeWork(name: string, content: string): () => string {
  const folder = join(createFolder(), name);
  writeFiles(folder, { 'made.txt': content });
  return () => folder;
}

it('the same words are one answer where the work is the same, and another where it is not', async () => {
  const answers = new KnownAnswers();
  const first = await answers.toCanonical('Done.', makeWork('a', 'one'));
  expect(first).toBe('Done.');
  expect(await answers.toCanonical('Done.', makeWork('b', 'one'))).toBe(first);
  const other = await answers.toCanonical('Done.', makeWork('c', 'two'));
  expect(other).toMatch(/^Done\.\n\[work [0-9a-f]{16}\]$/);
  // Also by a process that takes the panel up.
  const again = new KnownAnswers();
  again.add(first, makeWork('a', 'one'));
  again.add(other, makeWork('c', 'two'));
  expect(await again.toCanonical('Done.', makeWork('d', 'two'))).toBe(other);
  expect(await again.toCanonical('Other words.', makeWork('e', 'two'))).toBe('Other words.');
});
