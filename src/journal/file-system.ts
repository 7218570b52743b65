import { dirname } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { quietly } from '../core/values/result.ts';

/** What stands at a path. `other`: a symbolic link (in lists only), a pipe, a device, a socket. */
export type FileKind = 'file' | 'folder' | 'other';

/**
 * How a file is opened. `read`: must exist. `append`: made when missing, every write goes to its end.
 * `create`: must not exist (`EEXIST`), written from its start.
 */
export type OpenMode = 'read' | 'append' | 'create';

export interface FileFacts {
  readonly kind: FileKind;
  readonly sizeBytes: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** The same for the same file, whatever it is called. */
  readonly id: string;
  /** Epoch milliseconds of the last change of any kind, which no program can put back. */
  readonly changedAt: number;
}

export interface FolderItem {
  readonly name: string;
  readonly kind: FileKind;
}

/**
 * The few calls by which this room touches a disk, so that tests can make every one of them fail.
 * All are synchronous: the loop has one thing to do at a time, and an awaited append costs more than the write itself.
 *
 * Contract: each call does one system call's work and throws the system's error (`code`: `ENOSPC`, `EIO`, …). A write may be short.
 * Only what `sync` (file content) or `syncFolder` (names in a folder) returned for survives a power loss.
 */
export interface FileSystem {
  /** Returns a handle. `permissions` count for new files only, default 0o666 less the process's mask. */
  readonly open: (path: string, mode: OpenMode, permissions?: number) => number;
  readonly close: (handle: number) => void;
  /** Fills `into` from byte `at` on; returns how many bytes came, 0 at the end. */
  readonly read: (handle: number, into: Uint8Array, at: number) => number;
  /** Returns how many bytes were taken. */
  readonly write: (handle: number, bytes: Uint8Array) => number;
  /** Content and size are on disk when it returns. */
  readonly sync: (handle: number) => void;
  readonly truncate: (handle: number, sizeBytes: number) => void;
  /** `null` when nothing is there. Follows symbolic links. */
  readonly stat: (path: string) => FileFacts | null;
  /** Replaces a file at `to` in one step. */
  readonly rename: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
  /** One level; throws `EEXIST`. */
  readonly makeFolder: (path: string, permissions?: number) => void;
  /** In no particular order. */
  readonly list: (path: string) => readonly FolderItem[];
  /** The names in the folder are on disk when it returns. */
  readonly syncFolder: (path: string) => void;
  /** Calls `onChange` when the file may have changed, until the returned function is called. A hint: changes may be missed. */
  readonly watch: (path: string, onChange: () => void) => () => void;
}

/** Calls `use` with an open handle and closes it, whatever happens. */
export function withHandle<T>(fs: FileSystem, handle: number, use: (handle: number) => T): T {
  let result: T;
  try {
    result = use(handle);
  } catch (error) {
    closeQuietly(fs, handle);
    throw error;
  }
  fs.close(handle);
  return result;
}

function closeQuietly(fs: FileSystem, handle: number): void {
  // The first error is the one that tells something.
  quietly(() => fs.close(handle));
}

/** Writes all bytes, going on after a short write. Throws the system error. */
export function writeAll(fs: FileSystem, handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = fs.write(handle, bytes.subarray(done));
    if (count === 0) throw Object.assign(new Error('ENOSPC: the disk took nothing of a write'), { code: 'ENOSPC' });
    done += count;
  }
}

/** The content of a small file, at most `maxBytes` of it; `null` when nothing is there. Throws the system error. */
export function readSmallFile(fs: FileSystem, path: string, maxBytes: number): Buffer | null {
  if (fs.stat(path) === null) return null;
  let handle: number;
  try {
    handle = fs.open(path, 'read');
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return withHandle(fs, handle, () => readRange(fs, handle, 0, maxBytes));
}

/** Up to `lengthBytes` bytes from byte `from` on. */
export function readRange(fs: FileSystem, handle: number, from: number, lengthBytes: number): Buffer {
  const pieces: Buffer[] = [];
  let left = lengthBytes;
  while (left > 0) {
    const piece = Buffer.allocUnsafe(Math.min(left, 1 << 16));
    const count = fs.read(handle, piece, from + lengthBytes - left);
    if (count === 0) break;
    pieces.push(piece.subarray(0, count));
    left -= count;
  }
  return Buffer.concat(pieces);
}

/**
 * Writes a file so that at any moment, also after a power loss, there is the old content or the new one, whole.
 * One writer at a time: the name of the temporary file is fixed, so that a crash leaves at most one behind. Throws the system error.
 */
export function writeFileAtomically(fs: FileSystem, path: string, text: string, permissions = 0o666): void {
  const temporary = `${path}.tmp`;
  if (fs.stat(temporary) !== null) fs.unlink(temporary);
  withHandle(fs, fs.open(temporary, 'create', permissions), (handle) => {
    writeAll(fs, handle, Buffer.from(text));
    fs.sync(handle);
  });
  fs.rename(temporary, path);
  fs.syncFolder(dirname(path));
}

/** Makes a folder and those above it, and makes their names last. Throws the system error. */
export function makeFolders(fs: FileSystem, path: string): void {
  if (fs.stat(path)?.kind === 'folder') return;
  const parent = dirname(path);
  if (parent !== path) makeFolders(fs, parent);
  try {
    fs.makeFolder(path);
  } catch (error) {
    // Another process may have made it a moment ago.
    if (toErrorCode(error) !== 'EEXIST' || fs.stat(path)?.kind !== 'folder') throw error;
  }
  fs.syncFolder(parent);
}
