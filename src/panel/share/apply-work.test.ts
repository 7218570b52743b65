import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppliedWork, applyWork } from './apply-work.ts';
import { openWorkspace } from './open-workspace.ts';
import { createFolder, listFiles, photograph, removeFolders, writeFiles } from './share-fixtures.ts';
import { takeSnapshot } from './take-snapshot.ts';

let top = '';
let run = '';
let work = '';
let snapshot = '';
let base = '';

beforeEach(() => {
  top = createFolder();
  run = join(top, 'run');
  work = join(top, 'work');
  snapshot = join(top, 'snapshot');
  mkdirSync(run);
});
afterEach(removeFolders);

/** Writes the run's folder and opens a workspace of it. */
async function begin(files: Readonly<Record<string, string>>, skipped: readonly string[] = []): Promise<void> {
  writeFiles(run, files);
  base = await openWorkspace({ from: run, to: work, links: [], skipped });
}

async function apply(leftOut = false): Promise<AppliedWork> {
  await takeSnapshot(work, snapshot);
  return applyWork({ base, snapshot, to: run, leftOut });
}

const remove = (path: string): void => rmSync(join(work, path), { recursive: true });
const nothing: AppliedWork = { written: [], removed: [], conflicts: [] };

/** Expects that nothing is written, for these reasons. */
async function expectConflicts(conflicts: readonly string[], leftOut = false): Promise<void> {
  const before = photograph(run);
  expect(await apply(leftOut)).toEqual({ written: [], removed: [], conflicts });
  expect(photograph(run)).toEqual(before);
}

describe('the work of an agent', () => {
  it('is what it changed, made and removed; all else stays as it was', async () => {
    await begin({ same: 'same', changed: 'one', 'gone/a': 'a', 'gone/b': 'b', 'kept/a': 'a', 'kept/gone': 'x' });
    const times = lstatSync(join(run, 'same')).mtimeMs;
    writeFiles(work, { changed: 'two', 'new/deep/file': 'new' });
    remove('gone');
    remove('kept/gone');
    expect(await apply()).toEqual({ written: ['changed', 'new/deep/file'], removed: ['gone/a', 'gone/b', 'kept/gone'], conflicts: [] });
    expect(listFiles(run)).toEqual({ same: 'same', changed: 'two', 'kept/a': 'a', 'new/deep/file': 'new' });
    expect(readdirSync(run)).not.toContain('gone');
    expect(lstatSync(join(run, 'same')).mtimeMs).toBe(times);
  });

  it('is nothing where nothing was changed, whatever the times say', async () => {
    await begin({ a: 'a', 'b/c': 'c' });
    utimesSync(join(work, 'a'), 1, 1);
    const before = photograph(run);
    expect(await apply()).toEqual(nothing);
    expect(photograph(run)).toEqual(before);
  });

  it('is seen where size and time are as before', async () => {
    await begin({ a: 'one' });
    const { atime, mtime } = lstatSync(join(work, 'a'));
    writeFiles(work, { a: 'two' });
    utimesSync(join(work, 'a'), atime, mtime);
    expect(await apply()).toEqual({ ...nothing, written: ['a'] });
    expect(listFiles(run)).toEqual({ a: 'two' });
  });

  it('has its rights, also where only they were changed', async () => {
    await begin({ old: 'x', script: 'x', plain: 'x' });
    chmodSync(join(run, 'plain'), 0o644);
    chmodSync(join(work, 'script'), 0o755);
    writeFiles(work, { 'bin/new': '#!/bin/sh', plain: 'y' });
    chmodSync(join(work, 'bin/new'), 0o6711);
    expect((await apply()).written).toEqual(['bin/new', 'plain', 'script']);
    expect(['bin/new', 'plain', 'script'].map((path) => lstatSync(join(run, path)).mode & 0o7777)).toEqual([0o711, 0o644, 0o755]);
  });

  it('may have any name', async () => {
    const names = ['ünï 日本', '🎉/"b" \'c\'', 'line\nfeed', '-rf', '__proto__', ' ', 'x'.repeat(255), '..a/...', '\\back', '$(id)'];
    await begin({ [`${names[0] ?? ''} old`]: 'x' });
    for (const name of names) writeFiles(work, Object.fromEntries([[name, 'new']]));
    remove('ünï 日本 old');
    const applied = await apply();
    expect(applied).toEqual({ written: [...names].sort(), removed: ['ünï 日本 old'], conflicts: [] });
    expect(Object.keys(listFiles(run)).sort()).toEqual([...names].sort());
  });

  it('is written to the file, not through other names of it', async () => {
    await begin({ a: 'one' });
    writeFiles(top, { elsewhere: 'x' });
    linkSync(join(run, 'a'), join(top, 'other-name'));
    writeFiles(work, { a: 'two!' });
    await apply();
    expect(readFileSync(join(top, 'other-name'), 'utf8')).toBe('one');
  });

  it('may put a folder in the place of a file, and a file in that of a folder', async () => {
    await begin({ file: 'f', 'folder/deep/a': 'a', 'folder/b': 'b', link: 'x' });
    mkdirSync(join(run, 'folder/empty'));
    for (const path of ['file', 'folder', 'link']) remove(path);
    writeFiles(work, { 'file/x/y': 'y', folder: 'now a file' });
    symlinkSync('folder', join(work, 'link'));
    const applied = { written: ['file/x/y', 'folder', 'link'], removed: ['file', 'folder/b', 'folder/deep/a'], conflicts: [] };
    // That a snapshot lacks something does not matter: what was there cannot be there any more.
    expect(await apply(true)).toEqual(applied);
    expect(listFiles(run)).toEqual({ 'file/x/y': 'y', folder: 'now a file', link: '-> folder' });
    expect(await apply()).toEqual(applied);
  });
});

