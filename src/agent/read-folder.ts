import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathRefusal } from './check-path-text.ts';
import { explainFileError } from './explain-file-error.ts';
import { isStillAt, openPinned, refuseSwapped, toPinnedPath } from './open-pinned.ts';

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** What is in a folder. */
export interface FolderContent {
  /** Sorted by code units. */
  readonly entries: readonly FolderEntry[];
  /** True when there are more than were read. */
  readonly isCut: boolean;
}

/**
 * The names in a folder that a jail has allowed. Links are told as links and never followed.
 *
 * @param real as the jail resolved it.
 */
export async function readFolder(real: string, shownPath: string, maxEntries: number): Promise<FolderContent | PathRefusal> {
  const handle = await openPinned(real, 'folder', shownPath);
  if ('refused' in handle) return handle;
  try {
    const place = (await toPinnedPath(handle)) ?? real;
    const found: FolderEntry[] = [];
    for await (const entry of await opendir(place, { bufferSize: 256 })) {
      found.push({ name: entry.name, kind: await toKind(entry, place) });
      if (found.length > maxEntries) break;
    }
    if (!(await isStillAt(handle, real))) return refuseSwapped(shownPath);
    const entries = found.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    return { entries: entries.slice(0, maxEntries), isCut: found.length > maxEntries };
  } catch (error) {
    return explainFileError(error, shownPath);
  } finally {
    await handle.close();
  }
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

async function toKind(entry: Dirent, folder: string): Promise<FolderEntry['kind']> {
  const isTold = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink() || entry.isFIFO() || entry.isSocket();
  const kinds: Kinds = isTold ? entry : await lstat(join(folder, entry.name)).catch(() => entry);
  if (kinds.isFile()) return 'file';
  if (kinds.isDirectory()) return 'folder';
  return kinds.isSymbolicLink() ? 'link' : 'other';
}
