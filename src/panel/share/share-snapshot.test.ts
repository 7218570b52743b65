import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder, listFiles, photograph, removeFolders, writeFiles } from './share-fixtures.ts';
import { createViewerToken, dropOld, dropViewer, shareSnapshot, toViewerRoot } from './share-snapshot.ts';

let base = '';
let snapshot = '';
let root = '';

beforeEach(() => {
  base = createFolder();
  snapshot = join(base, 'snapshot');
  root = toViewerRoot(base, createViewerToken());
  writeFiles(snapshot, { 'a.txt': 'one', 'src/b.ts': 'b', 'src/run': 'r' });
  chmodSync(join(snapshot, 'src/run'), 0o6755);
  symlinkSync('src/b.ts', join(snapshot, 'link'));
});
afterEach(removeFolders);

describe('a snapshot that is shared', () => {
  it('is there under the name of the agent', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    expect(listFiles(root)).toEqual({ 'agent2/a.txt': 'one', 'agent2/src/b.ts': 'b', 'agent2/src/run': 'r', 'agent2/link': '-> src/b.ts' });
    expect(readdirSync(root)).toEqual(['agent2']);
  });

  it('can only be read', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    const rights = ['', 'a.txt', 'src', 'src/b.ts', 'src/run'].map((path) => lstatSync(join(root, 'agent2', path)).mode & 0o7777);
    expect(rights).toEqual([0o555, 0o444, 0o555, 0o444, 0o555]);
  });

  it.skipIf(process.getuid?.() === 0)('refuses what is written to it', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    expect(() => writeFiles(root, { 'agent2/a.txt': 'x' })).toThrow('EACCES');
    expect(() => writeFiles(root, { 'agent2/new': 'x' })).toThrow('EACCES');
  });

  it('says nothing by its times', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    const times = [...photograph(join(root, 'agent2')).keys()].map((path) => lstatSync(join(root, 'agent2', path)).mtime.toISOString());
    expect(times).toHaveLength(6);
    expect(new Set(times)).toEqual(new Set(['2000-01-01T00:00:00.000Z']));
  });

  it('is no way to change the snapshot', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    chmodSync(join(root, 'agent2/a.txt'), 0o644);
    writeFiles(root, { 'agent2/a.txt': 'changed' });
    expect(readFileSync(join(snapshot, 'a.txt'), 'utf8')).toBe('one');
  });

  it('takes the place of the one before, which can be read on until it is dropped', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    await shareSnapshot(snapshot, root, 'agent3');
    const reader = await open(join(root, 'agent2/a.txt'));
    writeFiles(snapshot, { 'a.txt': 'two' });
    await shareSnapshot(snapshot, root, 'agent2');
    expect(listFiles(root)['agent2/a.txt']).toBe('two');
    expect(await reader.readFile('utf8')).toBe('one');
    await reader.close();
    expect(readdirSync(root)).toHaveLength(3);
    await dropOld(root);
    expect(readdirSync(root).sort()).toEqual(['agent2', 'agent3']);
  });

  it('is hidden as long as it is not whole, and so is the one before', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    let isOver = false;
    const sharing = shareSnapshot(snapshot, root, 'agent2').then(() => {
      isOver = true;
    });
    while (!isOver) {
      expect(readdirSync(root).filter((name) => !name.startsWith('.') && name !== 'agent2')).toEqual([]);
      await new Promise((done) => setImmediate(done));
    }
    await sharing;
  });

  it('takes also the place of what a viewer put there, and follows no link of it', async () => {
    writeFiles(base, { 'outside/kept': 'kept' });
    mkdirSync(root);
    symlinkSync('../outside', join(root, 'agent2'));
    await shareSnapshot(snapshot, root, 'agent2');
    await dropOld(root);
    expect(Object.keys(listFiles(root))).toContain('agent2/a.txt');
    expect(listFiles(join(base, 'outside'))).toEqual({ kept: 'kept' });
  });

  it('leaves what is shown as it is where it fails', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    await expect(shareSnapshot(join(base, 'nothing'), root, 'agent2')).rejects.toThrow('ENOENT');
    expect(readdirSync(root)).toEqual(['agent2']);
  });

  it.each(['', '.', '..', 'agent', 'agent0', 'agent1/..', '../agent1', 'opus', 'agent1\n', '.agent1.0000000000000000.old'])(
    'has no name %j',
    async (name) => {
      await expect(shareSnapshot(snapshot, root, name)).rejects.toThrow(RangeError);
    },
  );

  it('goes with the folder of its viewer', async () => {
    await shareSnapshot(snapshot, root, 'agent2');
    await dropViewer(root);
    expect(readdirSync(base)).toEqual(['snapshot']);
    await dropViewer(root);
  });
});

describe('what is old', () => {
  it('is all that can be dropped, and what a stop left unfinished', async () => {
    writeFiles(root, {
      'agent1/a': '',
      '.agent1.0123456789abcdef.tmp/a': '',
      '.agent1.0123456789abcdef.old/b/a': '',
      'agent1.old/a': '',
      '.other/a': '',
    });
    for (const folder of ['b', '']) chmodSync(join(root, '.agent1.0123456789abcdef.old', folder), 0o555);
    await dropOld(root);
    expect(readdirSync(root).sort()).toEqual(['.other', 'agent1', 'agent1.old']);
  });

  it('is nothing where there is no folder', async () => {
    await dropOld(join(base, 'nothing'));
  });
});

describe('the token of a viewer', () => {
  it('is another each time, and one segment of a path', () => {
    const tokens = Array.from({ length: 100 }, createViewerToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(toViewerRoot('/views', token)).toBe(`/views/${token}`);
  });

  it.each(['', '.', '..', '../0123456789abcdef', '0123456789ABCDEF', '0123456789abcde/', '0123456789abcdef\n', 'x'])(
    'is not %j',
    (token) => {
      expect(() => toViewerRoot('/views', token)).toThrow(RangeError);
    },
  );
});
