import { dirname, join } from 'node:path';
import { RalphError } from '../core/index.ts';
import type { FileFacts, FileSystem } from './file-system.ts';
import type { JournalFile } from './read-journal.ts';
import { makeFolders, readRange, withHandle, writeAll } from './whole-file.ts';

/** A journal is kept in memory up to this size, so that it can be written anew; a larger one only by an open handle, which a cut file is lost to. */
const MAX_KEPT_BYTES = 32 << 20;

/** A journal whose file is watched. */
export interface WatchedJournal extends JournalFile {
  /** Absolute path of a folder that is made when the file is lost under the run: `journal.jsonl` in it holds what was recorded. */
  readonly rescueFolder?: string;
}

/** Knows what the file of a journal must be. */
export interface JournalWatch {
  /**
   * Looks whether it still is; costs one `stat`.
   *
   * @throws RalphError `journal-lost`, after what was recorded was rescued
   */
  readonly check: () => void;
  /** A line was written. */
  readonly note: (line: Buffer) => void;
  readonly close: () => void;
}

/** Watches a journal that was just opened for writing and holds `goodBytes` bytes, all of them good. Throws the system error. */
export function watchJournal(file: WatchedJournal, goodBytes: number): JournalWatch {
  const { fs, path } = file;
  const reader = fs.open(path, 'read');
  let size = goodBytes;
  let kept: Buffer[] | null = goodBytes > MAX_KEPT_BYTES ? null : [readRange(fs, reader, 0, goodBytes)];
  let seen = lookAt(fs, path);
  const id = seen?.id;

  const isContentSame = (): boolean =>
    kept === null || withHandle(fs, fs.open(path, 'read'), (handle) => readRange(fs, handle, 0, size)).equals(Buffer.concat(kept));
  const findFault = (): string | null => {
    const now = fs.stat(path);
    // A folder that was moved or removed as a whole took its journal along: that is told by the run, which works there, and nothing is made anew in its old place.
    if (now === null) return isPlaceGone(file) ? null : 'is gone';
    if (now.id !== id) return 'was exchanged for another file';
    if (now.sizeBytes !== size) return now.sizeBytes < size ? 'was cut' : 'was written to by somebody else';
    if (now.changedAt !== seen?.changedAt && !isContentSame()) return 'was changed';
    seen = now;
    return null;
  };

  return {
    check: () => {
      const fault = findFault();
      if (fault === null) return;
      const bytes = kept === null ? readRange(fs, reader, 0, size) : Buffer.concat(kept);
      throw toLost(fault, file, rescue(file, bytes));
    },
    note: (line) => {
      size += line.length;
      kept = kept === null || size > MAX_KEPT_BYTES ? null : [...shorten(kept), line];
      seen = lookAt(fs, path);
    },
    close: () => fs.close(reader),
  };
}

/** Whether the folder around the folder of state is gone: `<folder>/.ralph/rescue/<run>`. */
function isPlaceGone({ fs, rescueFolder }: WatchedJournal): boolean {
  return rescueFolder !== undefined && fs.stat(join(rescueFolder, '..', '..', '..')) === null;
}

/** A list of many pieces is one piece from time to time. */
function shorten(pieces: readonly Buffer[]): readonly Buffer[] {
  return pieces.length < 500 ? pieces : [Buffer.concat(pieces)];
}

function lookAt(fs: FileSystem, path: string): FileFacts | null {
  try {
    return fs.stat(path);
  } catch {
    return null;
  }
}

/** Writes what was recorded beside; `null` where that cannot be. */
function rescue({ fs, rescueFolder }: WatchedJournal, bytes: Buffer): string | null {
  if (rescueFolder === undefined) return null;
  try {
    makeFolders(fs, dirname(rescueFolder));
    // The ignore file of the state folder may be gone as well.
    put(fs, join(dirname(rescueFolder), '.gitignore'), Buffer.from('*\n'));
    if (fs.stat(rescueFolder) === null) fs.makeFolder(rescueFolder, 0o700);
    put(fs, join(rescueFolder, 'journal.jsonl'), bytes);
    fs.syncFolder(rescueFolder);
    return rescueFolder;
  } catch {
    return null;
  }
}

function put(fs: FileSystem, path: string, bytes: Buffer): void {
  if (fs.stat(path) !== null) fs.unlink(path);
  withHandle(fs, fs.open(path, 'create', 0o600), (handle) => {
    writeAll(fs, handle, bytes);
    fs.sync(handle);
  });
}

function toLost(fault: string, { path }: WatchedJournal, rescued: string | null): RalphError {
  return new RalphError({
    code: 'journal-lost',
    what: `the journal of the run ${fault} while the run was on`,
    why: 'What is recorded from now on could not be read after it.',
    fix: rescued === null ? `bring ${dirname(path)} back: what it held could not be written elsewhere` : `${RESCUED}${rescued}`,
  });
}

const RESCUED = 'what it held is in ';
