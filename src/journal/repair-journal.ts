import { basename, dirname } from 'node:path';
import { toErrorCode } from '../core/index.ts';
import type { JournalDamage } from '../ports/index.ts';
import type { FileSystem } from './file-system.ts';
import type { JournalFile } from './read-journal.ts';
import { withHandle, writeAll } from './whole-file.ts';

const CHUNK_BYTES = 1 << 20;

/**
 * Copies what stands behind the good entries into the first free `journal.jsonl.damaged-<n>`, and only when the copy is on disk
 * cuts it off the journal. Throws the system error; then the journal is as it was.
 */
export function repairJournal({ fs, path }: JournalFile, goodBytes: number, fault: string): JournalDamage {
  const aside = createAside(fs, path);
  let lostBytes: number;
  try {
    lostBytes = withHandle(fs, aside.handle, (handle) => copyRest(fs, path, goodBytes, handle));
  } catch (error) {
    discard(fs, aside.path);
    throw error;
  }
  fs.syncFolder(dirname(path));
  withHandle(fs, fs.open(path, 'append'), (handle) => {
    fs.truncate(handle, goodBytes);
    fs.sync(handle);
  });
  return { goodBytes, lostBytes, message: `${fault}; ${lostBytes} bytes were set aside in ${basename(aside.path)}` };
}

function createAside(fs: FileSystem, path: string): { readonly path: string; readonly handle: number } {
  for (let number = 1; ; number += 1) {
    const asidePath = `${path}.damaged-${number}`;
    try {
      return { path: asidePath, handle: fs.open(asidePath, 'create') };
    } catch (error) {
      if (toErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function copyRest(fs: FileSystem, path: string, from: number, to: number): number {
  return withHandle(fs, fs.open(path, 'read'), (handle) => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let position = from;
    for (let count = fs.read(handle, chunk, position); count > 0; count = fs.read(handle, chunk, position)) {
      writeAll(fs, to, chunk.subarray(0, count));
      position += count;
    }
    fs.sync(to);
    return position - from;
  });
}

function discard(fs: FileSystem, path: string): void {
  try {
    fs.unlink(path);
  } catch {
    // A copy in part does no harm: the journal still holds everything.
  }
}
