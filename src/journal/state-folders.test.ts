import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

  it('that cannot be made are explained', () => {
    const folder = join(createTemporaryFolder(), '.ralph');
    writeFileSync(folder, 'a file');
    expect(() => ensureStateFolders(fs, [folder])).toThrow(
      expect.objectContaining({ code: 'state-folder', message: expect.stringContaining(folder), fix: expect.any(String) }),
    );
  });
});
