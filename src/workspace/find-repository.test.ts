import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findRepository } from './find-repository.ts';
import { createPlainFolder, createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('needs no git to tell that no folder above is a repository', async () => {
  const folder = createPlainFolder();
  const search = await findRepository({ ...folder.settings, env: { PATH: '' } });
  expect(search).toEqual({ found: false, why: expect.stringContaining('not a git repository') });
});

it('finds a repository whose path holds line ends', async () => {
  const folder = createTestRepository();
  const top = join(realpathSync(folder.path), 'two\nlines\n');
  mkdirSync(top);
  folder.git('init', '--quiet', top);
  const search = await findRepository({ ...folder.settings, cwd: top });
  expect(search).toMatchObject({ found: true, repository: { top, gitDir: join(top, '.git'), prefix: '' } });
});

it('finds the repository around a folder', async () => {
  const folder = createTestRepository();
  const cwd = join(folder.path, 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  expect(await findRepository({ ...folder.settings, cwd })).toMatchObject({ found: true, repository: { prefix: 'a/b/' } });
});