describe('what a snapshot lacks', () => {
  it('is removed, all of it, where nothing was left out', async () => {
    await begin({ a: 'a', 'b/c/d': 'd' });
    remove('a');
    remove('b');
    expect(await apply()).toEqual({ ...nothing, removed: ['a', 'b/c/d'] });
    expect([...photograph(run).keys()]).toEqual(['.']);
  });

  it('stays where something was left out', async () => {
    await begin({ a: 'a', 'b/c': 'c' });
    remove('a');
    writeFiles(work, { 'b/c': 'changed' });
    expect(await apply(true)).toEqual({ ...nothing, written: ['b/c'] });
    expect(listFiles(run)).toEqual({ a: 'a', 'b/c': 'changed' });
    remove('b');
    expect(await apply(true)).toEqual(nothing);
  });

  it('stays where no snapshot would hold it', async () => {
    const files = { '.env': 'KEY=1', '.ssh/config': 'x', 'sub/id_rsa': 'x', 'sub/node_modules/a.js': 'x', 'made/a': 'a' };
    await begin(files);
    writeFiles(work, { '.env': 'KEY=2' });
    for (const path of ['sub', '.ssh', 'made']) remove(path);
    expect(await apply()).toEqual({ ...nothing, removed: ['made/a'] });
    const { 'made/a': _gone, ...left } = files;
    expect(listFiles(run)).toEqual(left);
  });

  it('is no snapshot at all: then nothing is removed', async () => {
    await begin({ a: 'a' });
    await expect(applyWork({ base, snapshot, to: run, leftOut: false })).rejects.toThrow('ENOENT');
    writeFiles(top, { snapshot: 'a file' });
    await expect(applyWork({ base, snapshot, to: run, leftOut: false })).rejects.toThrow('ENOTDIR');
    expect(listFiles(run)).toEqual({ a: 'a' });
  });

  it('is not looked for where something else is on the way now', async () => {
    writeFiles(top, { 'outside/a': 'a', 'outside/deep/b': 'b' });
    await begin({ 'folder/a': 'a', 'folder/deep/b': 'b' });
    rmSync(join(run, 'folder'), { recursive: true });
    symlinkSync('../outside', join(run, 'folder'));
    remove('folder');
    expect((await apply()).conflicts).toEqual([]);
    expect(listFiles(top)).toMatchObject({ 'outside/a': 'a', 'outside/deep/b': 'b', 'run/folder': '-> ../outside' });
  });
});

