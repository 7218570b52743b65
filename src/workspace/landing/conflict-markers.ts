import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { encodeNames } from '../../git/file-names.ts';

/** A line that looks as if git had marked a conflict with it. */
export interface MarkerLine {
  readonly line: string;
  /** Whether it bears the name of a side of this merge: then git wrote it. */
  readonly isLabelled: boolean;
}

/** `<<<<<<< HEAD`, `||||||| base`, `=======`, `>>>>>>> 1a2b3c`; longer ones where an attribute says so. */
const MARKER = /^(?:(?:<{7,}|>{7,}|\|{7,})(?: .*)?|={7})$/;

/** The lines of a text that look like a conflict's marker. */
export function listMarkers(text: string, labels: readonly string[]): readonly MarkerLine[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => MARKER.test(line))
    .map((line) => ({ line, isLabelled: labels.some((label) => /^[<>]{7,} /.test(line) && line.endsWith(` ${label}`)) }));
}

/** The same of a file in a working tree; none of a link, a binary file, or what cannot be read. */
export function findMarkers(top: string, path: string, labels: readonly string[]): readonly MarkerLine[] {
  const text = readPlainFile(join(top, path), MAX_READ_BYTES);
  return text.includes('\0') ? [] : listMarkers(text, labels);
}

const MAX_READ_BYTES = 64 << 20;

/** The beginning of a file's text. No link is followed, and no pipe waited for: of what is no file, and of what cannot be read, empty. */
export function readPlainFile(path: string, maxBytes: number): string {
  try {
    const handle = openSync(encodeNames(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(handle).isFile()) return '';
      const bytes = Buffer.alloc(Math.min(fstatSync(handle).size, maxBytes));
      return bytes.subarray(0, readSync(handle, bytes)).toString('utf8');
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}
