import { createBoundedBuffer } from '../process/index.ts';

/** The beginning of what a program prints, in bounded memory however long it goes on. */
export interface OutputHead {
  readonly push: (bytes: Buffer) => void;
  /** `null`: it was too long, and nothing of it is wanted. */
  readonly text: () => string | null;
}

/** Keeps the first `maxBytes`; of more than that its beginning, or nothing: many programs may print without end at the same time. */
export function createOutputHead(maxBytes: number, ofMore: 'beginning' | 'nothing'): OutputHead {
  const head = createBoundedBuffer(maxBytes);
  let isOver = false;
  return {
    push(bytes) {
      if (isOver) return;
      isOver = head.add(bytes, 0, bytes.length) < bytes.length;
      if (isOver && ofMore === 'nothing') head.clear(0);
    },
    text: () => (isOver && ofMore === 'nothing' ? null : head.look().toString('utf8')),
  };
}
