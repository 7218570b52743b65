import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOutputTail } from './output-tail.ts';

describe('the output tail', () => {
  it('keeps the last bytes of whatever was pushed, and says whether something is missing', () => {
    const pieces = fc.array(fc.stringMatching(/^[a-z]{0,40}$/), { maxLength: 40 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 50 }), (parts, maxBytes) => {
        const tail = createOutputTail(maxBytes);
        for (const part of parts) tail.push(Buffer.from(part));
        const all = parts.join('');
        expect(tail.text()).toBe(all.slice(-maxBytes));
        expect(tail.isCut()).toBe(all.length > maxBytes);
      }),
    );
  });

  it('begins with a whole character', () => {
    const tail = createOutputTail(5);
    tail.push(Buffer.from('€€€'));
    expect(tail.text()).toBe('€');
  });

  it('is not changed by what happens to the pushed buffer later', () => {
    const tail = createOutputTail(10);
    const bytes = Buffer.from('before');
    tail.push(bytes);
    bytes.fill('x');
    expect(tail.text()).toBe('before');
  });
});
