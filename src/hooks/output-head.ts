/** The beginning of what a program prints, in bounded memory however long it goes on. */
export interface OutputHead {
  readonly push: (bytes: Buffer) => void;
  /** `null`: it was too long, and nothing of it is wanted. */
  readonly text: () => string | null;
}

/** Keeps the first `maxBytes`; of more than that its beginning, or nothing: many programs may print without end at the same time. */
export function createOutputHead(maxBytes: number, ofMore: 'beginning' | 'nothing'): OutputHead {
  let kept: Buffer = Buffer.alloc(0);
  let length = 0;
  let isOver = false;

  function makeRoom(needed: number): void {
    if (needed <= kept.length) return;
    const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, kept.length * 2, 1024)));
    kept.copy(grown, 0, 0, length);
    kept = grown;
  }

  return {
    push(bytes) {
      if (isOver) return;
      isOver = length + bytes.length > maxBytes;
      if (isOver && ofMore === 'nothing') {
        kept = Buffer.alloc(0);
        return;
      }
      const taken = Math.min(bytes.length, maxBytes - length);
      makeRoom(length + taken);
      length += bytes.copy(kept, length, 0, taken);
    },
    text: () => (isOver && ofMore === 'nothing' ? null : kept.toString('utf8', 0, length)),
  };
}
