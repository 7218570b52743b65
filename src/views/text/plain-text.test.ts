import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, createTextCleaner, toPathText } from './plain-text.ts';

const HOSTILE = fc
  .array(
    fc.constantFrom('\u001b', '[', ']', '0', ';', 'm', '\u0007', '\\', '\n', '\r', 'a', 'é', '😀', '\u009b', '\u009d', '\u202e', 'P', '\t'),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('cleanText', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a title', '\u001b]0;owned\u0007after', 'after'],
    ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a device string', '\u001bPq#0\u001b\\shown', 'shown'],
    ['an eight-bit control sequence', '\u009b2Jshown', 'shown'],
    ['a charset choice', '\u001b(Bshown', 'shown'],
    ['a bell and a backspace', 'a\u0007b\u0008c', 'abc'],
    ['marks that turn the direction of writing', 'a\u202eb\u2066c', 'abc'],
  ])('takes out %s', (_name, text, expected) => {
    expect(cleanText(text)).toBe(expected);
  });

  it('shows a character that no sequence goes on with', () => {
    expect(cleanText('\u001b[3😀')).toBe('😀');
  });

  it('keeps tabs, line breaks, accents and emoji', () => {
    expect(cleanText('a\tb\né😀')).toBe('a\tb\né😀');
  });

  it('makes one line break of \\r\\n and of a lone \\r', () => {
    expect(cleanText('a\r\nb\rc\r\r\nd')).toBe('a\nb\nc\n\nd');
  });

  it('shows the next line after a sequence that never ends', () => {
    expect(cleanText('\u001b]0;never closed\nnext')).toBe('\nnext');
    expect(cleanText(`\u001b]0;${'x'.repeat(10_000)}`).length).toBeGreaterThan(5000);
  });

  it('never lets a character through that a terminal would obey', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the question
        expect(cleanText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('gives the same text however the pieces are cut', () => {
    fc.assert(
      fc.property(HOSTILE, fc.nat(40), (text, cut) => {
        const cleaner = createTextCleaner();
        const pieces = cleaner.take(text.slice(0, cut)) + cleaner.take(text.slice(cut));
        expect(pieces).toBe(cleanText(text));
      }),
    );
  });
});

describe('toPathText', () => {
  it.each([
    ['src/cart.mjs', 'src/cart.mjs'],
    ['grüße und mehr.txt', 'grüße und mehr.txt'],
    ['new\nline', '"new\\nline"'],
    ['\u001b[31mred', '"\\u001b[31mred"'],
    ['a\u202etxt.exe', '"a\\u{202e}txt.exe"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['\udcff.bin', '"\\xff.bin"'],
    ['a\u200bb', '"a\\u{200b}b"'],
  ])('%j is shown as %s', (path, shown) => {
    expect(toPathText(path)).toBe(shown);
  });
});
