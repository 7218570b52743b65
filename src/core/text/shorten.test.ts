import { describe, expect, it } from 'vitest';
import { endOf, shorten, startOf, toOneLine } from './shorten.ts';

describe('a shortened text', () => {
  it('is itself where it is short enough', () => {
    expect([shorten('abcd', 4), startOf('abcd', 4), shorten('', 4)]).toEqual(['abcd', 'abcd', '']);
  });

  it('ends with an ellipsis, which is counted in', () => {
    expect([shorten('abcde', 4), startOf('abcde', 4)]).toEqual(['abc…', 'abcd']);
  });

  it('may be its end, without half of a character', () => {
    expect([endOf('abcd', 4), endOf('abcde', 4), endOf('ab😀cd', 3), endOf('ab😀cd', 4)]).toEqual(['abcd', 'bcde', 'cd', '😀cd']);
  });

  it('never ends with half of a character', () => {
    expect([shorten('ab😀cd', 4), startOf('ab😀cd', 3), startOf('ab😀cd', 4)]).toEqual(['ab…', 'ab', 'ab😀']);
    expect(toOneLine(`${'a'.repeat(198)}😀 and more`)).toBe(`${'a'.repeat(198)}…`);
  });
});
