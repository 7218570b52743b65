import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import { createLineSplitter } from './line-splitter.ts';

type Line = [text: string, cut: boolean];

function split(pieces: readonly Buffer[], maxLineBytes = 1000): Line[] {
  const lines: Line[] = [];
  const splitter = createLineSplitter(maxLineBytes, (text, cut) => lines.push([text, cut]));
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

/** Cuts bytes at the given places, whatever their order. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return sorted.map((end, index) => bytes.subarray(index === 0 ? 0 : sorted[index - 1], end));
}

const texts = (...lines: string[]): Line[] => lines.map((line) => [line, false]);

describe('the line splitter', () => {
  it('gives lines without their ends, empty ones too, and the last one that has no end', () => {
    expect(split([Buffer.from('one\r\n\ntwo\nthree')])).toEqual(texts('one', '', 'two', 'three'));
  });

  it('gives nothing for no bytes, and no extra line after a final line end', () => {
    expect(split([])).toEqual([]);
    expect(split([Buffer.from('a\n')])).toEqual(texts('a'));
  });

  it('says of the last line alone that it has no end', () => {
    const open: boolean[] = [];
    const splitter = createLineSplitter(4, (_text, _cut, isOpen) => open.push(isOpen));
    for (const piece of ['one\ntw', 'o\nlonger', ' than allowed']) splitter.push(Buffer.from(piece));
    splitter.end();
    expect(open).toEqual([false, false, true]);
  });

  it('keeps a carriage return inside a line', () => {
    expect(split([Buffer.from('10%\r20%\r\n')])).toEqual(texts('10%\r20%'));
  });

  it('turns bytes that are no UTF-8 into U+FFFD and goes on', () => {
    expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a, 0x63])])).toEqual(texts('a\ufffdb', 'c'));
  });

  it('delivers a line that is too long once, cut, and the next one whole', () => {
    expect(split([Buffer.from('123456789\nok\n')], 4)).toEqual([
      ['1234', true],
      ['ok', false],
    ]);
  });

  it('does not count the carriage return of the line end as length', () => {
    expect(split([Buffer.from('1234\r\n1234x\r\n')], 4)).toEqual([
      ['1234', false],
      ['1234', true],
    ]);
  });

  it('never cuts inside a character', () => {
    expect(split([Buffer.from('ab€cd\n')], 4)).toEqual([['ab', true]]);
    expect(split([Buffer.from('ab€cd\n')], 5)).toEqual([['ab€', true]]);
    expect(split([Buffer.from('😀😀\n')], 7)).toEqual([['😀', true]]);
  });

  it('gives the same lines however the bytes are cut', () => {
    const alphabet = fc.constantFrom('a', 'é', '€', '😀', '\n', '\r', '\r\n', '{"k":1}');
    const valid = fc.array(alphabet, { maxLength: 60 }).map((parts) => Buffer.from(parts.join('')));
    const anything = fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes));
    const limit = fc.constantFrom(1, 2, 3, 7, 1000);
    const places = fc.array(fc.nat(200), { maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(valid, anything), places, limit, (bytes, cuts, maxLineBytes) => {
        const everyByte = Array.from({ length: bytes.length }, (_, index) => index);
        const whole = split([bytes], maxLineBytes);
        expect(split(cutAt(bytes, cuts), maxLineBytes)).toEqual(whole);
        expect(split(cutAt(bytes, everyByte), maxLineBytes)).toEqual(whole);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it('agrees with splitting the whole text when no line is too long', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n]/g, ''))), (lines) => {
        expect(split([Buffer.from(lines.map((line) => `${line}\n`).join(''))], 100_000)).toEqual(texts(...lines));
      }),
    );
  });
});

it('a JSON object that is too long keeps its fields, and of a long string the beginning and the end', () => {
  const text = `begin \u00e9\n"q" ${'é\\\n"\u{1f600}'.repeat(200_000)} LOOP_COMPLETE`;
  const line = JSON.stringify({ a: 1, text, deep: [{ type: 'result' }] });
  const bytes = Buffer.from(`${line}\nnext\n`);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
    bytes.subarray(index * 65_536, (index + 1) * 65_536),
  );
  for (const given of [pieces, [bytes]]) {
    const [[shown = '', cut] = [], next] = split(given, 1 << 20);
    const read = JSON.parse(shown) as { a: number; text: string; deep: unknown };
    expect([read.a, read.deep, cut, next]).toEqual([1, [{ type: 'result' }], true, ['next', false]]);
    expect(read.text.slice(0, 300)).toBe(text.slice(0, 300));
    expect(read.text.slice(-300)).toBe(text.slice(-300));
    expect(read.text.length).toBeLessThan(text.length);
  }
});
