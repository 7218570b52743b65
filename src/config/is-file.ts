import { statSync } from 'node:fs';

/** True if something that can be read as a file is at the path. Never throws. */
export function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
