import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { listTracked } from './list-tracked.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('takes every folder for tracked where git cannot tell', async () => {
  const folder = createTestRepository({ 'dist/a.txt': 'a\n' });
  folder.write('build/b.txt', 'b\n');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist']);
  writeFileSync(join(folder.path, '.git/index'), 'broken');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist', 'build']);
  writeFileSync(join(folder.path, '.git/config'), '[[[');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist', 'build']);
});
