import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecret } from './secrets.ts';

describe('a value that was configured', () => {
  it.each<[string, string, boolean]>([
    ['MY_API_KEY', 'plain words here', true],
    ['REGION', 'a1b2c3d4e5f6g7h8', true],
    ['REGION', 'sk-live.a1b2c3d4e5f6', true],
    ['REGION', 'a1b2c3d4e5f', false],
    ['MODEL', 'claude-sonnet-4-5-20250929', false],
    ['FOLDER', '/home/ann/a1b2c3d4e5f6g7h8', false],
    ['COUNT', '1234567890123456', false],
    ['WORDS', 'abcdefghijklmnopqrst', false],
  ])('%s=%s is a secret: %s', (name, value, expected) => {
    expect(isSecret(name, value)).toBe(expected);
  });

  it('looks like a key where one long word holds a long piece of letters and digits', () => {
    const old = /^(?=.*(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{12})[A-Za-z0-9_+=~.-]{16,}$/;
    const letter = fc.constantFrom(...'aZ09_+=~.- /'.split(''));
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 8, maxLength: 60 }), (value) => {
        fc.pre(!/^\d{1,15}$/.test(value));
        expect(isSecret('NAME', value)).toBe(old.test(value));
      }),
    );
  });

  // With work that grows with the square of the length, none of these would come back.
  it.each([
    ['letters', 'a'.repeat(1 << 20), false],
    ['digits', '1'.repeat(1 << 20), false],
    ['letters, and no word at the end', `${'a'.repeat(1 << 20)}/`, false],
    ['short pieces', 'a1-'.repeat(1 << 19), false],
    ['a key', 'a1'.repeat(1 << 19), true],
  ])('may be a million %s long', (_, value, expected) => {
    expect(isSecret('NAME', value)).toBe(expected);
  });
});
