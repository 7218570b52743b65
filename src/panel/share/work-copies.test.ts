import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkCopies, toCopyFolder } from './work-copies.ts';

let top = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'ralph-copies-'));
  mkdirSync(join(top, 'work'));
  writeFileSync(join(top, 'work', 'a.txt'), 'a\n');
  writeFileSync(join(top, 'work', 'b.txt'), 'b\n');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const open = (links: readonly string[] = []) =>
  createWorkCopies({
    folder: join(top, 'copies'),
    workspace: join(top, 'work'),
    links,
    skipped: ['.ralph'],
    listIgnored: async (paths) => paths.filter((path) => path.endsWith('.log')),
    prepare: (copy) => void mkdirSync(join(copy, '.agent'), { recursive: true }),
  });
const inCopy = (name: string, file: string): string => join(toCopyFolder(join(top, 'copies'), name), file);
const inWork = (file: string): string => readFileSync(join(top, 'work', file), 'utf8');

it('what is made in a copy comes into the folder when it is taken over, without the notes of agents, and the copy goes', async () => {
  const copies = open();
  await copies.open('2.1');
  writeFileSync(inCopy('2.1', 'a.txt'), 'changed\n');
  writeFileSync(inCopy('2.1', 'new.txt'), 'new\n');
  rmSync(inCopy('2.1', 'b.txt'));
  writeFileSync(inCopy('2.1', '.agent/events.jsonl'), '{}\n');
  expect(inWork('a.txt')).toBe('a\n');
  expect(await copies.takeOver('2.1', false)).toEqual({});
  expect([inWork('a.txt'), inWork('new.txt'), readdirSync(join(top, 'work'))]).toEqual(['changed\n', 'new\n', ['a.txt', 'new.txt']]);
  expect(readdirSync(join(top, 'copies'))).toEqual([]);
  // After a crash it is asked again.
  expect(await copies.takeOver('2.1', false)).toEqual({});
});

it('two copies whose changes do not touch each other both come in; of two that do, the second is kept, and nothing of it comes in', async () => {
  const copies = open();
  for (const name of ['2.1', '3.1', '4.1']) await copies.open(name);
  writeFileSync(inCopy('2.1', 'a.txt'), 'two\n');
  writeFileSync(inCopy('3.1', 'b.txt'), 'three\n');
  writeFileSync(inCopy('4.1', 'a.txt'), 'four\n');
  writeFileSync(inCopy('4.1', 'c.txt'), 'four\n');
  expect(await copies.takeOver('3.1', false)).toEqual({});
  expect(await copies.takeOver('2.1', false)).toEqual({});
  expect(await copies.takeOver('4.1', false)).toEqual({ conflict: { paths: ['a.txt'], total: 1, kept: 'copies/kept-4.1' } });
  expect([inWork('a.txt'), inWork('b.txt'), existsSync(join(top, 'work', 'c.txt'))]).toEqual(['two\n', 'three\n', false]);
  expect(readFileSync(inCopy('kept-4.1', 'c.txt'), 'utf8')).toBe('four\n');
  // The same name again is a new copy, and a second one that is kept hides no first.
  await copies.open('4.1');
  expect(readFileSync(inCopy('4.1', 'a.txt'), 'utf8')).toBe('two\n');
  writeFileSync(inCopy('4.1', 'a.txt'), 'again\n');
  writeFileSync(join(top, 'work', 'a.txt'), 'person\n');
  expect(await copies.takeOver('4.1', false)).toMatchObject({ conflict: { kept: 'copies/kept-4.1-2' } });
});

it('what git ignores is no conflict: the folder keeps what it has, and the rest comes in', async () => {
  const copies = open();
  for (const name of ['2.1', '3.1']) {
    await copies.open(name);
    writeFileSync(inCopy(name, 'tests.log'), `${name}\n`);
    writeFileSync(inCopy(name, `made-${name}.txt`), 'made\n');
  }
  expect([await copies.takeOver('2.1', false), await copies.takeOver('3.1', false)]).toEqual([{}, {}]);
  expect([inWork('tests.log'), inWork('made-2.1.txt'), inWork('made-3.1.txt')]).toEqual(['2.1\n', 'made\n', 'made\n']);
});

