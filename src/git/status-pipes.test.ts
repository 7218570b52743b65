import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findRepository } from './repository.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';
import { readStatus } from './status.ts';

afterAll(removeTestFolders);

test.each(['.gitignore', '.gitattributes', 'src/deep/.gitignore', 'made/by/an agent/.gitignore'])(
  'git does not wait for a pipe in the place of %s, which is named',
  async (name) => {
    const folder = createTestRepository({ 'src/deep/a.txt': 'a\n', 'src/b.txt': 'b\n' });
    const found = await findRepository({ ...folder.settings, cwd: join(folder.path, 'src') });
    if (!found.ok) throw new Error('no repository');
    expect((await readStatus(found.value)).entries).toEqual([]);
    mkdirSync(join(folder.path, dirname(name)), { recursive: true });
    execFileSync('mkfifo', [join(folder.path, name)]);
    const from = performance.now();
    await expect(readStatus(found.value)).rejects.toMatchObject({
      message: `in the place of ${name} is a pipe, a socket or a device, and git would wait for it`,
      fix: `Remove it: rm ${name}`,
    });
    expect(performance.now() - from).toBeLessThan(15_000);
  },
);

test('a pipe in a folder that git does not look into is in nobody’s way, and is not taken for the one that git waits for', async () => {
  const folder = createTestRepository({ '.gitignore': 'built\n', 'a.txt': 'a\n' });
  execFileSync('git', ['init', '-q', join(folder.path, 'apart')]);
  execFileSync('mkfifo', [join(folder.path, 'apart', '.gitignore')]);
  const found = await findRepository(folder.settings);
  if (!found.ok) throw new Error('no repository');
  for (const name of ['built/x', 'made/x']) {
    mkdirSync(join(folder.path, name), { recursive: true });
    execFileSync('mkfifo', [join(folder.path, name, '.gitignore')]);
    writeFileSync(join(folder.path, name, 'b.txt'), 'b\n');
    const seen = readStatus(found.value);
    if (name === 'built/x') expect((await seen).entries.map(({ path }) => path)).toEqual(['apart/']);
    else await expect(seen).rejects.toMatchObject({ fix: 'Remove it: rm made/x/.gitignore' });
  }
});
