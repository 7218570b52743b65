import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { editFileTool } from './edit-file.ts';
import { readFileTool } from './read-file.ts';
import { writeFileTool } from './write-file.ts';

afterAll(removePlaces);

describe('write_file', () => {
  it('makes a file with its folders', async () => {
    const place = createPlace();
    expect(await place.run(writeFileTool, { path: 'a/b/c.txt', content: 'one\ntwo\n' })).toMatchObject({
      text: 'Created a/b/c.txt (8 bytes, +2 -0 lines).',
      isError: false,
      facts: { path: 'a/b/c.txt', changed: true, added: 2, removed: 0 },
    });
    expect(place.read('a/b/c.txt')).toBe('one\ntwo\n');
  });

  it('writes over nothing that was not read', async () => {
    const place = createPlace();
    place.write('a.txt', 'old');
    const { text, isError } = await place.run(writeFileTool, { path: 'a.txt', content: 'new' });
    expect([isError, text]).toEqual([true, expect.stringContaining('was not read in this session')]);
    expect(text).toContain('Read it with read_file first');
    expect(place.read('a.txt')).toBe('old');
  });

  it('writes over what was read, and then over its own', async () => {
    const place = createPlace();
    place.write('a.txt', 'one\ntwo\nthree\n');
    await place.run(readFileTool, { path: 'a.txt' });
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'one\n2\nthree\nfour\n' })).text).toBe(
      'Overwrote a.txt (17 bytes, +2 -1 lines).',
    );
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'x' })).isError).toBe(false);
    expect(place.read('a.txt')).toBe('x');
  });

  it('writes over nothing that has changed since, even with the same size and time', async () => {
    const place = createPlace();
    const path = place.write('a.txt', 'old');
    utimesSync(path, 1000, 1000);
    await place.run(readFileTool, { path: 'a.txt' });
    writeFileSync(path, 'OLD');
    utimesSync(path, 1000, 1000);
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'new' })).text).toContain('has changed since it was read');
    expect(place.read('a.txt')).toBe('OLD');
  });

  it('does not mind that the time of a file changed when its content did not', async () => {
    const place = createPlace();
    const path = place.write('a.txt', 'old');
    await place.run(readFileTool, { path: 'a.txt' });
    utimesSync(path, 1000, 1000);
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'new' })).isError).toBe(false);
  });

  it('does nothing where nothing changes', async () => {
    const place = createPlace();
    place.write('a.txt', 'same');
    await place.run(readFileTool, { path: 'a.txt' });
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'same' })).text).toContain('nothing was written');
  });

  it('that is made once more, because nobody heard of its end, does nothing and says so', async () => {
    const place = createPlace();
    await place.run(writeFileTool, { path: 'new.txt', content: 'x\n' });
    place.context.session.reads.clear();
    expect(await place.run(writeFileTool, { path: 'new.txt', content: 'x\n' })).toMatchObject({
      isError: false,
      text: 'new.txt has this content already; nothing was written.',
    });
    expect(await place.run(writeFileTool, { path: 'new.txt', content: 'y\n' })).toMatchObject({ isError: false });
  });

  it('says why it refuses folders, protected places and what it cannot write', async () => {
    const place = createPlace();
    place.write('src/a.txt', 'x');
    expect((await place.run(writeFileTool, { path: 'src', content: '' })).text).toContain('is a folder');
    expect((await place.run(writeFileTool, { path: '.git/hooks/pre-commit', content: 'x' })).text).toContain('git_commit');
    expect((await place.run(writeFileTool, { path: 'b.txt', content: '\ud800' })).text).toContain('half of a character');
    expect((await place.run(writeFileTool, { path: 'b.txt', content: 'x'.repeat(11 * 2 ** 20) })).text).toContain('is the most');
    expect(existsSync(join(place.workspace, 'b.txt'))).toBe(false);
  });

  it('knows a file that was edited in between by its own session, not one that others changed', async () => {
    const place = createPlace();
    const path = place.write('a.txt', 'one two');
    await place.run(readFileTool, { path: 'a.txt' });
    await place.run(editFileTool, { path: 'a.txt', old_text: 'two', new_text: '2' });
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'first' })).isError).toBe(false);
    writeFileSync(path, 'theirs two');
    await place.run(editFileTool, { path: 'a.txt', old_text: 'two', new_text: '2' });
    expect((await place.run(writeFileTool, { path: 'a.txt', content: 'mine' })).isError).toBe(true);
    expect(place.read('a.txt')).toBe('theirs 2');
  });
});
