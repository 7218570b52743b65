import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTail } from './to-tail.ts';

describe('the tail of a gate’s output', () => {
  it('is the output itself when that is short', () => {
    expect(toTail('1 passed\n', false, '', 100)).toBe('1 passed');
  });

  it('begins with a whole line when the beginning is missing', () => {
    expect(toTail('nd of a line\nwhole line\n', true, '', 100)).toBe('whole line');
    expect(toTail('aaaa\nbbbb\ncccc', false, '', 12)).toBe('bbbb\ncccc');
  });

  it('shows the end of one endless line', () => {
    expect(toTail('x'.repeat(50), false, '', 11)).toBe('x'.repeat(10));
  });

  it('puts the remark behind the output, on a line of its own', () => {
    expect(toTail('out', false, 'why', 100)).toBe('out\n[why]');
    expect(toTail('', false, 'why', 100)).toBe('[why]');
  });

  it('leaves out the colours of terminals', () => {
    expect(toTail('\u001b[31mred\u001b[0m', false, '', 100)).toBe('red');
  });

  it('never is longer than allowed, never tears a character, and always is an end of the text', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '漢', '😀', '\n', 'zz')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.boolean(), fc.integer({ min: 8, max: 40 }), (output, isCut, maxBytes) => {
        const tail = toTail(output, isCut, '', maxBytes);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
        expect(output.trimEnd().endsWith(tail)).toBe(true);
        expect(tail).not.toContain('\ufffd');
      }),
    );
  });
});
