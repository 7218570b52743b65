import { closeSync, ftruncateSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { accept } from '../../core/values/result.ts';
import { createPlace, removePlaces } from '../files/file-tool-fixtures.ts';
import { capOutput } from '../tool/tool-output.ts';
import { readFileTool } from './read-file.ts';

afterAll(removePlaces);

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file', () => {
  it('gives lines with their numbers, without the marks of Windows', async () => {
    const place = createPlace();
    place.write('a.txt', '\uFEFFone\r\ntwo\r\n\r\nfour');
    expect(await place.run(readFileTool, { path: 'a.txt' })).toMatchObject({ text: '1\tone\n2\ttwo\n3\t\n4\tfour', isError: false });
  });

  it('gives a part, and says how to read on', async () => {
    const place = createPlace();
    place.write('a.txt', lines(30));
    expect((await place.run(readFileTool, { path: 'a.txt', offset: 11, limit: 2 })).text).toBe(
      '11\tline 11\n12\tline 12\n[Lines 11 to 12 of 30. Read on with offset 13.]',
    );
    expect((await place.run(readFileTool, { path: 'a.txt', offset: 30 })).text).toBe('30\tline 30');
  });

  it('says that a file is empty, and where it ends', async () => {
    const place = createPlace();
    place.write('empty', '');
    place.write('short', lines(3));
    expect((await place.run(readFileTool, { path: 'empty' })).text).toBe('[empty is empty.]');
    expect((await place.run(readFileTool, { path: 'short', offset: 9 })).text).toContain('has 3 lines; there is none from line 9 on');
  });

  it('stops at its limits of lines and bytes, and nobody has to cut its result again', async () => {
    const place = createPlace();
    place.write('many', lines(10_000));
    place.write('wide', 'ä'.repeat(900).concat('\n').repeat(500));
    for (const path of ['many', 'wide']) {
      const { text } = await place.run(readFileTool, { path });
      const next = Number(/Read on with offset (\d+)/.exec(text)?.[1]);
      expect(text).toContain(`\n${next - 1}\t`);
      expect(text).not.toContain(`\n${next}\t`);
      expect(await capOutput(text, { keep: 'head' }, async () => null)).toMatchObject({ isCut: false });
    }
  });

  it('gives a very long line piece by piece', async () => {
    const place = createPlace();
    const long = Array.from({ length: 9000 }, (_, index) => `${index},`).join('');
    place.write('data.json', `first\n${long}\nlast\n`);
    const all = await place.run(readFileTool, { path: 'data.json' });
    expect(all.text).toContain('more characters: offset 2, limit 1, column 1901]\n3\tlast');
    let got = '';
    for (let column = 1; column <= long.length; column = got.length + 1) {
      const { text } = await place.run(readFileTool, { path: 'data.json', offset: 2, limit: 1, column });
      expect(await capOutput(text, { keep: 'head' }, async () => null)).toMatchObject({ isCut: false });
      for (const piece of text.matchAll(/^2:(\d+)\t(.*)$/gm)) {
        expect(Number(piece[1])).toBe(got.length + 1);
        got += piece[2];
      }
    }
    expect(got).toBe(long);
  });

  it('gives every line of every text', async () => {
    const place = createPlace();
    const text = fc.array(fc.constantFrom('a', '\n', '\r\n', '😀', 'ä', 'x'.repeat(1000), ' '), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (parts, limit) => {
        const content = parts.join('').replace(/\r(?!\n)/g, '');
        place.write('any.txt', content);
        const expected = content.replace(/\r?\n$/, '').split(/\r?\n/);
        const got: string[] = [];
        for (let offset = 1; content !== '' && offset <= expected.length; offset += limit) {
          const result = await place.run(readFileTool, { path: 'any.txt', offset, limit: limit + 1 });
          got.push(...[...result.text.matchAll(/^\d+\t(.*)$/gm)].slice(0, limit).map(([, line]) => line ?? ''));
        }
        if (content !== '')
          expect(got).toEqual(expected.map((line) => (line.length > 1900 ? expect.stringContaining('more characters') : line)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('reads the beginning of a file of many gigabytes without reading all of it', async () => {
    const place = createPlace();
    const path = place.write('huge.log', '');
    const file = openSync(path, 'w');
    writeSync(file, lines(3000));
    ftruncateSync(file, 20 * 2 ** 30);
    closeSync(file);
    const { text } = await place.run(readFileTool, { path: 'huge.log', offset: 5, limit: 2 });
    expect(text).toBe('5\tline 5\n6\tline 6\n[Lines 5 to 6 of many (21474836480 bytes). Read on with offset 7.]');
  });

  it('remembers what it has read', async () => {
    const place = createPlace();
    const path = place.write('a.txt', 'abc');
    await place.run(readFileTool, { path: 'a.txt' });
    expect(place.context.session.reads.get(path)).toMatchObject({
      sizeBytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
  });

  it.each([
    ['a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), 'is a PNG image'],
    ['a.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'is a JPEG image'],
    ['a.webp', Buffer.from('RIFF0000WEBP'), 'is a WebP image'],
    ['a.pdf', Buffer.from('%PDF-1.7'), 'is a PDF document'],
    ['a.out', Buffer.from('ELF\0'), 'is a binary file'],
    ['a.txt', Buffer.from('\ufeffhello', 'utf16le'), 'is text in UTF-16'],
  ])('does not read %s, and says what to do', async (name, content, why) => {
    const place = createPlace();
    place.write(name, content);
    const { text, isError } = await place.run(readFileTool, { path: name });
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
    expect(text.split('\n')[1]).toMatch(/\.$/);
  });

  it.each([
    ['a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d]), 'image/png'],
    ['a.pdf', Buffer.from('%PDF-1.7'), 'application/pdf'],
  ])('gives %s along, for a model that can be shown it', async (name, content, mediaType) => {
    const place = createPlace();
    place.write(name, content);
    const { shown } = await place.run(readFileTool, { path: name });
    expect(shown?.file).toEqual({ mediaType, data: content.toString('base64') });
    expect(shown?.text).toContain(`${name}" is shown`);
  });

  it('gives no file along that is too large, or that nobody is shown', async () => {
    const place = createPlace();
    place.write('a.png', Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(4_000_000)]));
    place.write('a.bmp', Buffer.from('BM\0\0'));
    const large = await place.run(readFileTool, { path: 'a.png' });
    expect(large).toMatchObject({ isError: true, text: expect.stringContaining('4000004 bytes') });
    expect([large.shown, (await place.run(readFileTool, { path: 'a.bmp' })).shown]).toEqual([undefined, undefined]);
  });

  it('takes a text for a text though it begins like an image', async () => {
    const place = createPlace();
    place.write('a.txt', 'BMW drives\n');
    expect((await place.run(readFileTool, { path: 'a.txt' })).text).toBe('1\tBMW drives');
  });

  it('says which file may have been meant, and what a folder is for', async () => {
    const place = createPlace();
    place.write('src/index.ts', 'x');
    expect((await place.run(readFileTool, { path: 'src/indx.ts' })).text).toContain('Did you mean "src/index.ts"?');
    expect((await place.run(readFileTool, { path: 'src' })).text).toBe(
      '"src" is a folder, not a file.\nGive the path of a file; list_files shows what is in the folder.',
    );
  });

  it('does not read what a link has put in the place of a file since it was allowed', async () => {
    const place = createPlace();
    symlinkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'a.txt'));
    const jail = { ...place.context.jail, resolveRead: async () => accept(join(place.workspace, 'a.txt')) };
    const { text, isError } = await place.run(readFileTool, { path: 'a.txt' }, { jail });
    expect(isError).toBe(true);
    expect(text).not.toContain('outside content');
  });
});
