import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScopeViolations } from '../../core/tools/scope-violations.ts';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from '../repository-fixtures.ts';
import { createTreeWatch, type TreeLook, type TreeWatch, watchPlainly } from './create-tree-watch.ts';

afterEach(removeTestFolders);

function open(folder: TestFolder, reverts = false): TreeWatch {
  const scratchDir = join(dirname(folder.path), 'scratch');
  return createTreeWatch({ ...folder.settings, scratchDir, reverts, runId: 'run-1' });
}

function watch(folder: TestFolder, reverts = false, exempt: readonly string[] = ['dist']): Promise<TreeLook> {
  return open(folder, reverts).begin(exempt, 'turn-1');
}

const NO_DIFF = async (): Promise<null> => null;

function toLines(found: ScopeViolations | null): readonly string[] {
  return (found?.changes ?? []).map(({ path, what }) => `${what} ${path}`);
}

/** A repository with a commit, a file that the user has changed, one of hers that git does not know, and one that it ignores. */
function createProject(): TestFolder {
  const folder = createTestRepository();
  folder.write('.gitignore', 'dist/\nnode_modules/\n*.log\n');
  folder.write('src/a.ts', 'a\n');
  folder.write('src/b.ts', 'b\n');
  folder.write('docs/mine.md', 'committed\n');
  folder.git('add', '.');
  folder.git('commit', '-qm', 'first');
  folder.write('docs/mine.md', 'not yet committed\n');
  folder.write('notes.txt', 'nobody knows me\n');
  folder.write('node_modules/x/index.js', 'ignored\n');
  return folder;
}

type Act = (folder: TestFolder) => void;

/** A file in the folder whose name is no UTF-8. */
const odd = (folder: TestFolder): Buffer => Buffer.concat([Buffer.from(`${folder.path}/a`), Buffer.of(0xff), Buffer.from('ä.txt')]);