it('what was not to be made is named and thrown away', async () => {
  const copies = open();
  await copies.open('2.1');
  writeFileSync(inCopy('2.1', 'a.txt'), 'changed\n');
  rmSync(inCopy('2.1', 'b.txt'));
  expect(await copies.takeOver('2.1', true)).toEqual({ discarded: ['a.txt', 'b.txt'] });
  expect([inWork('a.txt'), inWork('b.txt')]).toEqual(['a\n', 'b\n']);
});

it('a copy of which nobody can tell what was changed is kept, with the reason', async () => {
  const copies = open();
  await copies.open('2.1');
  writeFileSync(join(top, 'copies', '2.1', 'work.base.json'), 'torn');
  expect(await copies.takeOver('2.1', false)).toMatchObject({
    conflict: { paths: [], kept: 'copies/kept-2.1', why: expect.stringContaining('cannot be read') },
  });
});

it('what is linked by settings that are newer than the copy is not taken for removed in it', async () => {
  mkdirSync(join(top, 'work', 'vendor'));
  writeFileSync(join(top, 'work', 'vendor', 'lib.txt'), 'lib\n');
  await open().open('2.1');
  writeFileSync(inCopy('2.1', 'a.txt'), 'changed\n');
  expect(await open(['vendor']).takeOver('2.1', false)).toEqual({});
  expect([inWork('a.txt'), inWork('vendor/lib.txt')]).toEqual(['changed\n', 'lib\n']);
});

it('of a copy that was taken over only leftovers remain when its removal was cut short: it is none that could not be taken over', async () => {
  const copies = open();
  await copies.open('2.1');
  writeFileSync(inCopy('2.1', 'a.txt'), 'changed\n');
  // What a process left that died while it removed the copy.
  mkdirSync(join(top, 'copies', 'done-2.1'));
  writeFileSync(join(top, 'copies', 'done-2.1', 'left'), '');
  expect(await copies.takeOver('2.1', false)).toEqual({});
  expect([inWork('a.txt'), readdirSync(join(top, 'copies'))]).toEqual(['changed\n', []]);
  mkdirSync(join(top, 'copies', 'done-2.1'));
  expect(await open().takeOver('2.1', false)).toEqual({});
  expect(readdirSync(join(top, 'copies'))).toEqual([]);
});

it('a conflict that a process could not tell of any more is told by the next', async () => {
  const copies = open();
  await copies.open('2.1');
  writeFileSync(inCopy('2.1', 'a.txt'), 'changed\n');
  writeFileSync(join(top, 'work', 'a.txt'), 'person\n');
  const told = { conflict: { paths: ['a.txt'], total: 1, kept: 'copies/kept-2.1' } };
  expect(await copies.takeOver('2.1', false)).toEqual(told);
  expect(await open().takeOver('2.1', false)).toEqual(told);
  expect([inWork('a.txt'), readFileSync(inCopy('kept-2.1', 'a.txt'), 'utf8')]).toEqual(['person\n', 'changed\n']);
});

it('a copy that its own agent removed was not taken over, and after a crash neither', async () => {
  const gone = { conflict: { paths: [], kept: 'copies/kept-2.1', why: expect.stringContaining('was removed while') } };
  const copies = open();
  for (const name of ['2.1', '3.1', '4.1']) await copies.open(name);
  rmSync(toCopyFolder(join(top, 'copies'), '2.1'), { recursive: true });
  expect(await copies.takeOver('2.1', false)).toMatchObject(gone);
  expect(await open().takeOver('2.1', false)).toMatchObject(gone);
  rmSync(join(top, 'copies', '3.1'), { recursive: true });
  expect(await copies.takeOver('3.1', false)).toMatchObject({ conflict: { why: gone.conflict.why } });
  rmSync(toCopyFolder(join(top, 'copies'), '4.1'), { recursive: true });
  expect(await open().takeOver('4.1', false)).toMatchObject({ conflict: { why: gone.conflict.why } });
});

it('of a copy that was never made to its end nothing is to be taken over', async () => {
  await open().open('2.1');
  const work = toCopyFolder(join(top, 'copies'), '2.1');
  renameSync(work, `${work}.tmp`);
  expect(await open().takeOver('2.1', false)).toEqual({});
  expect(readdirSync(join(top, 'copies'))).toEqual([]);
});
