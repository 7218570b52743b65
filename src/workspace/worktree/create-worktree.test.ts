import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createWorktree, type Worktree, type WorktreeOrder } from './create-worktree.ts';

afterAll(removeTestFolders);

function make(folder: TestFolder, more: Partial<WorktreeOrder> = {}): Promise<Worktree> {
  return createWorktree({ ...folder.settings, stateDir: '.ralph', name: 'fix', links: [], reuse: false, ...more });
}

function open(worktree: Worktree): TestFolder {
  return createPlainFolder({ path: worktree.path });
}

describe('a worktree', () => {
  it('is a checkout of the current commit on a branch of its own, below the state folder', async () => {
    const repo = createTestRepository({ 'a.txt': 'a\n' });
    const worktree = await make(repo);
    expect(worktree).toEqual({
      path: join(repo.path, '.ralph/worktrees/fix'),
      cwd: join(repo.path, '.ralph/worktrees/fix'),
      branch: 'ralph/fix',
      carried: [],
      notCarried: [],
      linked: [],
      notIgnored: [],
      isReused: false,
    });
    const inside = open(worktree);
    expect(inside.git('symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/fix\n');
    expect(inside.git('rev-parse', 'HEAD')).toBe(repo.git('rev-parse', 'main'));
    expect(inside.status()).toEqual([]);
    expect(repo.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
  });

  it('gets the uncommitted changes exactly, as uncommitted ones; the main checkout keeps its own', async () => {
    const repo = createTestRepository({
      'staged.txt': '1\n',
      'crlf.txt': 'a\r\nb\r\n',
      gone: '1\n',
      'run.sh': '1\n',
      'to-link': 'x',
      'bin.dat': '\0\u0001\n',
    });
    repo.write('staged.txt', '2\n');
    repo.git('add', 'staged.txt');
    repo.write('staged.txt', '2\n3\n');
    repo.write('crlf.txt', 'a\r\nB\r\n');
    repo.remove('gone');
    repo.makeExecutable('run.sh');
    repo.remove('to-link');
    repo.link('to-link', 'run.sh');
    repo.write('bin.dat', '\0\u0002\n');
    repo.write('new\nline 漢.txt', 'untracked');
    repo.write('deep/er/new.txt', 'untracked');
    const before = [repo.status(), repo.git('diff', '--cached')];
    const worktree = await make(repo);
    expect([repo.status().filter((line) => !line.includes('.ralph/')), repo.git('diff', '--cached')]).toEqual(before);
    const inside = open(worktree);
    for (const name of ['staged.txt', 'crlf.txt', 'bin.dat', 'new\nline 漢.txt', 'deep/er/new.txt'])
      expect(inside.read(name)).toBe(repo.read(name));
    expect(readlinkSync(join(worktree.path, 'to-link'))).toBe('run.sh');
    expect(inside.status().sort()).toEqual(
      [
        ' M bin.dat',
        ' M crlf.txt',
        ' M run.sh',
        ' M staged.txt',
        ' D gone',
        ' T to-link',
        '?? deep/er/new.txt',
        '?? new\nline 漢.txt',
      ].sort(),
    );
    expect(worktree.carried).toHaveLength(8);
    expect(readdirSync(join(repo.path, '.ralph/worktrees'))).toEqual(['fix']);
  });

  it('gets changes under the repository’s line end rules', async () => {
    const repo = createTestRepository({ 'a.txt': 'one\r\ntwo\r\n' });
    repo.git('config', 'core.autocrlf', 'true');
    repo.write('a.txt', 'one\r\nTWO\r\n');
    repo.write('new.txt', 'x\r\n');
    const inside = open(await make(repo));
    expect([inside.read('a.txt'), inside.read('new.txt')]).toEqual(['one\r\nTWO\r\n', 'x\r\n']);
  });

  it('links shared folders where they exist and nothing is in the way, and says which git does not ignore', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules\n.venv/\n', 'tracked/file': 'x' });
    repo.write('node_modules/pkg/index.js', 'x');
    repo.write('.venv/bin/python', 'x');
    const links = [
      './node_modules/',
      '.venv',
      '.venv/',
      'tracked',
      'missing',
      '../outside',
      'a/../..',
      '/etc',
      '.git',
      '.git/hooks',
      '.',
      '',
    ];
    const worktree = await make(repo, { links });
    expect(worktree.linked).toEqual(['node_modules', '.venv']);
    expect(worktree.notIgnored).toEqual(['.venv']);
    expect(readlinkSync(join(worktree.path, 'node_modules'))).toBe(join(repo.path, 'node_modules'));
    expect(lstatSync(join(worktree.path, 'tracked')).isDirectory()).toBe(true);
  });

  it('of a folder inside a repository has that folder as its workspace', async () => {
    const repo = createTestRepository({ 'app/main.ts': '1', 'lib/x.ts': '1' });
    repo.write('app/node_modules/x', 'x');
    const cwd = join(repo.path, 'app');
    const worktree = await make(repo, { cwd, links: ['node_modules'] });
    expect(worktree.path).toBe(join(cwd, '.ralph/worktrees/fix'));
    expect(worktree.cwd).toBe(join(worktree.path, 'app'));
    expect(readlinkSync(join(worktree.cwd, 'node_modules'))).toBe(join(cwd, 'node_modules'));
  });

  it('keeps checkpoints of its run on its own branch, without what was carried along and linked', async () => {
    const repo = createTestRepository({ '.gitignore': 'node_modules/\n' });
    repo.write('user.txt', 'user\n');
    repo.write('node_modules/x', 'x');
    const inside = open(await make(repo, { links: ['node_modules'] }));
    const workspace = inside.workspace(await inside.capture());
    inside.write('agent.txt', 'x');
    const { commit } = await workspace.checkpoint(1);
    expect(inside.changes(commit ?? '')).toEqual(['A agent.txt']);
    expect(repo.git('log', '-1', '--format=%s')).toBe('first\n');
  });

  it('runs no hook', async () => {
    const repo = createTestRepository();
    repo.write('.git/hooks/post-checkout', '#!/bin/sh\nexit 1\n');
    repo.makeExecutable('.git/hooks/post-checkout');
    expect((await make(repo)).isReused).toBe(false);
  });

  it('is taken again by a resumed run, with the work in it', async () => {
    const repo = createTestRepository();
    const first = await make(repo);
    open(first).write('work.txt', 'x');
    const second = await make(repo, { reuse: true });
    expect(second).toEqual({ ...first, isReused: true });
    expect(open(second).read('work.txt')).toBe('x');
  });

  it('is made anew for a resumed run when its folder was removed: as its branch has it, without bringing changes along again', async () => {
    const repo = createTestRepository({ 'a.txt': 'a\n' });
    const first = await make(repo);
    open(first).write('work.txt', 'x');
    open(first).git('add', '.');
    open(first).git('commit', '-qm', 'work');
    rmSync(first.path, { recursive: true });
    repo.write('a.txt', 'changed since\n');
    const second = await make(repo, { reuse: true });
    expect(second).toEqual(first);
    expect([open(second).read('work.txt'), open(second).read('a.txt')]).toEqual(['x', 'a\n']);
    expect(repo.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(2);
  });
});

describe('a worktree that cannot be made', () => {
  it('leaves nothing behind when the changes cannot be brought along', async () => {
    const repo = createTestRepository();
    repo.git('config', 'filter.broken.clean', '/bin/false');
    repo.git('config', 'filter.broken.required', 'true');
    repo.write('.git/info/attributes', '*.bin filter=broken\n');
    repo.write('data.bin', 'x');
    await expect(make(repo)).rejects.toMatchObject({ code: 'worktree-failed', message: expect.stringContaining('filter') });
    expect(readdirSync(join(repo.path, '.ralph/worktrees'))).toEqual([]);
    expect(repo.git('branch', '--format=%(refname:short)')).toBe('main\n');
  });

  it('is refused when a link stands in its place, also for a resumed run', async () => {
    const repo = createTestRepository();
    const other = createTestRepository();
    mkdirSync(join(repo.path, '.ralph/worktrees'), { recursive: true });
    symlinkSync(other.path, join(repo.path, '.ralph/worktrees/fix'));
    await expect(make(repo, { reuse: true })).rejects.toMatchObject({ code: 'worktree-place' });
  });

  it('is refused when the name is taken by a worktree, a folder or a branch', async () => {
    const repo = createTestRepository();
    await make(repo);
    await expect(make(repo)).rejects.toMatchObject({
      code: 'worktree-exists',
      message: 'There already is a worktree called fix.',
      exitCode: 2,
    });
    mkdirSync(join(repo.path, '.ralph/worktrees/folder'));
    await expect(make(repo, { name: 'folder' })).rejects.toMatchObject({ code: 'worktree-exists' });
    await expect(make(repo, { name: 'folder', reuse: true })).rejects.toMatchObject({ code: 'worktree-exists' });
    repo.git('branch', 'ralph/branch');
    await expect(make(repo, { name: 'branch' })).rejects.toMatchObject({
      code: 'worktree-failed',
      fix: expect.stringContaining('git branch -D ralph/branch'),
    });
  });

  it.each(['', '.', '..', '../up', 'a/b', '/abs', '-flag', 'a b', 'a..b', 'x.lock', 'end.', 'new\nline', 'ü', 'x'.repeat(65)])(
    'is refused for the name %j, and nothing is written',
    async (name) => {
      const repo = createTestRepository();
      await expect(make(repo, { name })).rejects.toMatchObject({ code: 'worktree-name', exitCode: 2 });
      expect(repo.status()).toEqual([]);
    },
  );

  it('is refused when the state folder leads out of the workspace', async () => {
    const repo = createTestRepository();
    symlinkSync(createTestFolder('outside'), join(repo.path, '.ralph'));
    await expect(make(repo)).rejects.toMatchObject({ code: 'worktree-place' });
  });

  it('is explained outside a repository and before the first commit', async () => {
    const folder = createPlainFolder();
    await expect(make(folder)).rejects.toMatchObject({ code: 'worktree-no-repository', exitCode: 2 });
    folder.git('init', '--quiet');
    await expect(make(folder)).rejects.toMatchObject({ code: 'worktree-no-commit', fix: expect.stringContaining('git commit') });
  });
});