const ATTACKS: readonly (readonly [name: string, act: Act, seen: string])[] = [
  ['makes a file whose name is no UTF-8', (folder) => writeFileSync(odd(folder), 'x'), 'created a\\xff\\xc3\\xa4.txt'],
  ['describes the repository anew', (folder) => folder.write('.git/description', 'evil'), 'git .git/description'],
  ['says where HEAD was', (folder) => folder.write('.git/ORIG_HEAD', `${'0'.repeat(40)}\n`), 'git .git/ORIG_HEAD'],
  ['forgets where HEAD was', (folder) => void folder.git('reflog', 'expire', '--expire=now', '--all'), 'git .git/logs/HEAD'],
  ['changes a tracked file', (folder) => folder.write('src/a.ts', 'evil\n'), 'changed src/a.ts'],
  [
    'changes one and turns back its time',
    (folder) => {
      folder.write('src/a.ts', 'x\n');
      utimesSync(join(folder.path, 'src/a.ts'), 1, 1);
    },
    'changed src/a.ts',
  ],
  ['deletes a tracked file', (folder) => folder.remove('src/a.ts'), 'deleted src/a.ts'],
  ['makes a new file', (folder) => folder.write('src/new.ts', 'new\n'), 'created src/new.ts'],
  ["changes the user's own dirty file", (folder) => folder.write('docs/mine.md', 'evil\n'), 'changed docs/mine.md'],
  ["throws the user's change away", (folder) => void folder.git('checkout', '--', 'docs/mine.md'), 'changed docs/mine.md'],
  ["deletes the user's unknown file", (folder) => folder.remove('notes.txt'), 'deleted notes.txt'],
  ['changes a mode', (folder) => chmodSync(join(folder.path, 'src/a.ts'), 0o755), 'changed src/a.ts'],
  ['puts a link in the place of a folder', (folder) => symlinkSync('/etc', join(folder.path, 'etc')), 'created etc'],
  [
    'hides a change behind a mark of the index',
    (folder) => {
      folder.git('update-index', '--assume-unchanged', 'src/a.ts');
      folder.write('src/a.ts', 'evil\n');
    },
    'changed src/a.ts',
  ],
  [
    'hides a new file behind an exclusion',
    (folder) => {
      mkdirSync(join(folder.path, '.git/info'), { recursive: true });
      writeFileSync(join(folder.path, '.git/info/exclude'), 'new.ts\n');
      folder.write('new.ts', 'new\n');
    },
    'git .git/info/exclude',
  ],
  ['commits', (folder) => void folder.git('commit', '-qam', 'evil'), 'ref refs/heads/main'],
  ['makes a branch', (folder) => void folder.git('branch', 'evil'), 'ref refs/heads/evil'],
  ['makes a tag', (folder) => void folder.git('tag', 'v9'), 'ref refs/tags/v9'],
  ['changes to another branch', (folder) => void folder.git('checkout', '-qb', 'other'), 'git .git/HEAD'],
  ['sets a hook path', (folder) => void folder.git('config', 'core.hooksPath', '/tmp/x'), 'git .git/config'],
  [
    'plants a hook',
    (folder) => {
      mkdirSync(join(folder.path, '.git/hooks'), { recursive: true });
      writeFileSync(join(folder.path, '.git/hooks/pre-commit'), '#!/bin/sh\n');
    },
    'git .git/hooks/pre-commit',
  ],
  ['stages something', (folder) => void folder.git('add', 'notes.txt'), 'index .git/index'],
  ['changes a file that git ignores', (folder) => folder.write('node_modules/x/index.js', 'evil\n'), 'changed node_modules/x/index.js'],
  [
    'breaks the configuration and changes a file',
    (folder) => {
      folder.write('src/a.ts', 'evil\n');
      writeFileSync(join(folder.path, '.git/config'), '[[[');
    },
    'git .git/config',
  ],
  [
    'breaks HEAD and changes a file',
    (folder) => {
      folder.write('src/a.ts', 'evil\n');
      writeFileSync(join(folder.path, '.git/HEAD'), 'x');
    },
    'git .git/HEAD',
  ],
  ['pretends a merge', (folder) => writeFileSync(join(folder.path, '.git/MERGE_MSG'), 'evil\n'), 'git .git/MERGE_MSG'],
  [
    'makes a ref of this run',
    (folder) => void folder.git('update-ref', 'refs/ralph/run-1/x/before', 'HEAD'),
    'ref refs/ralph/run-1/x/before',
  ],
  [
    'leaves a lock and stages something',
    (folder) => {
      folder.git('add', 'notes.txt');
      writeFileSync(join(folder.path, '.git/index.lock'), '');
    },
    'git .git/index.lock',
  ],
  ['makes a file that git ignores', (folder) => folder.write('run.log', 'x\n'), 'created run.log'],
];

