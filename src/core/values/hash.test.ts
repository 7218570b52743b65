import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTextHash } from './hash.ts';

/** Any half of a character, too. (`binary` of fast-check takes a second to set up.) */
const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));

describe('the hash of a text', () => {
  it('is fourteen hexadecimal digits, the same on every machine and for ever', () => {
    expect([toTextHash(''), toTextHash('build.done\n"ok"'), toTextHash('ü\u{1f600}')]).toMatchInlineSnapshot(`
      [
        "09da89d2d17946",
        "110c99c38aa471",
        "08de4f613cb344",
      ]
    `);
  });

  it('always has its form', () => {
    fc.assert(
      fc.property(fc.string({ unit: codeUnit }), (text) => {
        expect(toTextHash(text)).toMatch(/^[0-9a-f]{14}$/);
      }),
    );
  });

  it('tells a hundred thousand small changes apart', () => {
    const seen = new Set<string>();
    for (let count = 0; count < 50_000; count += 1) {
      seen.add(toTextHash(`progress\nstep ${count}`));
      seen.add(toTextHash(`${count} progress\nstep`));
    }
    expect(seen.size).toBe(100_000);
  });

  it('tells every text of up to three small letters apart', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz\u0000\u0100\u8000'];
    const texts = [
      '',
      ...letters,
      ...letters.flatMap((a) => letters.map((b) => a + b)),
      ...letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c))),
    ];
    expect(new Set(texts.map(toTextHash)).size).toBe(texts.length);
  });

  it('tells orders, cases and every changed character of a long text apart', () => {
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(40);
    const changed = Array.from(long, (_letter, index) => `${long.slice(0, index)}#${long.slice(index + 1)}`);
    const swapped = Array.from(long.slice(1), (letter, index) => `${long.slice(0, index)}${letter}${long[index]}${long.slice(index + 2)}`);
    const texts = new Set([long, long.toUpperCase(), ...changed, ...swapped]);
    expect(new Set([...texts].map(toTextHash)).size).toBe(texts.size);
  });
});
