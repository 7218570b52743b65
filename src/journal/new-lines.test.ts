import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { readNewLines } from './new-lines.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';

const folder = mkdtempSync(join(tmpdir(), 'ralph-new-lines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const toFile = (text: string | Buffer): string => {
  count += 1;
  const path = join(folder, `${count}.jsonl`);
  writeFileSync(path, text);
  return path;
};

it('reads every complete line once, in order, however the file grows', () => {
  const line = fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(fc.tuple(line, fc.nat({ max: 40 })), { maxLength: 20 }), (writes) => {
      const path = toFile('');
      const read: string[] = [];
      let offset = 0;
      const look = (): void => {
        const found = readNewLines({ fs, path }, offset);
        read.push(...found.lines.map(({ text }) => text));
        offset = found.offset;
      };
      for (const [text, cut] of writes) {
        const bytes = Buffer.from(`${text}\n`);
        appendFileSync(path, bytes.subarray(0, cut));
        look();
        appendFileSync(path, bytes.subarray(cut));
        look();
      }
      expect(read).toEqual(writes.map(([text]) => Buffer.from(text).toString('utf8')));
    }),
    { numRuns: propertyRuns(50) },
  );
});

it('tells for each line where the next one begins, so that a reader who stops there misses none', () => {
  const path = toFile('a\nüb\nc\n');
  const { lines } = readNewLines({ fs, path }, 0);
  expect(lines.map(({ text }) => text)).toEqual(['a', 'üb', 'c']);
  expect(lines.map(({ offset }) => readNewLines({ fs, path }, offset).lines.map(({ text }) => text))).toEqual([['üb', 'c'], ['c'], []]);
});

it('passes over a line that is too long, reads a file that became shorter from its beginning, and a missing one as empty', () => {
  const path = toFile(`${'x'.repeat(300_000)}\nshort\n`);
  expect(readNewLines({ fs, path }, 0).lines.map(({ text }) => text)).toEqual(['short']);
  expect(readNewLines({ fs, path: toFile('new\n') }, 1000).lines.map(({ text }) => text)).toEqual(['new']);
  expect(readNewLines({ fs, path: join(folder, 'nowhere') }, 7)).toEqual({ lines: [], offset: 7 });
});

it('reads a bounded part of a line that has no end, once, and passes over the rest of it', () => {
  const path = toFile('first\n');
  truncateSync(path, 40 * 1024 * 1024);
  const look = (from: number) => readNewLines({ fs, path }, from);
  const first = look(0);
  expect([first.lines.map(({ text }) => text), first.offset]).toEqual([['first'], 16 * 1024 * 1024]);
  const whole = look(look(first.offset).offset).offset;
  expect(whole).toBe(40 * 1024 * 1024);
  appendFileSync(path, 'rest of it');
  const rest = look(whole);
  expect(rest).toEqual({ lines: [], offset: whole + 10 });
  appendFileSync(path, ' and more\nnext\n');
  expect(look(rest.offset).lines.map(({ text }) => text)).toEqual(['next']);
});
