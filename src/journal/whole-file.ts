import { dirname } from 'node:path';
import { toErrorCode } from '../core/index.ts';
import type { FileSystem } from './file-system.ts';

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
  try {
    fs.close(handle);
  } catch {
    // The first error is the one that tells something.
  }
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
    // Somebody else may have made it a moment ago.
    if (toErrorCode(error) !== 'EEXIST' || fs.stat(path)?.kind !== 'folder') throw error;
  }
  fs.syncFolder(parent);
}
