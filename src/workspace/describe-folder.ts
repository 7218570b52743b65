import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { encodeNames } from './file-names.ts';

/** More files than this are not looked at: the answer would come too late to be of use. */
export const MAX_DESCRIBED_ENTRIES = 20_000;

/** So many in a row before something else may happen in the process: to ask for each in the background costs more than the answer. */
const SLICE = 1000;

/** What is somebody else's, wherever it lies. */
const foreignFolders = ['node_modules', '.git'];

/**
 * A text that changes when a file below a folder is written, made, renamed or deleted, by size and time. Symbolic links are not
 * followed; `node_modules`, `.git` and the given folders are passed over.
 *
 * @param maxEntries files and folders together.
 * @returns null when the folder cannot be read or holds too much to tell.
 */
export async function describeFolder(
  folder: string,
  passOver: readonly string[],
  maxEntries: number = MAX_DESCRIBED_ENTRIES,
): Promise<string | null> {
  const skipped = new Set([...foreignFolders, ...passOver]);
  const hash = createHash('sha256');
  const waiting = [''];
  let left = maxEntries;
  let seen = 0;
  for (let relative = waiting.pop(); relative !== undefined; relative = waiting.pop()) {
    const inside = relative === '' ? '' : `${relative}/`;
    const entries = listFolder(join(folder, relative));
    // A folder inside may vanish while it is being looked at, or be closed to us; the workspace itself may not.
    if (entries === undefined && relative === '') return null;
    const kept = (entries ?? []).filter((entry) => !skipped.has(entry.name));
    left -= kept.length;
    if (left < 0) return null;
    const names = kept.filter((entry) => entry.isDirectory()).map((entry) => `${inside}${entry.name}`);
    waiting.push(...names);
    for (const entry of kept) {
      const path = `${inside}${entry.name}`;
      hash.update(`${path}\0${describeFile(`${folder}/${path}`)}\0`);
      seen += 1;
      if (seen % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function listFolder(path: string): Dirent[] | undefined {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

/** Size, time and mode of one file; empty when it is not there or cannot be looked at. */
export function describeFile(path: string): string {
  try {
    return toStatsText(lstatSync(encodeNames(path), { throwIfNoEntry: false }));
  } catch {
    return '';
  }
}

function toStatsText(stats: Stats | undefined): string {
  if (stats === undefined) return '';
  // The size and time of a folder say only that something in it was made or deleted, which its own entries say as well.
  return stats.isDirectory() ? 'folder' : `${stats.mode} ${stats.size} ${stats.mtimeMs}`;
}
