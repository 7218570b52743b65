import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findRepository } from './repository.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';
import { readStatus } from './status.ts';

afterAll(removeTestFolders);

test.each(['.gitignore', '.gitattributes', 'src/deep/.gitignore'])(
  'git does not wait for a pipe in the place of %s, which is named',
  async (name) => {
    const folder = createTestRepository({ 'src/deep/a.txt': 'a\n', 'src/b.txt': 'b\n' });
    const found = await findRepository({ ...folder.settings, cwd: join(folder.path, 'src') });
    if (!found.ok) throw new Error('no repository');
    expect((await readStatus(found.value)).entries).toEqual([]);
    execFileSync('mkfifo', [join(folder.path, name)]);
    const from = performance.now();
    await expect(readStatus(found.value)).rejects.toMatchObject({
      message: `in the place of ${name} is a pipe, a socket or a device, and git would wait for it`,
      fix: `Remove it: rm ${name}`,
    });
    expect(performance.now() - from).toBeLessThan(15_000);
  },
);
