import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createTreeReader } from '../snapshot/create-tree-reader.ts';
import { type CopyOrder, useCopy } from './copy-apart.ts';
import { listPlacesApart, removePlacesApart } from './place-apart.ts';

afterAll(removeTestFolders);

const FILES = {
  'src/a.js': 'one\n',
  'test/a.test.js': 'asks for one\nand more\nand more still\n',
  'test/b.test.js': 'b\n',
  '.gitignore': 'node_modules/\n*.env\nout/\n',
};

/** What a run keeps of its start. */
async function begin(folder: TestFolder, cwd = folder.path) {
  const state = await createTreeReader({ ...folder.settings, cwd }).read();
  const workspace = folder.workspace(null, { cwd });
  const { tree } = await workspace.snapshot('start', 'before');
  await workspace.settle();
  return { tree: tree ?? '', files: state?.files ?? new Map<string, string>() };
}

async function toOrder(folder: TestFolder, cwd = folder.path): Promise<Omit<CopyOrder, 'start'>> {
  const state = await createTreeReader({ ...folder.settings, cwd }).read();
  const paths = [...(state?.files.keys() ?? [])];
  return {
    ...folder.settings,
    cwd,
    workspace: cwd,
    stateDir: '.ralph',
    runId: 'run-1',
    links: [],
    paths,
    signal: new AbortController().signal,
  };
}

/** Every file of the copy with its text; a link as where it leads. */
function readAll(cwd: string, folder = ''): Record<string, string> {
  const entries = readdirSync(join(cwd, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === '.git' || entry.name === '.gitignore') return [];
    if (entry.isDirectory()) return Object.entries(readAll(cwd, path));
    return [[path, entry.isSymbolicLink() ? `-> ${readlinkSync(join(cwd, path))}` : readFileSync(join(cwd, path), 'utf8')] as const];
  });
  return Object.fromEntries(entries);
}

