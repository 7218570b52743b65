import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScopeViolations } from '../core/index.ts';
import { createTreeWatch, type TreeLook } from './create-tree-watch.ts';
import { createPlainFolder, createTestRepository, removeTestFolders, type TestFolder } from './repository-fixtures.ts';

afterEach(removeTestFolders);

function watch(folder: TestFolder, reverts = false, exempt: readonly string[] = ['dist']): Promise<TreeLook> {
  const scratchDir = join(dirname(folder.path), 'scratch');
  return createTreeWatch({ ...folder.settings, scratchDir, reverts }).begin(exempt);
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

const ATTACKS: readonly (readonly [name: string, act: Act, seen: string])[] = [
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
