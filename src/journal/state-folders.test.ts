import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { ensureStateFolders } from './state-folders.ts';

describe('the folders of Ralph', () => {
  it('are made, and git ignores what is in them', () => {
    const root = createTemporaryFolder();
    const folders = [join(root, 'deep', '.ralph'), join(root, '.agent')];
    ensureStateFolders(fs, folders);
    for (const folder of folders) expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it("keep the user's own .gitignore", () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, '.gitignore'), '!scratchpad.md\n');
    ensureStateFolders(fs, [folder]);
    ensureStateFolders(fs, [folder]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('!scratchpad.md\n');
  });

  it.each(['.agent', '.agent/.gitignore'])('are not made around a pipe in the place of %s', (name) => {
    const root = createTemporaryFolder();
    mkdirSync(join(root, dirname(name)), { recursive: true });
    execFileSync('mkfifo', [join(root, name)]);
    const told = { code: 'state-folder', fix: `Move it away: mv ${join(root, name)} ${join(root, name)}.old` };
    expect(() => ensureStateFolders(fs, [join(root, '.agent')])).toThrow(expect.objectContaining(told));
  });

  it('that cannot be made are explained', () => {
    const folder = join(createTemporaryFolder(), '.ralph');
    writeFileSync(folder, 'a file');
    expect(() => ensureStateFolders(fs, [folder])).toThrow(
      expect.objectContaining({ code: 'state-folder', message: expect.stringContaining(folder), fix: expect.any(String) }),
    );
  });
});
