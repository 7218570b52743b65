import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { encodeNames } from './file-names.ts';

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
