import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink, utimes } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { isWithin } from './confinement.ts';

const MAX_FILES = 500_000;

/** What is copied of a tree. */
export interface CopyRules {
  /** Absolute: not copied. */
  readonly leftOut: string;
  readonly maxBytes: number;
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Copies a folder with its files, links and times; files share their content with the original where the file system can do that. A link that names a path
 * in the folder leads into the copy. Sockets and the like, and what cannot be read, are left out.
 *
 * @returns false where it is too large, or cannot be written; what was copied by then stays
 */
export async function copyTree(from: string, to: string, { leftOut, maxBytes }: CopyRules): Promise<boolean> {
  const entries = await listEntries(from, leftOut, maxBytes);
  if (entries === null) return false;
  try {
    await mkdir(to, { recursive: true });
    for (const { path, stats } of entries) if (stats.isDirectory()) await mkdir(join(to, relative(from, path)), { recursive: true });
    const rest = entries.filter(({ stats }) => !stats.isDirectory());
    let next = 0;
    const work = async (): Promise<void> => {
      for (let entry = rest[next++]; entry !== undefined; entry = rest[next++]) await copyEntry(entry, from, to);
    };
    await Promise.all([work(), work(), work(), work()]);
    for (const { path, stats } of entries) if (stats.isDirectory()) await chmod(join(to, relative(from, path)), stats.mode | 0o700);
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder is small enough to be copied. Writes nothing. */
export async function canCopyTree(from: string, { leftOut, maxBytes }: CopyRules): Promise<boolean> {
  return (await listEntries(from, leftOut, maxBytes)) !== null;
}

async function listEntries(root: string, leftOut: string, maxBytes: number): Promise<readonly Entry[] | null> {
  const entries: Entry[] = [];
  const waiting = [root];
  let bytes = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const stats = path === leftOut ? null : await lstat(path).catch(() => null);
      if (stats === null || !(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink())) continue;
      if (stats.isDirectory()) waiting.push(path);
      bytes += stats.isFile() ? stats.size : 0;
      entries.push({ path, stats });
      if (bytes > maxBytes || entries.length > MAX_FILES) return null;
    }
  }
  return entries;
}

async function copyEntry({ path, stats }: Entry, from: string, to: string): Promise<void> {
  const target = join(to, relative(from, path));
  try {
    if (stats.isSymbolicLink()) {
      const leads = await readlink(path);
      await symlink(isAbsolute(leads) && isWithin(leads, from) ? join(to, relative(from, leads)) : leads, target);
    } else {
      await copyFile(path, target, constants.COPYFILE_FICLONE);
      await utimes(target, stats.atime, stats.mtime);
    }
  } catch (error) {
    // It is gone by now, or nobody but its owner may read it: a check that needs it says so.
    if (!isMissing(error)) throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}