describe('a copy of the work', () => {
  it('has what git tracks or does not know as it is, with its times, and is gone after its use', async () => {
    const folder = createTestRepository(FILES);
    folder.write('src/a.js', 'two\n');
    folder.write('new.sh', 'echo new\n');
    folder.makeExecutable('new.sh');
    folder.link('link', 'src/a.js');
    folder.remove('test/b.test.js');
    utimesSync(join(folder.path, 'src/a.js'), 1000, 2000);
    const before = [folder.status(), folder.git('branch', '--list', '--all')];
    const seen = await useCopy(await toOrder(folder), async (cwd) => {
      expect([statSync(join(cwd, 'new.sh')).mode & 0o111, statSync(join(cwd, 'src/a.js')).mtimeMs]).toEqual([0o111, 2_000_000]);
      return { cwd, files: readAll(cwd) };
    });
    expect(seen.files).toEqual({
      'src/a.js': 'two\n',
      'test/a.test.js': FILES['test/a.test.js'],
      'new.sh': 'echo new\n',
      link: '-> src/a.js',
    });
    expect([existsSync(seen.cwd), folder.status(), folder.git('branch', '--list', '--all')]).toEqual([false, ...before]);
    expect(folder.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('is a worktree at the commit of the work, so that git tells there what it tells here', async () => {
    const folder = createTestRepository(FILES);
    folder.write('src/a.js', 'two\n');
    const order = await toOrder(folder);
    const status = await useCopy(order, async (cwd) => folder.git('-C', cwd, 'status', '--porcelain'));
    expect(status).toBe(' M src/a.js\n');
  });

  it('has copies of what is installed and of what else git ignores', async () => {
    const folder = createTestRepository(FILES);
    folder.write('node_modules/x/index.js', 'x\n');
    folder.write('my.env', 'A=1\n');
    folder.write('out/deep/built.js', 'built\n');
    const order = await toOrder(folder);
    await useCopy(order, async (cwd) => {
      expect(readAll(join(cwd, 'node_modules'))).toEqual({ 'x/index.js': 'x\n' });
      rmSync(join(cwd, 'node_modules/x'), { recursive: true });
      writeFileSync(join(cwd, 'node_modules/new.js'), 'new\n');
      expect([lstatSync(join(cwd, 'out')).isDirectory(), readAll(join(cwd, 'out'))]).toEqual([true, { 'deep/built.js': 'built\n' }]);
      expect(readFileSync(join(cwd, 'my.env'), 'utf8')).toBe('A=1\n');
      expect(existsSync(join(cwd, '.ralph'))).toBe(false);
    });
    expect(readAll(join(folder.path, 'node_modules'))).toEqual({ 'x/index.js': 'x\n' });
  });

  it('has copies of packages that a link of the work leads to, too', async () => {
    const outside = createPlainFolder();
    outside.write('node_modules/x/index.js', 'x\n');
    const folder = createTestRepository(FILES);
    folder.link('node_modules', join(outside.path, 'node_modules'));
    await useCopy(await toOrder(folder), async (cwd, { packages }) => {
      expect([packages.length, lstatSync(join(cwd, 'node_modules')).isSymbolicLink()]).toEqual([1, false]);
      rmSync(join(cwd, 'node_modules/x'), { recursive: true });
    });
    expect(outside.read('node_modules/x/index.js')).toBe('x\n');
  });

  it('leads links among packages to the folders of the copy', async () => {
    const folder = createTestRepository({ ...FILES, 'packages/a/index.js': 'a\n' });
    mkdirSync(join(folder.path, 'node_modules'));
    folder.link('node_modules/a', '../packages/a');
    folder.link('node_modules/b', join(folder.path, 'packages/a'));
    await useCopy(await toOrder(folder), async (cwd) => {
      const real = realpathSync(join(cwd, 'packages/a'));
      expect(['a', 'b'].map((name) => realpathSync(join(cwd, 'node_modules', name)))).toEqual([real, real]);
    });
  });

  it.each([
    ['.venv/lib/python3/site-packages/app.pth', (top: string) => `${top}/src\n`],
    ['.venv/lib/python3/site-packages/__editable___app_finder.py', (top: string) => `MAPPING = {'app': '${top}/src/app'}\n`],
    [
      '.venv/lib/python3/site-packages/app.dist-info/direct_url.json',
      (top: string) => `{"url":"file://${top}","dir_info":{"editable":true}}`,
    ],
    ['out/CMakeCache.txt', (top: string) => `CMAKE_HOME_DIRECTORY:INTERNAL=${top}\n`],
  ])('is not made where %s leads back to the work', async (path, text) => {
    const folder = createTestRepository({ ...FILES, '.gitignore': '.venv/\nout/\n' });
    folder.write(path, text(realpathSync(folder.path)));
    await expect(useCopy(await toOrder(folder), async () => undefined)).rejects.toThrow(`${path} leads back to the files of the folder`);
  });

  it('has programs of a Python environment that use the packages of the copy', async () => {
    const folder = createTestRepository({ ...FILES, '.gitignore': '.venv/\n' });
    folder.write('.venv/pyvenv.cfg', 'home = /usr/bin\n');
    folder.write('.venv/bin/pip', `#!${realpathSync(folder.path)}/.venv/bin/python\n`);
    await useCopy(await toOrder(folder), async (cwd) => {
      expect(readFileSync(join(cwd, '.venv/bin/pip'), 'utf8')).toBe(`#!${cwd}/.venv/bin/python\n`);
    });
    expect(folder.read('.venv/bin/pip')).not.toContain('tests-run-1');
  });

  it('stays without a folder of more files than there is room for, and tells it', async () => {
    const folder = createTestRepository(FILES);
    mkdirSync(join(folder.path, 'out'));
    for (let index = 0; index <= 20_000; index += 1) writeFileSync(join(folder.path, 'out', String(index)), '');
    const leftOut = await useCopy(await toOrder(folder), async (_cwd, brought) => brought.leftOut);
    expect(leftOut).toEqual(['out']);
  });

  it('has the files of the start in the place of those that were changed, removed or renamed, and keeps new ones', async () => {
    const folder = createTestRepository(FILES);
    folder.write('test/mine.test.js', 'not committed\n');
    const { tree, files } = await begin(folder);
    folder.remove('test/a.test.js');
    folder.write('test/moved.test.js', 'asks for nothing\nand more\nand more still\n');
    folder.write('test/new.test.js', 'new\n');
    folder.write('test/b.test.js', 'softer\n');
    folder.remove('test/mine.test.js');
    folder.git('add', '--all');
    folder.git('commit', '--quiet', '--message', 'work');
    const names = ['test/a.test.js', 'test/b.test.js', 'test/mine.test.js'];
    const restored = new Map(names.map((name) => [name, files.get(name) ?? '']));
    const start = { tree, restored, added: ['test/moved.test.js', 'test/new.test.js'] };
    const seen = await useCopy({ ...(await toOrder(folder)), start }, async (cwd) => readAll(cwd));
    expect(seen).toEqual({
      'src/a.js': 'one\n',
      'test/a.test.js': FILES['test/a.test.js'],
      'test/b.test.js': 'b\n',
      'test/mine.test.js': 'not committed\n',
      'test/new.test.js': 'new\n',
    });
    expect(folder.read('test/b.test.js')).toBe('softer\n');
  });

  it('has them also where the run works in a folder below the top', async () => {
    const folder = createTestRepository({ 'app/test/a.sh': 'a\n', 'lib/test/b.sh': 'b\n' });
    const cwd = join(folder.path, 'app');
    const { tree, files } = await begin(folder, cwd);
    folder.write('app/test/a.sh', 'x\n');
    folder.write('lib/test/b.sh', 'y\n');
    const restored = new Map(['test/a.sh', '../lib/test/b.sh'].map((name) => [name, files.get(name) ?? '']));
    const seen = await useCopy({ ...(await toOrder(folder, cwd)), start: { tree, restored, added: [] } }, async (place) => [
      readFileSync(join(place, 'test/a.sh'), 'utf8'),
      readFileSync(join(place, '../lib/test/b.sh'), 'utf8'),
    ]);
    expect(seen).toEqual(['a\n', 'b\n']);
  });

  it('is not made of a start that is not what it was', async () => {
    const folder = createTestRepository(FILES);
    const { files } = await begin(folder);
    folder.write('test/b.test.js', 'softer\n');
    folder.git('add', '--all');
    const start = {
      tree: folder.git('write-tree').trim(),
      restored: new Map([['test/b.test.js', files.get('test/b.test.js') ?? '']]),
      added: [],
    };
    const order = { ...(await toOrder(folder)), start };
    await expect(useCopy(order, async () => undefined)).rejects.toThrow('what test/b.test.js said at the start is not known any more');
    const gone = { ...start, tree: '1'.repeat(40) };
    await expect(useCopy({ ...order, start: gone }, async () => undefined)).rejects.toThrow();
    expect(listPlacesApart(join(folder.path, '.ralph/worktrees'))).toEqual([]);
  });

  it('writes through no link that stands where a folder was', async () => {
    const folder = createTestRepository(FILES);
    const { tree, files } = await begin(folder);
    const outside = createPlainFolder();
    outside.write('b.test.js', 'theirs\n');
    folder.remove('test');
    folder.link('test', outside.path);
    const start = { tree, restored: new Map([['test/b.test.js', files.get('test/b.test.js') ?? '']]), added: [] };
    const seen = await useCopy({ ...(await toOrder(folder)), start }, async (cwd) => readAll(cwd));
    expect([readdirSync(outside.path), outside.read('b.test.js')]).toEqual([['b.test.js'], 'theirs\n']);
    expect(seen).toEqual({ 'src/a.js': 'one\n', 'test/b.test.js': 'b\n' });
  });

  it('needs a commit, and is taken back where its use fails', async () => {
    const empty = createPlainFolder();
    empty.git('init', '--quiet');
    await expect(useCopy(await toOrder(empty), async () => undefined)).rejects.toThrow('there is no commit yet');
    const folder = createTestRepository(FILES);
    await expect(useCopy(await toOrder(folder), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(listPlacesApart(join(folder.path, '.ralph/worktrees'))).toEqual([]);
  });

  it('that a kill left is found and removed, by the next one too', async () => {
    const folder = createTestRepository(FILES);
    const order = await toOrder(folder);
    const leave = () => folder.git('worktree', 'add', '--quiet', '--detach', '.ralph/worktrees/tests-run-1');
    leave();
    expect(listPlacesApart(join(folder.path, '.ralph/worktrees'))).toEqual(['run-1']);
    expect(await useCopy(order, async () => 'used')).toBe('used');
    leave();
    await removePlacesApart(order);
    expect(listPlacesApart(join(folder.path, '.ralph/worktrees'))).toEqual([]);
    expect(folder.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
