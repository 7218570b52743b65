/** Bytes of the longest UTF-8 character. */
const MAX_CHARACTER_BYTES = 4;

/** The end of a stream of any length, in constant memory. */
export interface OutputTail {
  push(bytes: Buffer): void;
  /** The last bytes as text, beginning with a whole character. */
  text(decode?: (bytes: Buffer) => string): string;
  /** True when the beginning is not in {@link OutputTail.text}. */
  isCut(): boolean;
}

/** Keeps the last `maxBytes` of what is pushed. */
export function createOutputTail(maxBytes: number): OutputTail {
  let kept: Buffer = Buffer.alloc(0);
  let length = 0;
  let totalBytes = 0;

  /** The buffer is twice the tail, so that old bytes are moved out of the way once in `maxBytes`, not at every push. */
  function makeRoom(needed: number): void {
    if (length + needed <= kept.length) return;
    const capacity = Math.min(maxBytes * 2, Math.max((length + needed) * 2, 1024));
    const keep = Math.min(length, maxBytes - needed);
    const target = capacity > kept.length ? Buffer.allocUnsafe(capacity) : kept;
    kept.copy(target, 0, length - keep, length);
    kept = target;
    length = keep;
  }

  return {
    push(bytes) {
      totalBytes += bytes.length;
      const last = bytes.length > maxBytes ? bytes.subarray(bytes.length - maxBytes) : bytes;
      makeRoom(last.length);
      last.copy(kept, length);
      length += last.length;
    },
    text(decode = (bytes) => bytes.toString('utf8')) {
      const start = Math.max(0, length - maxBytes);
      return decode(kept.subarray(totalBytes > maxBytes ? firstWholeCharacter(kept, start, length) : start, length));
    },
    isCut: () => totalBytes > maxBytes,
  };
}

/** The first place at or after `start`, at most 3 bytes later, where a character begins. */
function firstWholeCharacter(bytes: Uint8Array, start: number, end: number): number {
  const latest = Math.min(end, start + MAX_CHARACTER_BYTES - 1);
  let index = start;
  while (index < latest && ((bytes[index] ?? 0) & 0xc0) === 0x80) index += 1;
  return index;
}