describe('a conflict', () => {
  it('is a file that somebody else changed as well, and nothing is written', async () => {
    await begin({ a: 'one', b: 'b', c: 'c', d: 'd', e: 'e' });
    writeFiles(work, { a: 'agent', b: 'agent', c: 'agent', new: 'agent', 'other/new': 'agent' });
    remove('d');
    writeFiles(run, { a: 'user', d: 'user', new: 'user' });
    rmSync(join(run, 'c'));
    await expectConflicts(['a', 'c', 'd', 'new']);
  });

  it('is no file that only one of them changed', async () => {
    await begin({ a: 'a', b: 'b', c: 'c' });
    writeFiles(work, { a: 'agent' });
    writeFiles(run, { b: 'user', made: 'user' });
    rmSync(join(run, 'c'));
    expect(await apply()).toEqual({ ...nothing, written: ['a'] });
    expect(listFiles(run)).toEqual({ a: 'agent', b: 'user', made: 'user' });
  });

  it('is no change that both made, and no file that was only touched', async () => {
    await begin({ a: 'one', touched: 'one', gone: 'x' });
    for (const folder of [work, run]) {
      writeFiles(folder, { a: 'two', new: 'both' });
      rmSync(join(folder, 'gone'));
    }
    writeFiles(work, { touched: 'agent' });
    utimesSync(join(run, 'touched'), 1, 1);
    expect(await apply()).toEqual({ ...nothing, written: ['a', 'new', 'touched'], removed: ['gone'] });
    expect(listFiles(run)).toEqual({ a: 'two', new: 'both', touched: 'agent' });
  });

  it('is a change of rights, too', async () => {
    await begin({ a: 'one' });
    chmodSync(join(run, 'a'), 0o711);
    writeFiles(work, { a: 'two' });
    await expectConflicts(['a']);
  });

  it('is what would be lost where a file takes the place of a folder', async () => {
    await begin({ 'folder/a': 'a', 'other/.env': 'KEY=1', 'other/a': 'a' });
    writeFiles(run, { 'folder/made': 'user' });
    for (const path of ['folder', 'other']) {
      remove(path);
      writeFiles(work, { [path]: 'file' });
    }
    await expectConflicts(['folder/made', 'other/.env']);
    await expectConflicts(['folder/made', 'other/.env'], true);
  });

  it('is a file that nobody knew in the place of a folder, and a folder in that of a file', async () => {
    await begin({ a: 'one' });
    rmSync(join(run, 'a'));
    writeFiles(run, { made: 'user', 'a/b': 'user' });
    writeFiles(work, { 'made/x': 'agent', a: 'two' });
    await expectConflicts(['a', 'made']);
  });
});

describe('a link', () => {
  it('is written as it is in the snapshot, and left alone where it was not changed', async () => {
    writeFiles(run, { 'src/a.ts': 'a', 'src/b.ts': 'b' });
    const links: Readonly<Record<string, string>> = {
      same: 'folder/a.ts',
      folder: './src',
      absolute: join(run, 'src'),
      later: 'dist/x',
      changed: 'src/a.ts',
      gone: 'src/a.ts',
    };
    for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(run, path));
    await begin({});
    for (const path of ['changed', 'gone']) remove(path);
    symlinkSync('src/b.ts', join(work, 'changed'));
    symlinkSync('src', join(work, 'new'));
    expect(await apply()).toEqual({ ...nothing, written: ['changed', 'new'], removed: ['gone'] });
    const { gone: _gone, ...left } = links;
    const said = Object.entries({ ...left, changed: 'src/b.ts', new: 'src' }).map(([path, leads]) => [path, `-> ${leads}`]);
    expect(listFiles(run)).toEqual({ 'src/a.ts': 'a', 'src/b.ts': 'b', ...Object.fromEntries(said) });
  });

  it('stays where no snapshot would hold what it leads to', async () => {
    writeFiles(run, { '.env': 'KEY=1', a: 'a' });
    symlinkSync('.env', join(run, 'settings'));
    symlinkSync('dist/x', join(run, 'later'));
    await begin({});
    expect(await apply()).toEqual(nothing);
    expect(listFiles(run)).toMatchObject({ settings: '-> .env', later: '-> dist/x' });
  });

  it('on the way to a file is a conflict, wherever it leads', async () => {
    writeFiles(top, { 'outside/a': 'x' });
    writeFiles(run, { 'real/b': 'b', '.git/hooks/x': 'x' });
    symlinkSync('../outside', join(run, 'out'));
    await begin({});
    symlinkSync('real', join(run, 'within'));
    symlinkSync('.git/hooks', join(run, 'hooks'));
    writeFiles(work, { 'out/a': 'agent', 'hooks/post-commit': 'agent', 'within/b': 'agent' });
    await expectConflicts(['hooks', 'out', 'within']);
    expect(listFiles(top)['outside/a']).toBe('x');
  });

  it('into what git keeps is replaced by the folder that an agent made of it, and nothing is written there', async () => {
    writeFiles(run, { '.git/hooks/x': 'x' });
    symlinkSync('.git/hooks', join(run, 'hooks'));
    await begin({});
    rmSync(join(work, 'hooks'));
    writeFiles(work, { 'hooks/post-commit': 'agent' });
    expect(await apply()).toEqual({ ...nothing, written: ['hooks/post-commit'], removed: ['hooks'] });
    expect(listFiles(run)).toEqual({ '.git/hooks/x': 'x', 'hooks/post-commit': 'agent' });
  });

  it('may give way to a folder, and the other way round', async () => {
    writeFiles(run, { 'src/a.ts': 'a', 'folder/b': 'b' });
    symlinkSync('src', join(run, 'link'));
    await begin({});
    for (const path of ['link', 'folder']) remove(path);
    writeFiles(work, { 'link/x': 'x' });
    symlinkSync('src', join(work, 'folder'));
    expect(await apply(true)).toEqual({ written: ['folder', 'link/x'], removed: ['folder/b', 'link'], conflicts: [] });
    expect(listFiles(run)).toEqual({ 'src/a.ts': 'a', 'link/x': 'x', folder: '-> src' });
  });

  it('that leads out of a snapshot is never written, nor what is there for git, for Ralph and for nobody', async () => {
    await begin({ a: 'a', 'state/run': 'x' }, ['state']);
    writeFiles(snapshot, {
      a: 'a',
      '.git/hooks/x': 'x',
      'sub/.GIT/config': 'x',
      '.ralph/x': 'x',
      '.agent/x': 'x',
      'state/run': 'y',
      '.env': 'x',
    });
    const links = { absolute: '/etc/passwd', out: '../outside', 'sub/out': '../../a', 'to-git': '.git/hooks', 'to-state': 'state' };
    for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(snapshot, path));
    expect(await applyWork({ base, snapshot, to: run, leftOut: false })).toEqual(nothing);
    expect(listFiles(run)).toEqual({ a: 'a', 'state/run': 'x' });
  });
});

