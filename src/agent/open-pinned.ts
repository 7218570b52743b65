import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { type PathRefusal, quotePath } from './check-path-text.ts';
import { explainFileError } from './explain-file-error.ts';

/** What is to be opened. */
export type PinnedKind = 'file' | 'folder';

const FLAGS: Readonly<Record<PinnedKind, number>> = {
  file: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  folder: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY,
};

/**
 * Opens for reading what a jail has allowed, and makes sure that it is that: no link, a regular file (or a folder), and still in its place. What
 * becomes of the name afterwards does not matter: the handle stays with what was checked. The caller closes it.
 *
 * @param real as the jail resolved it.
 * @param shownPath as it stands in messages.
 */
export async function openPinned(real: string, kind: PinnedKind, shownPath: string): Promise<FileHandle | PathRefusal> {
  try {
    const before = await lstat(real);
    if (kind === 'file' ? !before.isFile() : !before.isDirectory()) return refuseKind(kind, shownPath, before);
    const handle = await open(real, FLAGS[kind]);
    if (await isStillAt(handle, real, before)) return handle;
    await handle.close();
    return refuseSwapped(shownPath);
  } catch (error) {
    return explainFileError(error, shownPath);
  }
}

/** The system's own path to what is open: names below it cannot be moved away by somebody who swaps a folder. `null` where there is no such thing. */
export async function toPinnedPath(handle: FileHandle): Promise<string | null> {
  const path = `/proc/self/fd/${handle.fd}`;
  return (await readPlace(path)) === null ? null : path;
}

/** True when the handle holds what the path leads to, without a link on the way. Never rejects. */
export async function isStillAt(handle: FileHandle, real: string, expected?: { dev: number; ino: number }): Promise<boolean> {
  try {
    return await isInPlace(handle, real, expected);
  } catch {
    return false;
  }
}

async function isInPlace(handle: FileHandle, real: string, expected?: { dev: number; ino: number }): Promise<boolean> {
  const found = await handle.stat();
  if (expected !== undefined && (found.dev !== expected.dev || found.ino !== expected.ino)) return false;
  const place = await readPlace(`/proc/self/fd/${handle.fd}`);
  if (place !== null) return place === real;
  if ((await realpath(real)) !== real) return false;
  const now = await lstat(real);
  return now.dev === found.dev && now.ino === found.ino;
}

async function readPlace(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch {
    return null;
  }
}

/** What is said when something moved between the check and the use. */
export function refuseSwapped(shownPath: string): PathRefusal {
  return {
    refused: `${quotePath(shownPath)} was replaced by something else while it was being opened.`,
    advice: 'Nothing was read or written. Look at the folder again and retry.',
  };
}

interface FileKind {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function refuseKind(kind: PinnedKind, shownPath: string, found: FileKind): PathRefusal {
  const shown = quotePath(shownPath);
  if (found.isDirectory()) {
    return { refused: `${shown} is a folder, not a file.`, advice: 'Give the path of a file; list_files shows what is in the folder.' };
  }
  if (found.isFile()) return { refused: `${shown} is a file, not a folder.`, advice: 'Give the path of a folder; read_file reads a file.' };
  if (found.isSymbolicLink()) return refuseSwapped(shownPath);
  const what = found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device';
  return { refused: `${shown} is ${what}, no ${kind}.`, advice: 'Only regular files and folders can be used.' };
}
