import { describe, expect, it } from 'vitest';
import { toPathText } from './path-text.ts';

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
