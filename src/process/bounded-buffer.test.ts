import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoundedBuffer } from './bounded-buffer.ts';

describe('a bounded buffer', () => {
  it('keeps the beginning of what arrives, however it is cut into pieces, and says how much it took', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 8 });
    fc.assert(
      fc.property(pieces, fc.nat(5000), (given, maxBytes) => {
        const buffer = createBoundedBuffer(maxBytes);
        const taken = given.map((piece) => buffer.add(Buffer.from(piece), 0, piece.length));
        const whole = Buffer.concat(given);
        expect(buffer.look().equals(whole.subarray(0, maxBytes))).toBe(true);
        expect(taken.reduce((sum, count) => sum + count, 0)).toBe(Math.min(whole.length, maxBytes));
      }),
    );
  });

  it.each([0, 1 << 20])('begins anew once it was cleared, with %i bytes of memory kept', (keptCapacity) => {
    const buffer = createBoundedBuffer(4);
    buffer.add(Buffer.from('abcdef'), 1, 6);
    buffer.clear(keptCapacity);
    expect(buffer.look()).toHaveLength(0);
    expect(buffer.add(Buffer.from('xy'), 0, 2)).toBe(2);
    expect(buffer.look().toString()).toBe('xy');
  });
});
