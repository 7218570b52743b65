import { type FileSystem, withHandle } from './file-system.ts';
import { scanLines } from './scan-lines.ts';

/** A line, and where the one behind it begins, in bytes. */
export interface NewLine {
  readonly text: string;
  readonly offset: number;
}

/** What was new in a file of lines. */
export interface NewLines {
  readonly lines: readonly NewLine[];
  /** Where the next read begins. */
  readonly offset: number;
}

const MAX_LINE_BYTES = 256 * 1024;
const MAX_LINES = 1000;

/**
 * Reads the complete lines of a file from a byte on, at most 1,000 of them; one over 256 KB is passed over. A file that became shorter is read from its
 * beginning. Never throws: what cannot be read has nothing new.
 */
export function readNewLines({ fs, path }: { readonly fs: FileSystem; readonly path: string }, from: number): NewLines {
  try {
    const facts = fs.stat(path);
    if (facts?.kind !== 'file' || facts.sizeBytes === from) return { lines: [], offset: from };
    const start = facts.sizeBytes < from ? 0 : from;
    const lines: NewLine[] = [];
    const offset = withHandle(fs, fs.open(path, 'read'), (handle) => {
      const { nextOffset } = scanLines({ fs, handle, from: start, maxLineBytes: MAX_LINE_BYTES }, (bytes, at, lengthBytes) => {
        if (lines.length >= MAX_LINES) return false;
        if (bytes !== null) lines.push({ text: bytes.toString('utf8'), offset: at + lengthBytes + 1 });
        return true;
      });
      return nextOffset;
    });
    return { lines, offset };
  } catch {
    return { lines: [], offset: from };
  }
}