describe('the look behind a hat that may not write', () => {
  it.each(ATTACKS)('sees when it %s', async (_, act, seen) => {
    const folder = createProject();
    const look = await watch(folder);
    act(folder);
    expect(toLines(await look.end(NO_DIFF))).toContain(seen);
  });

  it('sees nothing where nothing was changed but what does not count', async () => {
    const folder = createProject();
    const look = await watch(folder);
    folder.write('dist/out.js', 'built\n');
    folder.write('.agent/scratchpad.md', 'notes\n');
    folder.git('status');
    expect(await look.end(NO_DIFF)).toBeNull();
  });

  it('takes a file that is written anew with the same content for unchanged', async () => {
    const folder = createProject();
    const look = await watch(folder);
    folder.write('src/a.ts', 'a\n');
    folder.write('docs/mine.md', 'not yet committed\n');
    expect(await look.end(NO_DIFF)).toBeNull();
  });

  it('sees changes outside of git as well', async () => {
    const folder = createPlainFolder();
    folder.write('a.txt', 'a\n');
    const look = await watch(folder);
    folder.write('a.txt', 'evil\n');
    folder.write('sub/b.txt', 'b\n');
    expect(toLines(await look.end(NO_DIFF))).toEqual(['changed a.txt', 'created sub/b.txt']);
  });

  it('says so when it could not look', async () => {
    const folder = createProject();
    const look = await watch(folder);
    folder.remove('.git/HEAD');
    const found = await look.end(NO_DIFF);
    expect(found?.notes.join(' ')).toContain('could not be compared');
    expect([found?.isUnseen, toLines(found)]).toEqual([true, ['git .git/HEAD']]);
  });

  it.each(['--assume-unchanged', '--skip-worktree'])('sees a change of a file that the person has marked %s', async (mark) => {
    const folder = createProject();
    folder.git('update-index', mark, 'src/a.ts');
    const look = await watch(folder, true);
    folder.write('src/a.ts', 'evil\n');
    expect(toLines(await look.end(NO_DIFF))).toEqual(['changed src/a.ts']);
    expect([folder.read('src/a.ts'), folder.git('ls-files', '-v', 'src/a.ts')[0]]).toEqual(['a\n', mark === '--skip-worktree' ? 'S' : 'h']);
  });

  it('sees a mode also where git was told not to look at modes', async () => {
    const folder = createProject();
    folder.git('config', 'core.fileMode', 'false');
    const look = await watch(folder);
    folder.makeExecutable('src/a.ts');
    expect(toLines(await look.end(NO_DIFF))).toEqual(['changed src/a.ts']);
  });

  it('compares a turn whose process died, by another process, and takes nothing back', async () => {
    const folder = createProject();
    await watch(folder, true);
    folder.write('src/a.ts', 'evil\n');
    folder.write('dist/out.js', 'built\n');
    expect(toLines(await open(folder, true).recall('turn-1'))).toEqual(['changed src/a.ts']);
    expect(folder.read('src/a.ts')).toBe('evil\n');
    writeFileSync(join(folder.path, '.git/config'), '[[[');
    expect(await open(folder).recall('turn-1')).toMatchObject({ isUnseen: true, changes: [{ path: '.git/config' }] });
    expect(await open(folder).recall('turn-2')).toMatchObject({ isUnseen: true, total: 0 });
  });

  it('finds nothing in a turn whose process died before it did anything', async () => {
    const folder = createProject();
    await watch(folder);
    expect(await open(folder).recall('turn-1')).toBeNull();
  });

  it('takes the names of the trees around a turn whose process died for the run’s own, and those of other turns for somebody’s', async () => {
    const folder = createProject();
    await watch(folder);
    const tree = folder.git('rev-parse', 'HEAD^{tree}').trim();
    folder.git('update-ref', 'refs/ralph/run-1/turn-1/after', tree);
    expect(await open(folder).recall('turn-1')).toBeNull();
    folder.git('update-ref', 'refs/ralph/run-1/turn-2/after', tree);
    expect(toLines(await open(folder).recall('turn-1'))).toEqual(['ref refs/ralph/run-1/turn-2/after']);
  });

  it('tells what changed between turns, unless somebody wrote in between', async () => {
    const folder = createProject();
    const tree = open(folder);
    await (await tree.begin([], 'turn-1')).end(NO_DIFF);
    folder.write('src/a.ts', 'late\n');
    folder.git('add', 'src/b.ts', 'notes.txt');
    const found = await (await tree.begin([], 'turn-2')).end(NO_DIFF);
    expect([found?.total, found?.between]).toEqual([0, { paths: ['src/a.ts'], total: 1 }]);
    tree.pass();
    folder.write('src/a.ts', 'later\n');
    expect(await (await tree.begin([], 'turn-3')).end(NO_DIFF)).toBeNull();
  });

  it("names git's own files first, however many others were changed to bury them", async () => {
    const folder = createProject();
    const look = await watch(folder);
    for (let index = 0; index < 60; index += 1) folder.write(`chaff/${index}.txt`, 'x\n');
    folder.git('config', 'core.fsmonitor', '/tmp/x');
    folder.write('.git/hooks/pre-commit', '#!/bin/sh\n');
    folder.git('branch', 'evil');
    const found = await look.end(NO_DIFF);
    expect(toLines(found).slice(0, 5)).toEqual([
      'git .git/config',
      'git .git/hooks/pre-commit',
      'git .git/logs/refs/heads/evil',
      'ref refs/heads/evil',
      'created chaff/0.txt',
    ]);
  });

  it('removes the folders that the turn made for what is taken back, and none that was there before or holds something', async () => {
    const folder = createProject();
    for (const name of ['empty', 'mine/empty']) mkdirSync(join(folder.path, name), { recursive: true });
    const look = await watch(folder, true);
    for (const name of [
      'new/deep/a.ts',
      'new/b.ts',
      'empty/c.ts',
      'mine/empty/made/d.ts',
      'src/made/e.ts',
      'left/f.ts',
      'node_modules/y/g.js',
    ])
      folder.write(name, 'new\n');
    folder.remove('src/a.ts');
    folder.remove('src/b.ts');
    mkdirSync(join(folder.path, 'left/other'));
    expect(await look.end(NO_DIFF)).toMatchObject({ reverted: 9, notes: [] });
    const isThere = (name: string): boolean => existsSync(join(folder.path, name));
    expect(['new', 'mine/empty/made', 'src/made', 'node_modules/y'].filter(isThere)).toEqual([]);
    expect(['empty', 'mine/empty', 'src/a.ts', 'src/b.ts', 'left/other', 'node_modules/x'].filter((name) => !isThere(name))).toEqual([]);
  });

  it('has the difference written before anything is taken back', async () => {
    const folder = createProject();
    const look = await watch(folder, true);
    folder.write('src/a.ts', 'evil\n');
    let seen = '';
    const found = await look.end(async () => {
      seen = folder.read('src/a.ts');
      return 'scope.diff';
    });
    expect([seen, found?.diffFile, found?.reverted]).toEqual(['evil\n', 'scope.diff', 1]);
  });
});

