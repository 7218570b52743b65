import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createWorktree, type Worktree } from './create-worktree.ts';
import { type RemovedWorktree, removeWorktree } from './remove-worktree.ts';
import { listWorktrees } from './worktrees.ts';

afterAll(removeTestFolders);

const links = ['node_modules', '.venv'];

function make(repo: TestFolder): Promise<Worktree> {
  return createWorktree({ ...repo.settings, stateDir: '.ralph', name: 'fix', links, reuse: false });
}

function remove(repo: TestFolder, force = false, name = 'fix'): Promise<RemovedWorktree> {
  return removeWorktree({ ...repo.settings, stateDir: '.ralph', name, links, baseline: null, force });
}

describe('removing a worktree', () => {
  it('takes it and its branch away when nothing was done in it, and nothing that it was linked to', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules/\n' });
    repo.write('node_modules/pkg/index.js', 'shared');
    repo.write('.venv/bin', 'shared');
    repo.git('add', '.venv/bin');
    repo.git('commit', '--quiet', '--message', 'tracked');
    const { path } = await make(repo);
    expect(await remove(repo)).toEqual({ isRemoved: true, keptBranch: null, renewable: [] });
    expect(existsSync(path)).toBe(false);
    expect(repo.read('node_modules/pkg/index.js')).toBe('shared');
    expect(repo.git('branch', '--format=%(refname:short)')).toBe('main\n');
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('keeps the branch when it has commits', async () => {
    const repo = createTestRepository();
    const inside = createPlainFolder({ path: (await make(repo)).path });
    inside.git('commit', '--quiet', '--allow-empty', '--message', 'work');
    expect(await remove(repo)).toMatchObject({ isRemoved: true, keptBranch: 'ralph/fix' });
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

  it('is refused while files are in it that git ignores, which are named, unless it is forced', async () => {
    const repo = createTestRepository({ '.gitignore': '.env\n*.db\ndist/\nnode_modules/\n' });
    const { path } = await make(repo);
    const inside = createPlainFolder({ path });
    inside.write('.env', 'KEY=1');
    inside.write('data/app.db', 'x');
    inside.write('dist/a.js', 'x');
    inside.write('dist/b.js', 'x');
    inside.write('node_modules/pkg/index.js', 'x');
    inside.git('commit', '--quiet', '--allow-empty', '--message', 'work');
    await expect(remove(repo)).rejects.toMatchObject({
      code: 'worktree-dirty',
      message: expect.stringContaining(': .env, data/app.db, dist/.'),
      fix: expect.stringContaining('ralph worktrees merge fix'),
    });
    expect(inside.read('.env')).toBe('KEY=1');
    expect(await remove(repo, true)).toMatchObject({ isRemoved: true, keptBranch: null });
  });

  it('takes with it what a tool makes again, and names that', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules/\n__pycache__/\nenv*/\n' });
    const { path } = await make(repo);
    const inside = createPlainFolder({ path });
    for (const name of ['node_modules/pkg/index.js', 'src/__pycache__/a.pyc', 'env3/pyvenv.cfg']) inside.write(name, 'x');
    expect(await remove(repo)).toEqual({ isRemoved: true, keptBranch: null, renewable: ['env3/', 'node_modules/', 'src/__pycache__/'] });
  });

  it('does not mind ignored folders in which there is no file', async () => {
    const repo = createTestRepository({ '.gitignore': 'dist/\nout/\n' });
    const { path } = await make(repo);
    mkdirSync(join(path, 'dist/deep/er'), { recursive: true });
    mkdirSync(join(path, 'out/deep'), { recursive: true });
    createPlainFolder({ path }).link('out/deep/link', 'nowhere');
    await expect(remove(repo)).rejects.toMatchObject({ message: expect.stringContaining(': out/.') });
    rmSync(join(path, 'out/deep/link'));
    expect(await remove(repo)).toMatchObject({ isRemoved: true });
  });

  it('does not take a file for a folder that a tool makes again', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules\n' });
    createPlainFolder({ path: (await make(repo)).path }).write('node_modules', 'notes');
    await expect(remove(repo)).rejects.toMatchObject({ code: 'worktree-dirty' });
  });

  it('knows the links of a worktree whose run began in a subfolder', async () => {
    const repo = createTestRepository({ 'app/kept.txt': 'x', '.gitignore': 'node_modules\n' });
    repo.write('app/node_modules/pkg/index.js', 'shared');
    const app = createPlainFolder({ path: join(repo.path, 'app') });
    const settings = { ...app.settings, env: repo.env, stateDir: '.ralph', findBaseline: () => null };
    await createWorktree({ ...settings, name: 'fix', links, reuse: false });
    expect(await listWorktrees(settings)).toMatchObject([{ uncommitted: [], ignored: [], renewable: [] }]);
    expect(await removeWorktree({ ...settings, name: 'fix', links, baseline: null, force: false })).toMatchObject({ isRemoved: true });
    expect(repo.read('app/node_modules/pkg/index.js')).toBe('shared');
  });

  it.each([true, false])('takes away folders that are nested deeper than git can follow (forced: %s)', async (force) => {
    const repo = createTestRepository();
    const { path } = await make(repo);
    const script = `const long = 'd'.repeat(200); for (let depth = 0; depth < 40; depth += 1) { fs.mkdirSync(long); process.chdir(long); }`;
    execFileSync(process.execPath, ['-e', script], { cwd: path });
    expect(await remove(repo, force)).toMatchObject({ isRemoved: true, keptBranch: null });
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
    expect(await remove(repo)).toMatchObject({ isRemoved: false, keptBranch: null });
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
