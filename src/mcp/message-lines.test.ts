import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMessageLines, type MessageLine } from './message-lines.ts';

function readAll(chunks: readonly Buffer[], limitBytes?: number): { lines: readonly MessageLine[]; hasRest: boolean } {
  const reader = createMessageLines(limitBytes);
  return { lines: chunks.flatMap((chunk) => reader.take(chunk)), hasRest: reader.hasRest() };
}

function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

test('the lines are the same however the stream is cut into chunks', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }).map((line) => line.replaceAll('\n', ' ')));
  fc.assert(
    fc.property(text, fc.array(fc.nat()), (lines, places) => {
      const chunks = cut(Buffer.from(lines.map((line) => `${line}\n`).join('')), places);
      const read = readAll(chunks);
      expect(read.lines).toEqual(lines.map((line) => ({ kind: 'line', text: Buffer.from(line).toString('utf8') })));
      expect(read.hasRest).toBe(false);
    }),
  );
});

test('a last line without an end is told', () => {
  expect(readAll([Buffer.from('one\ntwo')])).toEqual({ lines: [{ kind: 'line', text: 'one' }], hasRest: true });
});

test('of a line that is too long nothing but its id is kept, and the next line is read', () => {
  const pay = 'x'.repeat(5000);
  const long = [
    `{"jsonrpc":"2.0","id":7,"method":"m","params":{"pay":"${pay}"}}`,
    `{"method":"m","params":{"pay":"${pay}"},"jsonrpc":"2.0","id":"a-8"}`,
    `{"method":"m","params":{"pay":"${pay}"}}`,
  ];
  const chunks = cut(
    Buffer.from(`${long.join('\n')}\nshort\n`),
    Array.from({ length: 400 }, (_, index) => index * 41),
  );
  expect(readAll(chunks, 2000).lines).toEqual([
    { kind: 'too-long', id: 7 },
    { kind: 'too-long', id: 'a-8' },
    { kind: 'too-long', id: null },
    { kind: 'line', text: 'short' },
  ]);
});