describe('taking back', () => {
  const RESTORED = ATTACKS.filter(([name]) => name !== 'changes a file that git ignores');

  it.each(RESTORED)('leaves nothing behind when it %s', async (_, act) => {
    const folder = createProject();
    const before = folder.status();
    const look = await watch(folder, true);
    act(folder);
    const found = await look.end(NO_DIFF);
    expect(found?.reverted).toBe(found?.total);
    expect(folder.status()).toEqual(before);
    expect([folder.read('src/a.ts'), folder.read('docs/mine.md'), folder.read('notes.txt')]).toEqual([
      'a\n',
      'not yet committed\n',
      'nobody knows me\n',
    ]);
    expect(await (await watch(folder)).end(NO_DIFF)).toBeNull();
  });

  it('leaves alone what somebody changed once more after it was found', async () => {
    const folder = createProject();
    const look = await watch(folder, true);
    folder.write('src/a.ts', 'evil\n');
    const found = await look.end(async () => {
      folder.write('src/a.ts', 'the person was faster\n');
      return null;
    });
    expect([found?.reverted, found?.notes.length, folder.read('src/a.ts')]).toEqual([0, 1, 'the person was faster\n']);
  });

  it('does not write through a link that leads out of the folder', async () => {
    const folder = createProject();
    const outside = join(dirname(folder.path), 'outside');
    mkdirSync(outside);
    const look = await watch(folder, true);
    folder.git('rm', '-rq', '--cached', 'src');
    folder.remove('src');
    symlinkSync(outside, join(folder.path, 'src'));
    await look.end(NO_DIFF);
    expect(readFileSync(join(folder.path, 'src/b.ts'), 'utf8')).toBe('b\n');
    expect(() => readFileSync(join(outside, 'b.ts'))).toThrow();
  });
});

