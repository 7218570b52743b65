import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findNearMiss } from '../../core/index.ts';
import type { Jail } from '../tool/tool.ts';
import { explainFileError, type PathRefusal } from './check-path-text.ts';
import { isStillAt, openPinned, refuseSwapped, toPinnedPath } from './open-pinned.ts';

/** One name in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** What is in a folder. */
interface FolderContent {
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

const maxNames = 2000;

/** A question with the name that was most likely meant instead of one that is not there; empty where nothing is near, and where it is there. */
export async function suggestPath(jail: Jail, real: string): Promise<string> {
  const folder = await jail.resolveRead(dirname(real));
  if ('refused' in folder) return '';
  const content = await readFolder(folder.path, folder.path, maxNames);
  if ('refused' in content) return '';
  const names = content.entries.map((entry) => entry.name);
  if (names.includes(basename(real))) return '';
  const near = findNearMiss(basename(real), names);
  return near === undefined ? '' : `Did you mean "${jail.toShown(join(folder.path, near))}"? `;
}
