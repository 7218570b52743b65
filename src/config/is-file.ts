import { statSync } from 'node:fs';

/** True if a regular file is at the path: a pipe or a device is none. Never throws. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
