import { afterAll, describe, expect, it } from 'vitest';
import { createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';

afterAll(removeTestFolders);

function observe(repo: TestFolder): unknown {
  return [repo.git('symbolic-ref', 'HEAD'), repo.git('rev-parse', 'HEAD'), repo.status(), repo.git('ls-files', '--stage')];
}

describe('a branch for checkpoints', () => {
  it('gets them all, while HEAD, index and working tree stay as they are', async () => {
    const repo = createTestRepository({ 'a.txt': '1', 'b.txt': '1' });
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: 'ralph/checkpoints' });
    repo.write('a.txt', '2');
    repo.write('new.txt', '2');
    const before = observe(repo);
    const first = await workspace.checkpoint(5);
    expect(observe(repo)).toEqual(before);
    repo.write('b.txt', '2');
    const second = await workspace.checkpoint(10);
    expect(repo.git('log', '--format=%H', 'ralph/checkpoints').split('\n').slice(0, 2)).toEqual([second.commit, first.commit]);
    expect(repo.changes(first.commit ?? '')).toEqual(['M a.txt', 'A new.txt']);
    expect(repo.changes(second.commit ?? '')).toEqual(['M b.txt']);
    expect(repo.git('log', '--format=%s')).toBe('first\n');
  });

  it('gets no second commit of the same state', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: 'cp' });
    repo.write('work.txt', 'x');
    await workspace.checkpoint(1);
    expect(await workspace.checkpoint(2)).toMatchObject({ commit: null, note: 'nothing new to commit' });
  });

  it('is an ordinary checkpoint when it is the current branch', async () => {
    const repo = createTestRepository();
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: 'main' });
    repo.write('work.txt', 'x');
    await workspace.checkpoint(1);
    expect(repo.status()).toEqual([]);
    expect(repo.git('log', '-1', '--format=%s', 'main')).toBe('ralph: checkpoint after iteration 1\n');
  });

  it('is not taken from under another working tree', async () => {
    const repo = createTestRepository();
    repo.git('worktree', 'add', '--quiet', '-b', 'elsewhere', '../elsewhere');
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: 'elsewhere' });
    repo.write('work.txt', 'x');
    const refused = await workspace.checkpoint(1);
    expect(refused.commit).toBeNull();
    expect(refused.note).toMatch(/^the branch elsewhere is checked out in .*elsewhere$/);
  });

  it.each(['two words', '-x', 'a..b', 'main/below', ''])('that cannot be one (%j) is a note, and nothing is written', async (branch) => {
    const repo = createTestRepository();
    const refs = repo.git('for-each-ref');
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: branch });
    repo.write('work.txt', 'x');
    const refused = await workspace.checkpoint(1);
    expect(refused.commit).toBeNull();
    expect(refused.note).not.toBe('');
    expect(repo.git('for-each-ref')).toBe(refs);
  });

  it('can begin in a repository without commits', async () => {
    const repo = createTestRepository();
    repo.git('update-ref', '-d', 'HEAD');
    const workspace = repo.workspace(await repo.capture(), { checkpointBranch: 'cp' });
    repo.write('work.txt', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(repo.git('ls-tree', '--name-only', commit ?? '')).toBe('work.txt\n');
    expect(() => repo.git('rev-parse', '--verify', 'HEAD')).toThrow();
  });
});