describe('a repository in the repository', () => {
  /** A project with a clean submodule `lib` of two files. */
  function createNested(): TestFolder {
    const source = createTestRepository({ 'one.txt': 'one\n', 'two.txt': 'two\n' });
    const folder = createProject();
    folder.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.path, 'lib');
    folder.git('commit', '-qam', 'with lib');
    return folder;
  }

  it('shows exactly the file that changed, and none of it is taken back', async () => {
    const folder = createNested();
    const look = await watch(folder, true);
    folder.write('lib/one.txt', 'evil\n');
    folder.write('lib/new.txt', 'new\n');
    const found = await look.end(NO_DIFF);
    expect(toLines(found)).toEqual(['changed lib/one.txt', 'created lib/new.txt'].sort((a, b) => (a.slice(8) < b.slice(8) ? -1 : 1)));
    expect([found?.reverted, folder.read('lib/one.txt'), folder.read('lib/two.txt'), folder.read('lib/new.txt')]).toEqual([
      0,
      'evil\n',
      'two\n',
      'new\n',
    ]);
  });

  it('loses no file by a revert, also where it stops being a repository or was never clean', async () => {
    const folder = createNested();
    folder.git('clone', '-q', join(folder.path, 'lib'), 'own');
    folder.write('own/mine.txt', 'mine\n');
    const look = await watch(folder, true);
    folder.remove('own/.git');
    folder.remove('lib/.git');
    folder.write('lib/new.txt', 'new\n');
    await look.end(NO_DIFF);
    expect([folder.read('own/mine.txt'), folder.read('own/one.txt'), folder.read('lib/two.txt'), folder.read('lib/new.txt')]).toEqual([
      'mine\n',
      'one\n',
      'two\n',
      'new\n',
    ]);
  });

  it.each(['.git/modules/lib/hooks/pre-commit', '.git/modules/lib/config', 'own/.git/hooks/pre-commit'])(
    'has its %s guarded',
    async (name) => {
      const folder = createNested();
      folder.git('clone', '-q', join(folder.path, 'lib'), 'own');
      const look = await watch(folder);
      folder.write(name, '# evil\n');
      expect(toLines(await look.end(NO_DIFF))).toContain(`git ${name}`);
    },
  );
});

it('tells a new working tree, and leaves it as it is', async () => {
  const folder = createProject();
  const look = await watch(folder, true);
  folder.git('worktree', 'add', '-q', '--detach', '../wt');
  const found = await look.end(NO_DIFF);
  expect(toLines(found)).toContain('git .git/worktrees/wt/gitdir');
  expect(found?.notes.join()).toContain('git worktree remove');
  expect(folder.git('worktree', 'list')).toContain('/wt ');
});

it('does not take the worktree of another run for the doing of a hat', async () => {
  const folder = createProject();
  const look = await watch(folder, true);
  folder.git('worktree', 'add', '-q', '--detach', '.ralph/worktrees/other');
  expect(toLines(await look.end(NO_DIFF)).join()).not.toContain('worktrees');
});

it('takes files back whose names are no UTF-8, and brings back those that were there', async () => {
  const folder = createProject();
  const [tracked, own] = [odd(folder), Buffer.concat([odd(folder), Buffer.from('2')])];
  writeFileSync(tracked, 'tracked\n');
  folder.git('add', '.');
  folder.git('commit', '-qm', 'odd');
  writeFileSync(own, 'own\n');
  const look = await watch(folder, true);
  const fresh = Buffer.concat([odd(folder), Buffer.from('3')]);
  for (const file of [tracked, own, fresh]) writeFileSync(file, 'evil\n');
  const found = await look.end(NO_DIFF);
  expect([found?.total, found?.reverted, found?.notes]).toEqual([3, 3, []]);
  expect([readFileSync(tracked, 'utf8'), readFileSync(own, 'utf8'), existsSync(fresh)]).toEqual(['tracked\n', 'own\n', false]);
});

it('sees a file outside git whose name is no UTF-8', async () => {
  const folder = createPlainFolder();
  const look = await watch(folder);
  writeFileSync(odd(folder), 'x');
  expect(toLines(await look.end(NO_DIFF))).toEqual(['created a\\xff\\xc3\\xa4.txt']);
});

it('sees what changes in a folder that its repository knows nothing of, but for folders of ours and those that do not count', () => {
  const folder = createProject();
  folder.write('node_modules/copy/a.ts', 'a');
  folder.write('node_modules/copy/b.ts', 'b');
  const look = watchPlainly({ cwd: join(folder.path, 'node_modules/copy'), stateDirs: ['.ralph', '.agent'] }, ['dist']);
  expect(look()).toBeNull();
  folder.write('node_modules/copy/a.ts', 'changed');
  folder.remove('node_modules/copy/b.ts');
  for (const path of ['c.ts', '.agent/notes.md', 'dist/c.js']) folder.write(`node_modules/copy/${path}`, 'new');
  expect([...toLines(look())].sort()).toEqual(['changed a.ts', 'created c.ts', 'deleted b.ts']);
});
