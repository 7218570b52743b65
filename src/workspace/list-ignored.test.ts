import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { listIgnored } from './list-ignored.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('tells folders that git would ignore, although they are not there', async () => {
  const folder = createTestRepository({ '.gitignore': 'dist/\n/out\n*.tmp\n', 'src/.gitignore': 'gen/\n', 'src/a.txt': 'a\n' });
  expect(await listIgnored(folder.settings, ['dist', 'out', 'build', 'src', 'src/gen', 'x.tmp'])).toEqual([
    'dist',
    'out',
    'src/gen',
    'x.tmp',
  ]);
  expect(await listIgnored({ ...folder.settings, cwd: join(folder.path, 'src') }, ['gen', 'dist', 'out'])).toEqual(['gen', 'dist']);
  writeFileSync(join(folder.path, '.git/config'), '[[[');
  expect(await listIgnored(folder.settings, ['dist'])).toEqual([]);
});
