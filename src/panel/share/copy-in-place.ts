import { constants } from 'node:fs';
import { copyFile, type FileHandle, lstat, open, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { toErrorCode } from '../../core/values/errors.ts';

/** What came of a file. */
export type CopiedFile = 'copied' | 'unreadable' | 'too-large';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Copies a regular file if it really is where its path says. A program of an agent may put a link in the place of a file or of a folder above it at any
 * moment, and what it must not read itself would reach it by the copy. Content is shared where the file system can.
 *
 * @param from without links
 * @param fits told the size before anything is written
 * @throws the system's error where the copy cannot be written
 */
export async function copyInPlace(from: string, to: string, fits: (bytes: number) => boolean): Promise<CopiedFile> {
  const handle = await open(from, FLAGS).catch(() => null);
  if (handle === null) return 'unreadable';
  try {
    const stats = await handle.stat();
    const place = await readPlace(handle);
    if (!stats.isFile() || !(place === null ? await isNamed(handle, from) : place === from)) return 'unreadable';
    if (!fits(stats.size)) return 'too-large';
    if (place === null) await writeFile(to, handle.createReadStream({ autoClose: false }), { flag: 'wx', mode: stats.mode & 0o777 });
    else await copyFile(toPinned(handle), to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    return 'copied';
  } catch (error) {
    if (!UNREADABLE.includes(toErrorCode(error))) throw error;
    await rm(to, { force: true });
    return 'unreadable';
  } finally {
    await handle.close();
  }
}

/** It is gone, or not for us. */
const UNREADABLE = ['ENOENT', 'EACCES', 'EPERM', 'EIO', 'ESTALE'];

/** The system's own path to what is open, which stays right whatever becomes of its name. Not every system has such paths. */
function toPinned(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

function readPlace(handle: FileHandle): Promise<string | null> {
  return readlink(toPinned(handle)).catch(() => null);
}

/** Whether a path leads to what is open, without a link on the way. Asked in two steps: somebody who is quick enough between them is not found out. */
async function isNamed(handle: FileHandle, path: string): Promise<boolean> {
  if ((await realpath(path).catch(() => null)) !== path) return false;
  const [opened, named] = [await handle.stat(), await lstat(path).catch(() => null)];
  return named !== null && named.dev === opened.dev && named.ino === opened.ino;
}
