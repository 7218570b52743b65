import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { withHandle } from './file-system.ts';
import { createTemporaryFolder } from './fixtures.ts';
import { nodeFileSystem as fs } from './node-file-system.ts';
import { scanLines } from './scan-lines.ts';

interface SeenLine {
  readonly text: string | null;
  readonly offset: number;
  readonly lengthBytes: number;
}

function scan(content: Uint8Array, settings: { from?: number; to?: number; maxLineBytes?: number; chunkBytes?: number; stopAt?: number }) {
  const path = join(createTemporaryFolder(), 'lines');
  writeFileSync(path, content);
  const { from = 0, maxLineBytes = 1000, stopAt = Number.POSITIVE_INFINITY, ...rest } = settings;
  const lines: SeenLine[] = [];
  const end = withHandle(fs, fs.open(path, 'read'), (handle) =>
    scanLines({ fs, handle, from, maxLineBytes, ...rest }, (bytes, offset, lengthBytes) => {
      if (lines.length === stopAt) return false;
      lines.push({ text: bytes === null ? null : bytes.toString('latin1'), offset, lengthBytes });
      return true;
    }),
  );
  return { lines, end };
}

it('gives the same lines whatever the size of the chunks, in which lines may be split anywhere', () => {
  const content = fc.array(fc.constantFrom(10, 10, 13, 65, 0, 200), { maxLength: 60 });
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 12 }), (bytes, chunkBytes, maxLineBytes) => {
      const whole = Buffer.from(bytes);
      const expected: SeenLine[] = [];
      let offset = 0;
      for (const text of whole.toString('latin1').split('\n').slice(0, -1)) {
        expected.push({ text: text.length > maxLineBytes ? null : text, offset, lengthBytes: text.length });
        offset += text.length + 1;
      }
      const { lines, end } = scan(whole, { chunkBytes, maxLineBytes });
      expect(lines).toEqual(expected);
      expect(end).toEqual({ nextOffset: offset, restBytes: whole.length - offset });
    }),
    { numRuns: propertyRuns(100) },
  );
});

it('begins and ends at any byte', () => {
  expect(scan(Buffer.from('one\ntwo\nthree\n'), { from: 5, to: 11 })).toEqual({
    lines: [{ text: 'wo', offset: 5, lengthBytes: 2 }],
    end: { nextOffset: 8, restBytes: 3 },
  });
});

it('stops before the line that the visitor does not take', () => {
  expect(scan(Buffer.from('one\ntwo\nthree'), { stopAt: 1 }).end).toEqual({ nextOffset: 4, restBytes: 0 });
});

it('passes a line that is too long without holding it in memory', () => {
  const longBytes = 24 << 20;
  const content = Buffer.concat([Buffer.alloc(longBytes, 120), Buffer.from('\nshort\n')]);
  const before = process.memoryUsage().arrayBuffers;
  const { lines } = scan(content, { maxLineBytes: 4 << 20 });
  expect(lines).toEqual([
    { text: null, offset: 0, lengthBytes: longBytes },
    { text: 'short', offset: longBytes + 1, lengthBytes: 5 },
  ]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 << 20);
});
