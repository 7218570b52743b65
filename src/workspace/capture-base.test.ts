import { afterEach, describe, expect, it } from 'vitest';
import { captureBase } from './capture-base.ts';
import { createPlainFolder, createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

describe('the base of a run', () => {
  it('is the commit and the branch that are checked out', async () => {
    const folder = createTestRepository();
    const commit = folder.git('rev-parse', 'HEAD').trim();
    folder.git('switch', '--quiet', '--create', 'feature/a.b');
    expect(await captureBase(folder.settings)).toEqual({ commit, branch: 'feature/a.b' });
  });

  it('has no branch where HEAD is detached', async () => {
    const folder = createTestRepository();
    folder.git('switch', '--quiet', '--detach');
    expect(await captureBase(folder.settings)).toEqual({ commit: folder.git('rev-parse', 'HEAD').trim(), branch: null });
  });

  it('has a branch and no commit before the first one', async () => {
    const folder = createPlainFolder();
    folder.git('init', '--quiet');
    expect(await captureBase(folder.settings)).toEqual({ commit: null, branch: 'main' });
  });

  it('is nothing outside of git', async () => {
    expect(await captureBase(createPlainFolder().settings)).toEqual({ commit: null, branch: null });
  });
});
