import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterAll(removeTestFolders);

describe('where a repository stands', () => {
  it('is its branch, what is not committed, and the commits since one', async () => {
    const repo = createTestRepository({ 'a.txt': '0\n' });
    const base = repo.git('rev-parse', 'HEAD').trim();
    for (const subject of ['one', 'two with a long | story']) repo.git('commit', '--quiet', '--allow-empty', '--message', subject);
    repo.write('a.txt', '1\n');
    repo.write('new\nline.txt', 'x');
    repo.write('.ralph/state', 'x');
    const state = await repo.workspace(null).state(base);
    expect(state).toMatchObject({
      head: repo.git('rev-parse', 'HEAD').trim(),
      branch: 'main',
      uncommitted: { count: 2, first: ['a.txt', 'new\nline.txt'] },
      commits: { count: 2, newest: [{ subject: 'two with a long | story' }, { subject: 'one' }] },
    });
    repo.git('checkout', '--quiet', '--detach');
    expect(await repo.workspace(null).state(null)).toMatchObject({ branch: null, commits: { count: 3 } });
  });

  it('is told before the first commit, with a base that is none, and not outside of git', async () => {
    const unborn = createPlainFolder();
    expect(await unborn.workspace(null).state(null)).toBeNull();
    unborn.git('init', '--quiet');
    expect(await unborn.workspace(null).state(null)).toMatchObject({ head: null, branch: 'main', commits: { count: 0 } });
    const repo = createTestRepository();
    expect((await repo.workspace(null).state('--output=x'))?.commits).toBeNull();
    expect((await repo.workspace(null).state('a'.repeat(40)))?.commits).toBeNull();
  });
});
