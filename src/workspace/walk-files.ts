import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeNames, encodeNames } from './file-names.ts';

/** The files of some folders, as they look from outside. */
export interface WalkedFiles {
  /** By path from the top: mode, size, times, number of the file. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether everything was looked at. */
  readonly isWhole: boolean;
}

/**
 * Looks at files and at what is in folders, in a fixed order and up to a number of entries. Links are not followed. Never throws.
 *
 * @param paths relative to the top; folders end in `/` or are found to be some
 * @param isExempt paths that do not count, folders with what is in them
 */
export function walkFiles(top: string, paths: readonly string[], maxEntries: number, isExempt: (path: string) => boolean): WalkedFiles {
  const files = new Map<string, string>();
  const waiting = paths.map((path) => path.replace(/\/$/, '')).reverse();
  let left = maxEntries;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (isExempt(path)) continue;
    left -= 1;
    if (left < 0) return { files, isWhole: false };
    const look = toLook(join(top, path));
    if (look === 'folder') waiting.push(...listFolder(top, path).reverse());
    else if (look !== null) files.set(path, look);
  }
  return { files, isWhole: true };
}

/** What a file looks like from outside; `folder`; `null` where there is none. The time of the last change cannot be set by a program. */
export function toLook(path: string): string | null {
  try {
    const { mode, size, mtimeMs, ctimeMs, ino, nlink } = lstatSync(encodeNames(path));
    return (mode & 0o170000) === 0o040000 ? 'folder' : `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${nlink}`;
  } catch {
    return null;
  }
}

function listFolder(top: string, folder: string): string[] {
  try {
    return readdirSync(encodeNames(join(top, folder)), 'buffer')
      .map(decodeNames)
      .filter((name) => name !== '.git')
      .sort()
      .map((name) => (folder === '' ? name : `${folder}/${name}`));
  } catch {
    return [];
  }
}
