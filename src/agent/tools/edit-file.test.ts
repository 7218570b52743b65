import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { editFileTool } from './edit-file.ts';

afterAll(removePlaces);

async function edit(content: string | Buffer, args: { old_text: string; new_text: string; replace_all?: boolean }) {
  const place = createPlace();
  const path = place.write('a.txt', content);
  const result = await place.run(editFileTool, { path: 'a.txt', ...args });
  return { ...result, file: readFileSync(path, 'utf8'), bytes: readFileSync(path) };
}

describe('edit_file', () => {
  it('replaces a text and shows the lines around it', async () => {
    const { text, file, facts } = await edit('one\ntwo\nthree\nfour\nfive\n', { old_text: 'three', new_text: '3\n3b' });
    expect(file).toBe('one\ntwo\n3\n3b\nfour\nfive\n');
    expect(text).toBe('Edited a.txt at 1 place (+2 -1 lines).\n1\tone\n2\ttwo\n3\t3\n4\t3b\n5\tfour\n6\tfive');
    expect(facts).toEqual({ path: 'a.txt', places: 1, added: 2, removed: 1 });
  });

  it('removes a text', async () => {
    expect((await edit('a, b, c', { old_text: ', b', new_text: '' })).file).toBe('a, c');
  });

  it('changes nothing where the text is there more than once, unless all are meant', async () => {
    const refused = await edit('x\ny x\nx', { old_text: 'x', new_text: 'z' });
    expect(refused).toMatchObject({ isError: true, file: 'x\ny x\nx', text: expect.stringContaining('3 times (lines 1, 2, 3)') });
    expect((await edit('x\ny x\nx', { old_text: 'x', new_text: 'xx', replace_all: true })).file).toBe('xx\ny xx\nxx');
  });

  it('keeps the ends of lines and the byte order mark of the file', async () => {
    const windows = await edit('\uFEFFone\r\ntwo\r\nthree\r\n', { old_text: 'one\ntwo\n', new_text: '1\n2\n2b\n' });
    expect(windows.file).toBe('\uFEFF1\r\n2\r\n2b\r\nthree\r\n');
    expect((await edit('one\r\ntwo\r\n', { old_text: 'one', new_text: '1\n1b' })).file).toBe('1\r\n1b\r\ntwo\r\n');
    expect((await edit('one\ntwo\n', { old_text: 'one\ntwo', new_text: '1\r\n2' })).file).toBe('1\n2\n');
  });

  it('leaves every byte outside of the text as it was, in any encoding', async () => {
    const latin = Buffer.from([0xe4, 0x20, 0x61, 0x0a, 0xff, 0x62]);
    expect((await edit(latin, { old_text: 'a\n', new_text: 'A\n' })).bytes).toEqual(Buffer.from([0xe4, 0x20, 0x41, 0x0a, 0xff, 0x62]));
    expect(await edit(latin, { old_text: 'a', new_text: 'ä' })).toMatchObject({ isError: true, bytes: latin });
  });

  it('replaces exactly what was there, whatever the texts are made of', async () => {
    const place = createPlace();
    const piece = fc
      .array(fc.constantFrom('a', 'b', '\n', '\r\n', '$&', '$1', '\\', 'ä', '😀', ' '), { maxLength: 6 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(piece, piece, piece, async (before, after, replacement) => {
        const path = place.write('any.txt', `${before}<mark>${after}`);
        await place.run(editFileTool, { path: 'any.txt', old_text: '<mark>', new_text: `[${replacement}]` });
        const plain = (text: string): string => text.replaceAll('\r\n', '\n');
        const file = readFileSync(path, 'utf8');
        expect(file.startsWith(before) && file.endsWith(after)).toBe(true);
        expect(plain(file)).toBe(plain(`${before}[${replacement}]${after}`));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('says where a text stands that differs only in blanks', async () => {
    const { text, isError } = await edit('function f() {\n\treturn  1;\n}\n', {
      old_text: 'function f() {\n  return 1;\n}',
      new_text: 'x',
    });
    expect(isError).toBe(true);
    expect(text).toContain('The same words with other blanks begin at line 1:\n1\tfunction f() {\n2\t\treturn  1;\n3\t}');
  });

  it('says which line is the nearest, and what slip it may be', async () => {
    const near = await edit('alpha beta\nconst total = sum(items);\n', { old_text: 'const total = sun(items);', new_text: 'x' });
    expect(near.text).toContain('The nearest to its first line is line 2:\n2\tconst total = sum(items);');
    const numbered = await edit('alpha\nbeta\n', { old_text: '1\talpha\n2\tbeta', new_text: 'x' });
    expect(numbered.text).toContain('The numbers and tabs in front of the lines are not part of the file');
    const done = await edit('const answer = 42;\n', { old_text: 'const answer = 41;', new_text: 'const answer = 42;' });
    expect(done.text).toContain('new_text is in the file already');
  });

  it('refuses what makes no sense, with advice', async () => {
    for (const args of [
      { old_text: '', new_text: 'x' },
      { old_text: 'a', new_text: 'a' },
      { old_text: 'a', new_text: '\ud800' },
    ]) {
      const { isError, text, file } = await edit('a', args);
      expect([isError, text.split('\n').length, file]).toEqual([true, 2, 'a']);
    }
    expect(await edit('a\0b', { old_text: 'a', new_text: 'b' })).toMatchObject({ isError: true, file: 'a\0b' });
    expect((await createPlace().run(editFileTool, { path: 'nowhere', old_text: 'a', new_text: 'b' })).text).toContain('does not exist');
  });

  it('does not let a file grow without end', async () => {
    const { isError, file } = await edit('a'.repeat(100_000), { old_text: 'a', new_text: 'b'.repeat(10_000), replace_all: true });
    expect([isError, file.length]).toEqual([true, 100_000]);
  });
});

describe('several edits of one file at the same time', () => {
  it('are all made', async () => {
    const place = createPlace();
    place.write('a.txt', 'a b c d e');
    await Promise.all(
      [...'abcde'].map((letter) => place.run(editFileTool, { path: 'a.txt', old_text: letter, new_text: letter.toUpperCase() })),
    );
    expect(place.read('a.txt')).toBe('A B C D E');
  });
});
