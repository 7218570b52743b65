import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { captureBase, findRepository, listIgnored, listTracked } from './repository.ts';
import { createPlainFolder, createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

it('needs no git to tell that no folder above is a repository', async () => {
  const folder = createPlainFolder();
  const search = await findRepository({ ...folder.settings, env: { PATH: '' } });
  expect(search).toEqual({ ok: false, refused: expect.stringContaining('not a git repository') });
});

it('finds a repository whose path holds line ends', async () => {
  const folder = createTestRepository();
  const top = join(realpathSync(folder.path), 'two\nlines\n');
  mkdirSync(top);
  folder.git('init', '--quiet', top);
  const search = await findRepository({ ...folder.settings, cwd: top });
  expect(search).toMatchObject({ ok: true, value: { top, gitDir: join(top, '.git'), prefix: '' } });
});

it('finds the repository around a folder', async () => {
  const folder = createTestRepository();
  const cwd = join(folder.path, 'a', 'b');
  mkdirSync(cwd, { recursive: true });
  expect(await findRepository({ ...folder.settings, cwd })).toMatchObject({ ok: true, value: { prefix: 'a/b/' } });
});

it.each(['.git', '.git/HEAD'])('works with no repository around it once its own %s is gone', async (removed) => {
  const folder = createTestRepository();
  const cwd = join(folder.path, 'inner');
  folder.git('init', '--quiet', cwd);
  const search = await findRepository({ ...folder.settings, cwd });
  if (!search.ok) throw new Error(search.refused);
  expect((await search.value.git(['rev-parse', '--git-dir'])).ok).toBe(true);
  rmSync(join(cwd, removed), { recursive: true });
  expect(await search.value.git(['rev-parse', '--git-dir'])).toMatchObject({
    ok: false,
    problem: expect.stringContaining('not a git repository'),
  });
});

it('finds none where its configuration says that its files are in another place', async () => {
  const folder = createTestRepository();
  const cwd = join(folder.path, 'inner');
  folder.git('init', '--quiet', cwd);
  folder.git('-C', cwd, 'config', 'core.worktree', folder.path);
  rmSync(join(folder.path, '.git'), { recursive: true });
  expect(await findRepository({ ...folder.settings, cwd })).toEqual({
    ok: false,
    refused: expect.stringContaining('not inside the working tree'),
  });
});

it('takes every folder for tracked where git cannot tell', async () => {
  const folder = createTestRepository({ 'dist/a.txt': 'a\n' });
  folder.write('build/b.txt', 'b\n');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist']);
  writeFileSync(join(folder.path, '.git/index'), 'broken');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist', 'build']);
  writeFileSync(join(folder.path, '.git/config'), '[[[');
  expect(await listTracked(folder.settings, ['dist', 'build'])).toEqual(['dist', 'build']);
});

it('tells folders that git would ignore, although they are not there', async () => {
  const folder = createTestRepository({ '.gitignore': 'dist/\n/out\n*.tmp\n', 'src/.gitignore': 'gen/\n', 'src/a.txt': 'a\n' });
  expect(await listIgnored(folder.settings, ['dist', 'out', 'build', 'src', 'src/gen', 'x.tmp'])).toEqual([
    'dist',
    'out',
    'src/gen',
    'x.tmp',
  ]);
  expect(await listIgnored({ ...folder.settings, cwd: join(folder.path, 'src') }, ['gen', 'dist', 'out'])).toEqual(['gen', 'dist']);
  writeFileSync(join(folder.path, '.git/config'), '[[[');
  expect(await listIgnored(folder.settings, ['dist'])).toEqual([]);
});

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