describe('work that is brought in again', () => {
  const bring = async (): Promise<AppliedWork> => {
    await begin({ a: 'one', b: 'b', file: 'f', 'folder/a': 'a', 'gone/x': 'x', 'gone/y': 'y' });
    for (const path of ['file', 'folder', 'gone']) remove(path);
    writeFiles(work, { a: 'two', 'new/x': 'new', 'file/x': 'x', folder: 'f' });
    return { written: ['a', 'file/x', 'folder', 'new/x'], removed: ['file', 'folder/a', 'gone/x', 'gone/y'], conflicts: [] };
  };
  const done = { a: 'two', b: 'b', 'new/x': 'new', 'file/x': 'x', folder: 'f' };

  it('changes nothing more and says the same', async () => {
    const applied = await bring();
    expect(await apply()).toEqual(applied);
    const before = photograph(run);
    expect(await apply()).toEqual(applied);
    expect(photograph(run)).toEqual(before);
    expect(listFiles(run)).toEqual(done);
  });

  it.each([
    ['what is in the way is removed', ['file', 'folder/a'], {}],
    ['a folder is made for a file', ['file'], { 'file/x': 'x' }],
    ['a folder is emptied for a file', ['folder/a'], {}],
    ['some is written', ['file', 'folder'], { a: 'two', folder: 'f' }],
    ['some is removed', ['file', 'folder', 'gone/x'], { a: 'two', 'new/x': 'new', 'file/x': 'x', folder: 'f' }],
    ['only empty folders are left', ['file', 'folder', 'gone/x', 'gone/y'], done],
  ])('is finished after a crash when %s', async (_when, removed, written) => {
    const applied = await bring();
    for (const path of removed) rmSync(join(run, path), { recursive: true });
    writeFiles(run, written);
    expect(await apply()).toEqual(applied);
    expect(listFiles(run)).toEqual(done);
    expect(readdirSync(run)).not.toContain('gone');
  });

  /** What a file is called while it is being written. */
  const toUnfinished = (path: string): string => `.ralph-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.tmp`;

  it('takes the place of what a crash left half written, also where that is a link by now', async () => {
    const applied = await bring();
    writeFiles(top, { outside: 'x' });
    writeFiles(run, { [toUnfinished('a')]: 'tw' });
    mkdirSync(join(run, 'new'));
    symlinkSync('../../outside', join(run, 'new', toUnfinished('new/x')));
    expect(await apply()).toEqual(applied);
    expect(listFiles(run)).toEqual(done);
    expect(listFiles(top)['outside']).toBe('x');
  });

  it('is finished after a failure of the system', async () => {
    const applied = await bring();
    const inTheWay = join(run, 'new', toUnfinished('new/x'));
    mkdirSync(join(inTheWay, 'folder'), { recursive: true });
    await expect(apply()).rejects.toThrow();
    rmSync(inTheWay, { recursive: true });
    expect(await apply()).toEqual(applied);
    expect(listFiles(run)).toEqual(done);
  });
});

describe('a base', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['without files', '{"skipped":[]}'],
    ['with an entry that is none', '{"skipped":[],"files":{"a":{"size":1}}}'],
    ['with a path that leads out', '{"skipped":[],"files":{"../outside":{"link":"a","shown":null}}}'],
    ['with a path in two forms', '{"skipped":[],"files":{"a//b":{"link":"a","shown":null}}}'],
  ])('that makes no sense ends it before anything is written: %s', async (_what, text) => {
    await begin({ a: 'a' });
    writeFiles(work, { a: 'changed' });
    writeFileSync(base, text);
    await expect(apply()).rejects.toMatchObject({ code: 'panel-workspace', message: expect.stringContaining(base) as string });
    expect(listFiles(run)).toEqual({ a: 'a' });
  });
});
