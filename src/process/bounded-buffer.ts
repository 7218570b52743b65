/** The beginning of what arrives in pieces. */
export interface BoundedBuffer {
  /** Takes of `bytes[start..end)` what still fits, and says how many bytes that were. */
  add(bytes: Buffer, start: number, end: number): number;
  /** What was kept. Valid until the next `add`. */
  look(): Buffer;
  /** Forgets it. Memory of more than `keptCapacity` bytes is given back; the rest is used again. */
  clear(keptCapacity: number): void;
}

/** Keeps at most `maxBytes` in one buffer that grows as it is needed: a child that writes byte by byte costs no more. */
export function createBoundedBuffer(maxBytes: number): BoundedBuffer {
  let kept: Buffer = Buffer.alloc(0);
  let length = 0;

  function makeRoom(needed: number): void {
    if (needed <= kept.length) return;
    const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, kept.length * 2, 1024)));
    kept.copy(grown, 0, 0, length);
    kept = grown;
  }

  return {
    add(bytes, start, end) {
      const taken = Math.min(end - start, maxBytes - length);
      makeRoom(length + taken);
      length += bytes.copy(kept, length, start, start + taken);
      return taken;
    },
    look: () => kept.subarray(0, length),
    clear(keptCapacity) {
      length = 0;
      if (kept.length > keptCapacity) kept = Buffer.alloc(0);
    },
  };
}
