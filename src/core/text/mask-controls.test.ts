import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../property-fixtures.ts';
import { maskControls, toSafeJson } from './mask-controls.ts';

it('puts a mark in the place of everything that a terminal obeys', () => {
  expect(maskControls('a\u001b[31mb\u009bc\u202ed\u2028e\tf\ng\u0000')).toBe('a\uFFFD[31mb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg\uFFFD');
});

it('keeps lines where it is told to, and takes another mark', () => {
  expect(maskControls('a\nb\r\nc\td', { keepsLines: true, by: ' ' })).toBe('a\nb \nc d');
});

it('leaves every other text as it is', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '"', 'ä', '→', '😀', '中') }), (text) => maskControls(text) === text));
});

const UNSEEN = ['\u007f', '\u009b', '\u061c', '\u200e', '\u200f', '\u2028', '\u2029', '\u202e', '\u2066', '\ufeff', '\u{e0041}', '\u001b'];

it('writes JSON that is the same value, and in which nothing is unseen', () => {
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...UNSEEN, 'a', '"', '\\', '\n'), fc.string({ unit: 'binary', maxLength: 1 })) });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), fc.constantFrom(undefined, 2), (value, indent) => {
      const json = toSafeJson(value, indent);
      expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      return indent !== undefined || !json.includes('\n');
    }),
    { numRuns: propertyRuns(100) },
  );
});
