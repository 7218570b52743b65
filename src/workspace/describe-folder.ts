import { createHash, type Hash } from 'node:crypto';
import { type Dirent, lstatSync, type Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** More files than this are not looked at: the answer would come too late to be of use. */
export const MAX_DESCRIBED_ENTRIES = 20_000;

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
  for (let relative = waiting.pop(); relative !== undefined; relative = waiting.pop()) {
    const entries = await listFolder(join(folder, relative));
    // A folder inside may vanish while it is being looked at, or be closed to us; the workspace itself may not.
    if (entries === undefined && relative === '') return null;
    const kept = (entries ?? []).filter((entry) => !skipped.has(entry.name));
    left -= kept.length;
    if (left < 0) return null;
    const names = kept.filter((entry) => entry.isDirectory()).map((entry) => join(relative, entry.name));
    waiting.push(...names);
    await addFiles(hash, folder, relative, kept);
  }
  return hash.digest('hex').slice(0, 32);
}

async function listFolder(path: string): Promise<Dirent[] | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return undefined;
  }
}

async function addFiles(hash: Hash, folder: string, relative: string, entries: readonly Dirent[]): Promise<void> {
  const paths = entries.map((entry) => join(relative, entry.name));
  const stats = await Promise.all(paths.map((path) => lstat(join(folder, path)).catch(() => undefined)));
  for (const [index, path] of paths.entries()) hash.update(`${path}\0${toStatsText(stats[index])}\0`);
}

/** Size, time and mode of one file; empty when it is not there or cannot be looked at. */
export function describeFile(path: string): string {
  try {
    return toStatsText(lstatSync(path));
  } catch {
    return '';
  }
}

function toStatsText(stats: Stats | undefined): string {
  if (stats === undefined) return '';
  // The size and time of a folder say only that something in it was made or deleted, which its own entries say as well.
  return stats.isDirectory() ? 'folder' : `${stats.mode} ${stats.size} ${stats.mtimeMs}`;
}
