import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskControls } from './mask-controls.ts';

it('puts a mark in the place of everything that a terminal obeys', () => {
  expect(maskControls('a\u001b[31mb\u009bc\u202ed\u2028e\tf\ng\u0000')).toBe('a\uFFFD[31mb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg\uFFFD');
});

it('keeps lines where it is told to, and takes another mark', () => {
  expect(maskControls('a\nb\r\nc\td', { keepsLines: true, by: ' ' })).toBe('a\nb \nc d');
});

it('leaves every other text as it is', () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '"', 'ä', '→', '😀', '中') }), (text) => maskControls(text) === text));
});
