import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { copyInPlace } from './copy-in-place.ts';
import { createFolder, listFiles, photograph, removeFolders, writeFiles } from './share-fixtures.ts';
import { takeSnapshot } from './take-snapshot.ts';

let base = '';
let work = '';
let to = '';

beforeEach(() => {
  base = createFolder();
  work = join(base, 'work');
  to = join(base, 'snapshots', '1');
  mkdirSync(work);
});
afterEach(removeFolders);

describe('a snapshot of a workspace', () => {
  it('holds its files, and which of them are programs', async () => {
    writeFiles(work, { 'a.txt': 'a', 'src/b.ts': 'b', 'src/deep/c.ts': '', run: '#!/bin/sh' });
    chmodSync(join(work, 'run'), 0o755);
    const report = await takeSnapshot(work, to);
    expect(report).toEqual({ files: 4, bytes: 11, leftOut: { count: 0, reasons: [], first: [] } });
    expect(listFiles(to)).toEqual({ 'a.txt': 'a', 'src/b.ts': 'b', 'src/deep/c.ts': '', run: '#!/bin/sh' });
    expect(lstatSync(join(to, 'run')).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(base, 'snapshots'))).toEqual(['1']);
  });

  it('holds nothing of git, of package managers and of Ralph, wherever that is, and does not tell of it', async () => {
    writeFiles(work, {
      '.git/config': 'x',
      'sub/.git': 'gitdir: /real/place',
      'node_modules/a/index.js': 'x',
      'sub/node_modules/a.js': 'x',
      '.ralph/runs/1': 'x',
      '.agent/todos.md': 'x',
      'state/here/run': 'x',
      'state/a': 'kept',
      'sub/.github/a': 'kept',
    });
    const report = await takeSnapshot(work, to, { skipped: ['state/here'] });
    expect(listFiles(to)).toEqual({ 'state/a': 'kept', 'sub/.github/a': 'kept' });
    expect(report.leftOut.count).toBe(0);
  });

  it('holds no file that has the name of one with secrets, and says so', async () => {
    writeFiles(work, { '.env': 'KEY=1', '.env.example': 'KEY=', 'a/id_rsa': 'x', '.ssh/config': 'x', 'a.ts': '' });
    const { leftOut } = await takeSnapshot(work, to);
    expect(Object.keys(listFiles(to)).sort()).toEqual(['.env.example', 'a.ts']);
    expect(leftOut).toEqual({
      count: 3,
      reasons: ['secret'],
      first: ['.env', '.ssh/config', 'a/id_rsa'].map((path) => ({ path, why: 'secret' })),
    });
  });

  it('holds no folder without a file', async () => {
    mkdirSync(join(work, 'empty/deep'), { recursive: true });
    await takeSnapshot(work, to);
    expect([...photograph(to).keys()]).toEqual(['.']);
  });

  it('holds no socket, and says so', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(work, 's'), done));
    try {
      const { leftOut } = await takeSnapshot(work, to);
      expect(leftOut.first).toEqual([{ path: 's', why: 'special' }]);
      expect(listFiles(to)).toEqual({});
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it('takes the place of what is there, also of what was left unfinished', async () => {
    writeFiles(base, { 'snapshots/1/old': 'x', 'snapshots/1.tmp/older': 'x' });
    chmodSync(join(base, 'snapshots/1'), 0o555);
    writeFiles(work, { a: 'new' });
    await takeSnapshot(work, to);
    expect(listFiles(join(base, 'snapshots'))).toEqual({ '1/a': 'new' });
  });

  it('is empty where the workspace is gone, or is none', async () => {
    writeFiles(base, { file: 'x' });
    rmSync(work, { recursive: true });
    for (const from of [work, join(base, 'file')]) {
      const report = await takeSnapshot(from, to);
      expect(report).toEqual({
        files: 0,
        bytes: 0,
        leftOut: { count: 1, reasons: ['unreadable'], first: [{ path: '.', why: 'unreadable' }] },
      });
      expect(listFiles(to)).toEqual({});
    }
  });

  it('may be of a workspace that is reached over a link', async () => {
    writeFiles(work, { a: 'a' });
    symlinkSync(work, join(base, 'link'));
    await takeSnapshot(join(base, 'link'), to);
    expect(listFiles(to)).toEqual({ a: 'a' });
  });

  it('fails where it cannot be written, and leaves nothing', async () => {
    writeFiles(base, { snapshots: 'a file' });
    await expect(takeSnapshot(work, to)).rejects.toThrow();
    expect(existsSync(`${to}.tmp`)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('says which files cannot be read', async () => {
    writeFiles(work, { a: 'a' });
    const odd = Buffer.concat([Buffer.from(`${work}/b`), Buffer.from([0xff])]);
    writeFileSync(odd, 'no text in its name');
    const { files, leftOut } = await takeSnapshot(work, to);
    expect([files, leftOut.count, leftOut.first[0]?.why]).toEqual([1, 1, 'unreadable']);
    rmSync(odd);
  });

  it.skipIf(process.getuid?.() === 0)('goes on where it may not look', async () => {
    writeFiles(work, { a: 'a', b: 'b', 'folder/c': 'c' });
    chmodSync(join(work, 'b'), 0);
    chmodSync(join(work, 'folder'), 0);
    const { leftOut } = await takeSnapshot(work, to);
    expect(listFiles(to)).toEqual({ a: 'a' });
    expect(leftOut.first.map(({ path }) => path)).toEqual(['b', 'folder']);
  });
});

describe('the limits of a snapshot', () => {
  it('keep out the files that there is no room for, and let in smaller ones', async () => {
    writeFiles(work, { a: '123456', b: '123456', c: '1234', 'deep/d': '1' });
    const report = await takeSnapshot(work, to, { maxBytes: 10 });
    expect(listFiles(to)).toEqual({ a: '123456', c: '1234' });
    expect(report).toEqual({
      files: 2,
      bytes: 10,
      leftOut: {
        count: 2,
        reasons: ['bytes'],
        first: [
          { path: 'b', why: 'bytes' },
          { path: 'deep/d', why: 'bytes' },
        ],
      },
    });
  });

  it('keep out what is deepest where there are too many files', async () => {
    writeFiles(work, { 'a/deep/x': '', 'a/y': '', z: '', zz: '' });
    const { files, leftOut } = await takeSnapshot(work, to, { maxFiles: 3 });
    expect(Object.keys(listFiles(to)).sort()).toEqual(['a/y', 'z', 'zz']);
    expect([files, leftOut.first]).toEqual([3, [{ path: 'a/deep', why: 'files' }]]);
  });

  it('hold for a folder of many files, and for many folders', async () => {
    writeFiles(work, Object.fromEntries(Array.from({ length: 30 }, (_file, index) => [`files/${index}`, ''])));
    writeFiles(work, Object.fromEntries(Array.from({ length: 30 }, (_file, index) => [`folders/${index}/${'x/'.repeat(index)}f`, ''])));
    const { files, leftOut } = await takeSnapshot(work, to, { maxFiles: 10 });
    expect(files).toBeLessThanOrEqual(10);
    expect(leftOut.count).toBeGreaterThan(0);
    expect(Object.keys(listFiles(to))).toHaveLength(files);
  });

  it('name the first fifty of what is left out, and count all', async () => {
    writeFiles(work, Object.fromEntries(Array.from({ length: 60 }, (_file, index) => [`${index}.pem`, ''])));
    const { leftOut } = await takeSnapshot(work, to);
    expect([leftOut.count, leftOut.first.length]).toEqual([60, 50]);
  });
});

describe('a link of a workspace', () => {
  it('is kept where it leads to what is in the snapshot', async () => {
    writeFiles(work, { 'src/a.ts': 'a' });
    const links: Readonly<Record<string, string>> = {
      'to-file': 'src/a.ts',
      'to-folder': 'src',
      'src/up': '../src/a.ts',
      'src/top': '..',
      absolute: join(work, 'src/a.ts'),
      'to-link': 'to-folder/a.ts',
      'over-outside': '../work/src/a.ts',
    };
    for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(work, path));
    const { files, leftOut } = await takeSnapshot(work, to);
    expect([files, leftOut.count]).toEqual([8, 0]);
    expect(listFiles(to)).toEqual({
      'src/a.ts': 'a',
      'to-file': '-> src/a.ts',
      'to-folder': '-> src',
      'src/up': '-> a.ts',
      'src/top': '-> ..',
      absolute: '-> src/a.ts',
      'to-link': '-> src/a.ts',
      'over-outside': '-> src/a.ts',
    });
  });

  it('is dropped where it leads elsewhere', async () => {
    writeFiles(base, { 'outside/secret': 'x', 'work2/a': 'x' });
    writeFiles(work, { '.env': 'x', '.git/config': 'x', 'a/b/c/f': '' });
    const links: Readonly<Record<string, string>> = {
      'to-outside': '../outside/secret',
      'to-absolute': '/etc/passwd',
      'to-sibling': '../work2/a',
      'to-secret': '.env',
      'to-git': '.git/config',
      'to-nothing': 'nothing',
      'to-itself': 'to-itself',
      'to-dropped': 'to-outside',
      'to-base': '..',
      'a/b/c/d': '../../../a',
      'a/b/c/by-words-inside': 'd/../../outside/secret',
    };
    for (const [path, leads] of Object.entries(links)) symlinkSync(leads, join(work, path));
    const { leftOut } = await takeSnapshot(work, to);
    expect(listFiles(to)).toEqual({ 'a/b/c/f': '', 'a/b/c/d': '-> ../..' });
    expect(leftOut.first.filter(({ why }) => why === 'link')).toHaveLength(10);
  });

  it('never leads out of the snapshot, whatever the workspace is made of', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const leads = fc
      .array(fc.constantFrom('..', 'a', 'b', 'c', '.', '../outside'), { minLength: 1, maxLength: 5 })
      .map((names) => names.join('/'));
    const made = fc.array(fc.record({ path, leads: fc.option(leads) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(made, async (things) => {
        rmSync(work, { recursive: true, force: true });
        writeFiles(base, { 'outside/a': 'SECRET' });
        mkdirSync(work);
        for (const thing of things) {
          try {
            if (thing.leads === null) writeFiles(work, { [thing.path]: 'made' });
            else {
              mkdirSync(resolve(work, thing.path, '..'), { recursive: true });
              symlinkSync(thing.leads, join(work, thing.path));
            }
          } catch {
            // Something else is there.
          }
        }
        rmSync(join(base, 'outside'), { recursive: true });
        writeFiles(base, { 'outside/a': 'SECRET' });
        await takeSnapshot(work, to);
        for (const [link, what] of photograph(to)) {
          expect(what).not.toBe('SECRET');
          if (what.startsWith('-> ')) expect(`${resolve(to, link, '..', what.slice(3))}/`).toContain(`${to}/`);
        }
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('a file is copied only', () => {
  const always = (): boolean => true;

  it('where no folder on the way is a link', async () => {
    writeFiles(base, { 'outside/secret': 'x' });
    symlinkSync('../outside', join(work, 'folder'));
    expect(await copyInPlace(join(work, 'folder/secret'), join(base, 'copy'), always)).toBe('unreadable');
    expect(existsSync(join(base, 'copy'))).toBe(false);
  });

  it('where it is no link itself, and no folder', async () => {
    writeFiles(base, { secret: 'x' });
    symlinkSync('../secret', join(work, 'link'));
    for (const path of [join(work, 'link'), work, join(work, 'nothing')])
      expect(await copyInPlace(path, join(base, 'copy'), always)).toBe('unreadable');
    expect(existsSync(join(base, 'copy'))).toBe(false);
  });

  it('where it fits as it is now', async () => {
    writeFiles(work, { a: '12345' });
    expect(await copyInPlace(join(work, 'a'), join(base, 'copy'), (bytes) => bytes < 5)).toBe('too-large');
    expect(existsSync(join(base, 'copy'))).toBe(false);
  });

  it('and over nothing that is there', async () => {
    writeFiles(work, { a: '12345' });
    writeFiles(base, { kept: 'kept' });
    symlinkSync('kept', join(base, 'copy'));
    await expect(copyInPlace(join(work, 'a'), join(base, 'copy'), always)).rejects.toThrow('EEXIST');
    expect(listFiles(base)['kept']).toBe('kept');
  });

  it.runIf(process.platform === 'linux')('however often an agent puts a link in the place of its folder', async () => {
    writeFiles(base, { 'outside/f': 'SECRET' });
    writeFiles(work, { 'd/f': 'made' });
    symlinkSync('../outside', join(work, 'link'));
    let isOver = false;
    const swap = async (): Promise<void> => {
      for (let isIn = false; !isOver; isIn = !isIn) {
        if (isIn) {
          renameSync(join(work, 'd'), join(work, 'link'));
          renameSync(join(work, 'real'), join(work, 'd'));
        } else {
          renameSync(join(work, 'd'), join(work, 'real'));
          renameSync(join(work, 'link'), join(work, 'd'));
        }
        await new Promise((done) => setImmediate(done));
      }
    };
    const swapping = swap();
    try {
      for (let round = 0; round < 200; round += 1)
        if ((await copyInPlace(join(work, 'd/f'), join(base, `copies-${round}`), always)) === 'copied')
          expect(listFiles(base)[`copies-${round}`]).toBe('made');
    } finally {
      isOver = true;
      await swapping;
    }
  });
});
