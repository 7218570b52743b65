import { type FileSystem, withHandle } from './file-system.ts';
import { scanLines } from './scan-lines.ts';

/** A line, and where the one behind it begins, in bytes. */
export interface NewLine {
  readonly text: string;
  readonly offset: number;
}

export interface NewLines {
  readonly lines: readonly NewLine[];
  /** Where the next read begins. */
  readonly offset: number;
}

const MAX_LINE_BYTES = 256 * 1024;
const MAX_LINES = 1000;
const MAX_READ_BYTES = 16 * 1024 * 1024;
const LINE_FEED = 10;

/**
 * Reads the complete lines of a file from a byte on, at most 1,000 of them and 16 MB; one over 256 KB (or `maxLineBytes`) is passed over, also where it has no end yet. A file that became shorter is read from its
 * beginning. Never throws: what cannot be read has nothing new.
 */
export function readNewLines(
  { fs, path }: { readonly fs: FileSystem; readonly path: string },
  from: number,
  maxLineBytes = MAX_LINE_BYTES,
): NewLines {
  try {
    const facts = fs.stat(path);
    if (facts?.kind !== 'file' || facts.sizeBytes === from) return { lines: [], offset: from };
    const start = facts.sizeBytes < from ? 0 : from;
    const lines: NewLine[] = [];
    const offset = withHandle(fs, fs.open(path, 'read'), (handle) => {
      const isPassing = isInLongLine({ fs, handle, maxLineBytes }, start);
      const scan = { fs, handle, from: start, to: start + MAX_READ_BYTES, maxLineBytes };
      const { nextOffset, restBytes } = scanLines(scan, (bytes, at, lengthBytes) => {
        if (lines.length >= MAX_LINES) return false;
        if (bytes !== null && !(isPassing && at === start)) lines.push({ text: bytes.toString('utf8'), offset: at + lengthBytes + 1 });
        return true;
      });
      const isRestLong = restBytes > maxLineBytes || (isPassing && nextOffset === start);
      return isRestLong ? nextOffset + restBytes : nextOffset;
    });
    return { lines, offset };
  } catch {
    return { lines: [], offset: from };
  }
}

interface LineRead {
  readonly fs: FileSystem;
  readonly handle: number;
  readonly maxLineBytes: number;
}

/** Whether the read before ended within a line that is too long: no line ends in the bytes before. */
function isInLongLine({ fs, handle, maxLineBytes }: LineRead, at: number): boolean {
  if (at <= maxLineBytes) return false;
  const before = Buffer.alloc(maxLineBytes);
  const last = before.subarray(0, 1);
  if (fs.read(handle, last, at - 1) === 1 && last[0] === LINE_FEED) return false;
  const count = fs.read(handle, before, at - maxLineBytes);
  return count === maxLineBytes && !before.includes(LINE_FEED);
}
