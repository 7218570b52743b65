import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import type { ReadRecord } from '../tool/tool.ts';
import { explainFileError, quotePath } from './check-path-text.ts';

/** What is to be opened. */
type PinnedKind = 'file' | 'folder';

const FLAGS: Readonly<Record<PinnedKind, number>> = {
  file: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  folder: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY,
};

/**
 * Opens for reading what a jail has allowed, and makes sure that it is no link, a regular file (or a folder), and still in its place. What becomes
 * of the name afterwards does not matter: the handle stays with what was checked. The caller closes it.
 *
 * @param real as the jail resolved it.
 * @param shownPath as it stands in messages.
 */
export async function openPinned(real: string, kind: PinnedKind, shownPath: string): Promise<Result<FileHandle>> {
  try {
    const before = await lstat(real);
    if (kind === 'file' ? !before.isFile() : !before.isDirectory()) return refuse(explainKind(kind, shownPath, before));
    const handle = await open(real, FLAGS[kind]);
    if (await isStillAt(handle, real, before)) return accept(handle);
    await handle.close();
    return refuse(explainSwap(shownPath));
  } catch (error) {
    return refuse(explainFileError(error, shownPath));
  }
}

/** The system's own path to what is open: it stays right when the folder is swapped for another. `null` where the system has none. */
export async function toPinnedPath(handle: FileHandle): Promise<string | null> {
  const path = `/proc/self/fd/${handle.fd}`;
  return (await readPlace(path)) === null ? null : path;
}

/** What a name stands for, whatever the name becomes. */
type FileIdentity = Pick<Stats, 'dev' | 'ino'>;

/** True when the handle holds what the path leads to, without a link on the way. Never rejects. */
export async function isStillAt(handle: FileHandle, real: string, expected?: FileIdentity): Promise<boolean> {
  return isInPlace(handle, real, expected).catch(() => false);
}

async function isInPlace(handle: FileHandle, real: string, expected: FileIdentity | undefined): Promise<boolean> {
  const found = await handle.stat();
  if (expected !== undefined && !isSame(found, expected)) return false;
  const place = await readPlace(`/proc/self/fd/${handle.fd}`);
  if (place !== null) return place === real;
  if ((await realpath(real)) !== real) return false;
  return isSame(found, await lstat(real));
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

async function readPlace(path: string): Promise<string | null> {
  return readlink(path).catch(() => null);
}

/** Why a file is not used: it was replaced between the check and the use. */
export function explainSwap(shownPath: string): Refusal {
  return {
    reason: `${quotePath(shownPath)} was replaced by something else while it was being opened.`,
    advice: 'Nothing was read or written. Look at the folder again and retry.',
  };
}

function explainKind(kind: PinnedKind, shownPath: string, found: Stats): Refusal {
  const shown = quotePath(shownPath);
  if (found.isDirectory()) {
    return { reason: `${shown} is a folder, not a file.`, advice: 'Give the path of a file; list_files shows what is in the folder.' };
  }
  if (found.isFile()) return { reason: `${shown} is a file, not a folder.`, advice: 'Give the path of a folder; read_file reads a file.' };
  if (found.isSymbolicLink()) return explainSwap(shownPath);
  const what = found.isFIFO() ? 'a pipe' : found.isSocket() ? 'a socket' : 'a device';
  return { reason: `${shown} is ${what}, no ${kind}.`, advice: 'Only regular files and folders can be used.' };
}

/** A file and what it was when it was read. */
export interface WholeFile {
  readonly bytes: Buffer;
  readonly record: ReadRecord;
}

/** Why a file was not read; a walk over many files only counts those that are too large. */
export interface FileRefusal extends Refusal {
  readonly isTooLarge?: true;
}

/** What is read whole at most; larger files are read by windows only. */
export const MAX_WHOLE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a file that a jail has allowed, whole.
 *
 * @param real as the jail resolved it.
 */
export async function readWholeFile(real: string, shownPath: string): Promise<Result<WholeFile, FileRefusal>> {
  const opened = await openPinned(real, 'file', shownPath);
  if (!opened.ok) return opened;
  const handle = opened.value;
  try {
    const before = await handle.stat();
    if (before.size > MAX_WHOLE_BYTES) return refuse(explainSize(shownPath, String(before.size)));
    const bytes = await readBytes(handle, MAX_WHOLE_BYTES);
    if (bytes.length > MAX_WHOLE_BYTES) return refuse(explainSize(shownPath, `at least ${bytes.length}`));
    return accept({ bytes, record: { mtimeMs: before.mtimeMs, sizeBytes: bytes.length, sha256: toSha256(bytes) } });
  } catch (error) {
    return refuse(explainFileError(error, shownPath));
  } finally {
    await handle.close();
  }
}

function explainSize(shownPath: string, size: string): FileRefusal {
  return {
    reason: `${quotePath(shownPath)} has ${size} bytes, more than this tool takes (${MAX_WHOLE_BYTES}).`,
    advice: 'Change it with a program of the project, or split it.',
    isTooLarge: true,
  };
}

/** The hash by which a file is known again, hexadecimal. */
export function toSha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Readable {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Reads to the end, which may have moved since the size was asked for; of more than `maxBytes` only enough to tell. */
async function readBytes(handle: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= maxBytes) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, total);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}
