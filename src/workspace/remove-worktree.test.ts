import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorktree, type Worktree } from './create-worktree.ts';
import { type RemovedWorktree, removeWorktree } from './remove-worktree.ts';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from './repository-fixtures.ts';

afterAll(removeTestFolders);

const links = ['node_modules', '.venv'];

function make(repo: TestFolder): Promise<Worktree> {
  return createWorktree({ ...repo.settings, stateDir: '.ralph', name: 'fix', links, reuse: false });
}

function remove(repo: TestFolder, force = false, name = 'fix'): Promise<RemovedWorktree> {
  return removeWorktree({ ...repo.settings, stateDir: '.ralph', name, links, force });
}

describe('removing a worktree', () => {
  it('takes it and its branch away when nothing was done in it, and nothing that it was linked to', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules/\n' });
    repo.write('node_modules/pkg/index.js', 'shared');
    repo.write('.venv/bin', 'shared');
    repo.git('add', '.venv/bin');
    repo.git('commit', '--quiet', '--message', 'tracked');
    const { path } = await make(repo);
    expect(await remove(repo)).toEqual({ isRemoved: true, keptBranch: null });
    expect(existsSync(path)).toBe(false);
    expect(repo.read('node_modules/pkg/index.js')).toBe('shared');
    expect(repo.git('branch', '--format=%(refname:short)')).toBe('main\n');
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('keeps the branch when it has commits', async () => {
    const repo = createTestRepository();
    const inside = createPlainFolder({ path: (await make(repo)).path });
    inside.git('commit', '--quiet', '--allow-empty', '--message', 'work');
    expect(await remove(repo)).toEqual({ isRemoved: true, keptBranch: 'ralph/fix' });
    expect(repo.git('log', '-1', '--format=%s', 'ralph/fix')).toBe('work\n');
  });

  it('is refused while there are uncommitted changes, which are named, unless it is forced', async () => {
    const repo = createTestRepository();
    const { path } = await make(repo);
    createPlainFolder({ path }).write('work.txt', 'x');
    await expect(remove(repo)).rejects.toMatchObject({ code: 'worktree-dirty', message: expect.stringContaining('work.txt') });
    expect(existsSync(join(path, 'work.txt'))).toBe(true);
    expect(await remove(repo, true)).toMatchObject({ isRemoved: true });
  });

  it.each([true, false])('takes away folders that are nested deeper than git can follow (forced: %s)', async (force) => {
    const repo = createTestRepository();
    const { path } = await make(repo);
    const script = `const long = 'd'.repeat(200); for (let depth = 0; depth < 40; depth += 1) { fs.mkdirSync(long); process.chdir(long); }`;
    execFileSync(process.execPath, ['-e', script], { cwd: path });
    expect(await remove(repo, force)).toEqual({ isRemoved: true, keptBranch: null });
    expect(readdirSync(dirname(path))).toEqual([]);
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('leaves a worktree alone that git was told to keep', async () => {
    const repo = createTestRepository();
    const { path } = await make(repo);
    repo.git('worktree', 'lock', path);
    await expect(remove(repo, true)).rejects.toMatchObject({ code: 'worktree-failed', message: expect.stringContaining('locked') });
    expect(existsSync(path)).toBe(true);
  });

  it('finds nothing to do when it is not there, also when somebody deleted its folder', async () => {
    const repo = createTestRepository();
    await make(repo);
    repo.remove('.ralph/worktrees/fix');
    expect(await remove(repo)).toEqual({ isRemoved: false, keptBranch: null });
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('never follows a name out of its place', async () => {
    const repo = createTestRepository();
    await expect(remove(repo, true, '../..')).rejects.toMatchObject({ code: 'worktree-name' });
  });

  it('does not take a folder away that is no worktree', async () => {
    const repo = createTestRepository();
    repo.write('.ralph/worktrees/fix/precious.txt', 'x');
    await expect(remove(repo, true)).rejects.toMatchObject({ code: 'worktree-failed' });
    expect(repo.read('.ralph/worktrees/fix/precious.txt')).toBe('x');
  });
});
