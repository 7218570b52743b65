import { lstatSync } from 'node:fs';

/** The size of a file in bytes; 0 for one that is not there or cannot be looked at. A link has the size of its target's name. */
export function readFileSize(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}
