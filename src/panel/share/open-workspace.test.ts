import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { openWorkspace, type WorkspaceOrder } from './open-workspace.ts';
import { createFolder, listFiles, photograph, removeFolders, writeFiles } from './share-fixtures.ts';
import { takeSnapshot } from './take-snapshot.ts';

let top = '';
let from = '';
let to = '';

beforeEach(() => {
  top = createFolder();
  from = join(top, 'run');
  to = join(top, 'panel', 'agent-1');
  mkdirSync(from);
});
afterEach(removeFolders);

const open = (order: Partial<WorkspaceOrder> = {}): Promise<string> => openWorkspace({ from, to, links: [], skipped: [], ...order });

function readFiles(base: string): Readonly<Record<string, unknown>> {
  return (JSON.parse(readFileSync(base, 'utf8')) as { files: Record<string, unknown> }).files;
}

describe('a workspace', () => {
  it('is the folder as it stands, secrets included', async () => {
    const files = { 'a.txt': 'a', 'src/deep/b.ts': 'b', '.env': 'KEY=1', 'empty.txt': '', 'ünï 日本\n🎉/a "b"': 'odd', __proto: 'x' };
    writeFiles(from, files);
    await open();
    expect(listFiles(to)).toEqual(files);
  });

  it('has the rights and the times of what is copied, and folders without a file', async () => {
    writeFiles(from, { run: '#!/bin/sh', 'closed/read-only': 'r' });
    mkdirSync(join(from, 'logs'));
    chmodSync(join(from, 'run'), 0o775);
    chmodSync(join(from, 'closed/read-only'), 0o444);
    chmodSync(join(from, 'closed'), 0o700);
    utimesSync(join(from, 'run'), 1_000_000_000, 1_000_000_001);
    await open();
    const rights = ['run', 'closed/read-only', 'closed'].map((path) => lstatSync(join(to, path)).mode & 0o777);
    expect(rights).toEqual([0o775, 0o444, 0o700]);
    expect(lstatSync(join(to, 'run')).mtimeMs).toBe(1_000_000_001_000);
    expect(readdirSync(join(to, 'logs'))).toEqual([]);
  });

  it('holds nothing of git, of Ralph and of the state folder', async () => {
    writeFiles(from, {
      '.git/config': 'x',
      'sub/.git': 'gitdir: /real/place',
      '.ralph/runs/1': 'x',
      '.agent/todos.md': 'x',
      'state/here/run': 'x',
      'state/a': 'kept',
    });
    await open({ skipped: ['state/here/'] });
    expect(listFiles(to)).toEqual({ 'state/a': 'kept' });
  });

  it('shares the folders that it is told to, where they exist, by links to the original', async () => {
    writeFiles(from, {
      'node_modules/a/index.js': 'x',
      'packages/a/node_modules/b.js': 'x',
      'packages/a/c.ts': 'c',
      'lone/.venv/bin': 'x',
    });
    writeFiles(top, { 'outside/a': 'x' });
    const links = [
      'node_modules/',
      'packages/a/node_modules',
      'lone/.venv',
      'lone/.venv/bin',
      '.missing',
      '../outside',
      '/etc',
      '.git',
      '',
      '.',
    ];
    await open({ links });
    expect(listFiles(to)).toEqual({
      node_modules: `-> ${join(from, 'node_modules')}`,
      'packages/a/node_modules': `-> ${join(from, 'packages/a/node_modules')}`,
      'packages/a/c.ts': 'c',
      'lone/.venv': `-> ${join(from, 'lone/.venv')}`,
    });
    expect(readdirSync(join(from, 'lone/.venv'))).toEqual(['bin']);
  });

  it('has the links that stay in it, and none that leads out or into the folder of the run', async () => {
    writeFiles(from, { 'src/a.ts': 'a' });
    writeFiles(top, { 'outside/a': 'x' });
    const links: Readonly<Record<string, string>> = {
      'to-file': 'src/a.ts',
      'to-link': 'to-folder/a.ts',
      'to-folder': './src',
      'to-later': 'dist/index.js',
      absolute: join(from, 'src/a.ts'),
      'src/over-outside': '../../run/src',
      out: '../outside/a',
      'far-out': '/etc/passwd',
      'out-to-nothing': '../nothing',
    };
    for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(from, path));
    const base = await open();
    expect(listFiles(to)).toEqual({
      'src/a.ts': 'a',
      'to-file': '-> src/a.ts',
      'to-link': '-> to-folder/a.ts',
      'to-folder': '-> ./src',
      'to-later': '-> dist/index.js',
      absolute: '-> src/a.ts',
      'src/over-outside': '-> .',
    });
    expect(readFiles(base)).toMatchObject({
      'to-link': { link: 'to-folder/a.ts', shown: 'src/a.ts' },
      'to-later': { link: 'dist/index.js', shown: null },
      absolute: { link: join(from, 'src/a.ts'), shown: 'src/a.ts' },
    });
  });

  it('holds no socket', async () => {
    writeFiles(from, { a: 'a' });
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(from, 's'), done));
    try {
      await open();
      expect(listFiles(to)).toEqual({ a: 'a' });
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it('may be of a folder that is reached over a link', async () => {
    writeFiles(from, { a: 'a' });
    symlinkSync(from, join(top, 'link'));
    await open({ from: join(top, 'link') });
    expect(listFiles(to)).toEqual({ a: 'a' });
  });

  it.skipIf(process.getuid?.() === 0)('lacks what may not be read', async () => {
    writeFiles(from, { a: 'a', b: 'b', 'folder/c': 'c' });
    chmodSync(join(from, 'b'), 0);
    chmodSync(join(from, 'folder'), 0);
    const base = await open();
    expect(listFiles(to)).toEqual({ a: 'a' });
    expect(Object.keys(readFiles(base))).toEqual(['a']);
  });

  it('does not change the folder', async () => {
    writeFiles(from, { 'src/a.ts': 'a', 'node_modules/a': 'x', '.git/config': 'x' });
    const before = photograph(from);
    await open({ links: ['node_modules'] });
    writeFileSync(join(to, 'src/a.ts'), 'changed');
    expect(photograph(from)).toEqual(before);
  });

  it('is opened of many small files in a few seconds', { timeout: 60_000 }, async () => {
    const folders = propertyRuns(20);
    for (let folder = 0; folder < folders; folder += 1)
      writeFiles(from, Object.fromEntries(Array.from({ length: 100 }, (_file, index) => [`${folder}/${index}.ts`, `file ${index}`])));
    const begun = performance.now();
    const base = await open();
    expect(Object.keys(readFiles(base))).toHaveLength(folders * 100);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});

describe('what a workspace was made of', () => {
  it('is said beside it', async () => {
    writeFiles(from, { 'a/b': '12345' });
    chmodSync(join(from, 'a/b'), 0o640);
    utimesSync(join(from, 'a/b'), 1, 1_000_000_000.25);
    const base = await open();
    expect(base).toBe(`${to}.base.json`);
    expect(readFiles(base)).toEqual({
      'a/b': { size: 5, mtimeMs: lstatSync(join(from, 'a/b')).mtimeMs, mode: 0o640, hash: expect.stringMatching(/^[\w-]{43}$/) as string },
    });
    expect(readdirSync(join(top, 'panel')).sort()).toEqual(['agent-1', 'agent-1.base.json']);
  });

  it('may have any name', async () => {
    writeFiles(from, { 'constructor/x': '1' });
    writeFileSync(join(from, '__proto__'), '2');
    expect(Object.keys(readFiles(await open())).sort()).toEqual(['__proto__', 'constructor/x']);
  });
});

describe('a workspace that is opened again', () => {
  it('is as the agent left it', async () => {
    writeFiles(from, { a: 'a' });
    const base = await open();
    writeFiles(to, { a: 'changed', b: 'made' });
    writeFiles(from, { c: 'later' });
    expect(await open()).toBe(base);
    expect(listFiles(to)).toEqual({ a: 'changed', b: 'made' });
    expect(Object.keys(readFiles(base))).toEqual(['a']);
  });

  it.each([
    ['in the copy', { 'agent-1.tmp/half': 'x' }],
    ['before the copy got its name', { 'agent-1.tmp/half': 'x', 'agent-1.base.json': '{}' }],
    ['while it was said what it was made of', { 'agent-1.tmp/half': 'x', 'agent-1.base.json.tmp': '{' }],
    ['without a base', { 'agent-1/half': 'x' }],
  ])('is made anew where a crash came: %s', async (_when, left) => {
    writeFiles(from, { a: 'a' });
    writeFiles(join(top, 'panel'), left);
    const base = await open();
    expect(listFiles(to)).toEqual({ a: 'a' });
    expect(Object.keys(readFiles(base))).toEqual(['a']);
    expect(readdirSync(join(top, 'panel')).sort()).toEqual(['agent-1', 'agent-1.base.json']);
  });
});

describe('a folder that is too large for a workspace', () => {
  it('is refused with the place where the most is, and nothing is left', async () => {
    writeFiles(from, { 'build/a/1': '', 'build/2': '', 'src/a': '' });
    await expect(open({ limits: { maxFiles: 5 } })).rejects.toMatchObject({
      code: 'panel-workspace',
      message: 'The folder of the run holds more than 5 files and folders; most of what was counted is in build.',
      fix: expect.stringContaining('worktree: {link: [') as string,
    });
    expect(existsSync(join(top, 'panel'))).toBe(false);
  });

  it('is refused for its bytes', async () => {
    writeFiles(from, { 'build/a': '123456', b: '12345' });
    await expect(open({ limits: { maxBytes: 10 } })).rejects.toThrow('more than 10 bytes; most of what was counted is in build');
  });

  it('is small enough with links to what is large', async () => {
    writeFiles(from, { 'build/a': '123456', b: '12345' });
    await open({ limits: { maxBytes: 10 }, links: ['build'] });
    expect(readlinkSync(join(to, 'build'))).toBe(join(from, 'build'));
  });
});

it('a workspace fails where it cannot be written, or there is no folder, and leaves nothing', async () => {
  writeFiles(top, { panel: 'a file' });
  await expect(open()).rejects.toThrow();
  rmSync(from, { recursive: true });
  await expect(open({ to: join(top, 'other') })).rejects.toThrow('ENOENT');
  expect(readdirSync(top)).toEqual(['panel']);
});

it('a link says the same in a snapshot as was foreseen when the workspace was opened', async () => {
  writeFiles(from, { 'src/a.ts': 'a', 'd/e/f': 'f' });
  const links: Readonly<Record<string, string>> = { one: 'two/a.ts', two: join(from, 'src'), 'd/e/up': '../..', 'd/three': '../one' };
  for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(from, path));
  const files = readFiles(await open()) as Readonly<Record<string, { shown?: string }>>;
  const snapshot = join(top, 'snapshot');
  await takeSnapshot(to, snapshot);
  for (const path of Object.keys(links)) expect(readlinkSync(join(snapshot, path))).toBe(files[path]?.shown);
});
