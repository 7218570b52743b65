import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createGit } from './git.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('gives no key to a program that an agent wrote into the settings of the repository', async () => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  const seen = join(folder.path, '.git/seen');
  writeFileSync(join(folder.path, '.git/filter.sh'), `#!/bin/sh\nenv > '${seen}'\ncat\n`);
  folder.git('config', 'filter.x.clean', 'sh .git/filter.sh');
  folder.write('.gitattributes', '* filter=x\n');
  folder.write('a.txt', 'changed\n');
  const env = { ...folder.settings.env, MODEL_API_KEY: 'k1', GH_TOKEN: 'k2', GIT_AUTHOR_NAME: 'A. U. Thor' };
  await createGit(folder.path, env)(['add', 'a.txt']);
  const names = readFileSync(seen, 'utf8').match(/^\w+(?==)/gm);
  expect(names).toContain('GIT_AUTHOR_NAME');
  expect(names).not.toContain('MODEL_API_KEY');
  expect(names).not.toContain('GH_TOKEN');
});
