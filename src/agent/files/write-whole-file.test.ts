import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces } from './file-tool-fixtures.ts';
import { openPinned, readWholeFile } from './open-pinned.ts';
import { countLineChanges, type WriteOrder, writeWholeFile } from './write-whole-file.ts';

afterAll(removePlaces);

function order(real: string, text: string, changed: Partial<WriteOrder> = {}): WriteOrder {
  return { real, shownPath: 'shown', bytes: Buffer.from(text), expected: null, signal: new AbortController().signal, ...changed };
}

async function recordOf(real: string) {
  const file = await readWholeFile(real, 'shown');
  if (!file.ok) throw new Error(file.refused.reason);
  return file.value.record;
}

// Its size is told as 0, and it has no end that could be reached.
const ENDLESS = `/proc/${process.pid}/pagemap`;

it.runIf(existsSync(ENDLESS))('a file that turns out to be longer than its size said is not taken for whole', async () => {
  expect(await readWholeFile(ENDLESS, 'shown')).toMatchObject({ ok: false, refused: { isTooLarge: true } });
});

describe('replacing a file', () => {
  it('makes it with its folders, and leaves nothing else behind', async () => {
    const { workspace } = createPlace();
    expect(await writeWholeFile(order(join(workspace, 'a/b/c.txt'), 'new'))).toHaveProperty('value.sizeBytes', 3);
    expect(readFileSync(join(workspace, 'a/b/c.txt'), 'utf8')).toBe('new');
    expect(readdirSync(join(workspace, 'a/b'))).toEqual(['c.txt']);
  });

  it('keeps the mode, but no right to run as somebody else', async () => {
    const { write } = createPlace();
    const path = write('run.sh', 'old', 0o4751);
    await writeWholeFile(order(path, 'new', { expected: await recordOf(path) }));
    expect(statSync(path).mode & 0o7777).toBe(0o751);
  });

  it('leaves the other name of a hard link as it was', async () => {
    const { write, outside } = createPlace();
    const path = write('inside.txt', 'old');
    linkSync(path, join(outside, 'other.txt'));
    expect(await writeWholeFile(order(path, 'new', { expected: await recordOf(path) }))).toHaveProperty('value.sha256');
    expect(readFileSync(join(outside, 'other.txt'), 'utf8')).toBe('old');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  it('writes nothing over what it was not told of', async () => {
    const { write, read } = createPlace();
    const path = write('a.txt', 'theirs');
    expect(await writeWholeFile(order(path, 'mine'))).toMatchObject({ refused: { reason: expect.stringContaining('exists by now') } });
    const expected = { ...(await recordOf(path)), sizeBytes: 99 };
    expect(await writeWholeFile(order(path, 'mine', { expected }))).toMatchObject({
      refused: { reason: expect.stringContaining('was changed') },
    });
    expect(await writeWholeFile(order(`${path}2`, 'mine', { expected }))).toMatchObject({
      refused: { reason: expect.stringContaining('removed') },
    });
    expect(read('a.txt')).toBe('theirs');
  });

  it('leaves no trace when the turn is stopped', async () => {
    const { workspace } = createPlace();
    const names = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
    const results = await Promise.all(
      names.map((name) => writeWholeFile(order(join(workspace, name), 'new', { signal: AbortSignal.abort() }))),
    );
    expect(results.every((result) => !result.ok)).toBe(true);
    expect(readdirSync(workspace)).toEqual([]);
  });

  it('refuses folders, links and pipes in the place of the file', async () => {
    const { workspace, outside } = createPlace();
    mkdirSync(join(workspace, 'folder'));
    symlinkSync(join(outside, 'secret.txt'), join(workspace, 'link'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    for (const name of ['folder', 'link', 'pipe']) {
      expect(await writeWholeFile(order(join(workspace, name), 'new'))).toHaveProperty('refused');
    }
    expect(lstatSync(join(workspace, 'pipe')).isFIFO()).toBe(true);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside content\n');
  });

  it('does not follow a link that has taken the place of a folder since the check', async () => {
    const { workspace, outside, write } = createPlace();
    write('sub/a.txt', 'x');
    renameSync(join(workspace, 'sub'), join(workspace, 'moved'));
    symlinkSync(outside, join(workspace, 'sub'));
    expect(await writeWholeFile(order(join(workspace, 'sub/new.txt'), 'x'))).toHaveProperty('refused');
    expect(await writeWholeFile(order(join(workspace, 'sub/deep/new.txt'), 'x'))).toHaveProperty('refused');
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  });

  it('says what is wrong when a file stands where a folder should be', async () => {
    const { write } = createPlace();
    const path = write('a.txt', 'x');
    for (const below of ['b', 'b/c']) {
      expect(await writeWholeFile(order(join(path, below), 'x'))).toMatchObject({
        refused: { reason: expect.stringMatching(/not a folder|as if it were a folder/) },
      });
    }
  });
});

describe('opening what was checked', () => {
  it.each(['file', 'folder'] as const)('gives a %s', async (kind) => {
    const { write, workspace } = createPlace();
    const opened = await openPinned(kind === 'file' ? write('a', 'x') : workspace, kind, 'shown');
    if (!opened.ok) throw new Error(opened.refused.reason);
    await opened.value.close();
  });

  it('does not wait for a pipe, and reads neither devices nor folders as files', async () => {
    const { workspace } = createPlace();
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    expect(await openPinned(join(workspace, 'pipe'), 'file', 'p')).toMatchObject({ refused: { reason: '"p" is a pipe, no file.' } });
    expect(await openPinned('/dev/zero', 'file', 'p')).toMatchObject({ refused: { reason: '"p" is a device, no file.' } });
    expect(await openPinned(workspace, 'file', 'p')).toMatchObject({ refused: { reason: '"p" is a folder, not a file.' } });
  });

  it('refuses a path that goes through a link by now', async () => {
    const { workspace, outside } = createPlace();
    symlinkSync(outside, join(workspace, 'sub'));
    symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file'));
    expect(await openPinned(join(workspace, 'sub/secret.txt'), 'file', 'p')).toMatchObject({
      refused: { reason: expect.stringContaining('replaced') },
    });
    expect(await openPinned(join(workspace, 'file'), 'file', 'p')).toMatchObject({
      refused: { reason: expect.stringContaining('replaced') },
    });
    writeFileSync(join(workspace, 'gone'), '');
    expect(await openPinned(join(workspace, 'missing'), 'file', 'p')).toMatchObject({
      refused: { reason: expect.stringContaining('ENOENT') },
    });
  });
});

it.each([
  ['', 'a\nb\n', 2, 0],
  ['a\nb\n', '', 0, 2],
  ['a\nb\nc\n', 'a\nx\nc\n', 1, 1],
  ['a\nb\nc\n', 'c\na\nb\n', 1, 1],
  ['a\n', 'a', 0, 0],
])('from %j to %j', (before, after, added, removed) => {
  expect(countLineChanges(before, after)).toEqual({ added, removed });
});

it('adds up, and is the same the other way round', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const there = countLineChanges(left.join('\n'), right.join('\n'));
      const back = countLineChanges(right.join('\n'), left.join('\n'));
      expect(back).toEqual({ added: there.removed, removed: there.added });
      expect(left.length + there.added - there.removed).toBe(right.length);
      if (left.join() === right.join()) expect(there).toEqual({ added: 0, removed: 0 });
    }),
  );
});

it('finds a few changes in a long text, and gives a long text up that is another one', () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  const changed = long.filter((_, index) => index % 500 !== 0);
  expect(countLineChanges(long.join('\n'), changed.join('\n'))).toEqual({ added: 0, removed: 40 });
  const other = long.map((line, index) => (index % 2 === 0 ? line : `another ${index}`));
  expect(countLineChanges(long.join('\n'), other.join('\n'))).toEqual({ added: 19_999, removed: 19_999 });
});

it('counts only what was appended, put in front or put in the middle, however much it is', () => {
  const long = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
  const more = Array.from({ length: 1001 }, (_, index) => `more ${index}`);
  for (const at of [5000, 0, 2500]) {
    const changed = [...long.slice(0, at), ...more, ...long.slice(at)];
    expect(countLineChanges(long.join('\n'), changed.join('\n'))).toEqual({ added: 1001, removed: 0 });
    expect(countLineChanges(changed.join('\n'), long.join('\n'))).toEqual({ added: 0, removed: 1001 });
  }
});
