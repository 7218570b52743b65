import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** What is read of a file. */
export interface PlainFile {
  readonly head: Buffer;
  /** Empty where the beginning is all of it. */
  readonly tail: Buffer;
  /** What is between them. */
  readonly leftBytes: number;
}

/**
 * Reads the beginning and the end of a file that somebody else may have put there, in its place or as large as they like. One that is no larger than both is all in `head`.
 * `null` for what is no plain file, links and pipes too.
 */
export function readEnds(path: string, headBytes: number, tailBytes = 0): PlainFile | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return null;
    const isWhole = stats.size <= headBytes + tailBytes;
    const head = readPart(file, 0, isWhole ? stats.size : headBytes);
    const tail = readPart(file, stats.size - tailBytes, isWhole ? 0 : tailBytes);
    return { head, tail, leftBytes: isWhole ? 0 : stats.size - headBytes - tailBytes };
  } finally {
    closeSync(file);
  }
}

/** All of a file; `null`, too, where it is larger. */
export function readWhole(path: string, maxBytes: number): Buffer | null {
  const file = readEnds(path, maxBytes);
  return file === null || file.leftBytes > 0 ? null : file.head;
}

/** Shorter where the file ends before. */
function readPart(file: number, from: number, bytes: number): Buffer {
  const part = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const more = readSync(file, part, read, bytes - read, from + read);
    if (more === 0) break;
    read += more;
  }
  return part.subarray(0, read);
}
