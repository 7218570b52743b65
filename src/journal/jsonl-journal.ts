import { basename, dirname, join } from 'node:path';
import type { Input, JournalEntry } from '../core/run/inputs.ts';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import type { Journal, JournalDamage } from '../ports/journal.ts';
import { type FileFacts, type FileSystem, makeFolders, readRange, withHandle, writeAll } from './file-system.ts';
import { MAX_JOURNAL_LINE_BYTES, toJournalLine } from './journal-line.ts';
import { findJournal, type JournalFile, scanJournal } from './read-journal.ts';

/**
 * Up to this size a journal is kept in memory, so that it can be written anew; of a larger one only a handle is kept open, which does not help where the
 * file is cut.
 */
const MAX_KEPT_BYTES = 32 << 20;
const CHUNK_BYTES = 1 << 20;

interface JournalToWrite extends JournalFile {
  /** Absolute path of a folder that is made when the file is lost under the run: `journal.jsonl` in it holds what was recorded. */
  readonly rescueFolder?: string;
}

export interface OpenedJournal {
  readonly journal: Journal;
  /** Of the last entry that was already there; 0 in a new journal. */
  readonly lastSeq: number;
  /** What had to be set aside; `null` for a sound journal. */
  readonly damage: JournalDamage | null;
}

/**
 * Opens a run's journal for writing, making it when it is missing. Whatever stands behind the last good entry is copied to
 * `journal.jsonl.damaged-<n>`, cut off and named in `damage`. The caller holds the run's lock: there is one writer at a time.
 * From then on the file is watched: where it is gone, cut or exchanged, the next entry is refused (`journal-lost`).
 *
 * @param visit is given every good entry on the way, which saves a second pass when a run goes on.
 * @throws the system error; RalphError `journal-newer`, `journal-no-file`.
 */
export function openJsonlJournal(file: JournalToWrite, visit: (entry: JournalEntry) => void = () => {}): OpenedJournal {
  const { fs, path } = file;
  const isNew = findJournal(file) === null;
  if (isNew) makeFolders(fs, dirname(path));
  const found = isNew ? { lastSeq: 0, goodBytes: 0, fault: null } : scanJournal(file, visit);
  const damage = found.fault === null ? null : repairJournal(file, found.goodBytes, found.fault);
  const handle = fs.open(path, 'append');
  let watch: JournalWatch;
  try {
    // Also for a file that was there: its maker may have died before its name was on disk, and then the name would be lost with all entries.
    fs.syncFolder(dirname(path));
    watch = watchJournal(file, found.goodBytes);
  } catch (error) {
    fs.close(handle);
    throw error;
  }
  return { journal: createJournal({ file, handle, watch }, found.lastSeq, found.goodBytes), lastSeq: found.lastSeq, damage };
}

interface OpenJournal {
  readonly file: JournalToWrite;
  readonly handle: number;
  readonly watch: JournalWatch;
}

function createJournal({ file, handle, watch }: OpenJournal, seqAtStart: number, bytesAtStart: number): Journal {
  const { fs } = file;
  let lastSeq = seqAtStart;
  let goodBytes = bytesAtStart;
  let isOpen = true;
  /** The failed write that could not be taken back. */
  let broken: { readonly cause: unknown } | null = null;

  const append = (input: Input): JournalEntry => {
    if (!isOpen || broken !== null) throw toRefusal(broken);
    const line = toJournalLine(lastSeq + 1, input);
    if (line.length > MAX_JOURNAL_LINE_BYTES) throw toTooLongError(line.length);
    watch.check();
    try {
      writeAll(fs, handle, line);
      fs.sync(handle);
    } catch (error) {
      if (!canTakeBack(fs, handle, goodBytes)) broken = { cause: error };
      throw error;
    }
    watch.note(line);
    goodBytes += line.length;
    lastSeq += 1;
    return { seq: lastSeq, input };
  };

  const read = (visit: (entry: JournalEntry) => void): void => {
    const found = scanJournal(file, visit, goodBytes);
    if (found.lastSeq !== lastSeq) throw toDamagedError(found.fault ?? 'it became shorter');
  };

  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    watch.close();
    fs.close(handle);
  };

  return { append, check: watch.check, read, close };
}

/** After a failed write: nothing of the entry may be read later, by this process or by another after a power loss. */
function canTakeBack(fs: FileSystem, handle: number, goodBytes: number): boolean {
  return tryOr(() => {
    fs.truncate(handle, goodBytes);
    fs.sync(handle);
    return true;
  }, false);
}

function toRefusal(broken: { readonly cause: unknown } | null): RalphError {
  if (broken === null) return new RalphError({ code: 'journal-closed', what: "The run's journal is closed." });
  return new RalphError({
    code: 'journal-broken',
    what: "The run's journal takes no more entries: an earlier write failed and could not be undone.",
    why: 'An entry after a half-written one could never be read again.',
    fix: 'Free disk space or repair the disk, then: ralph resume',
    cause: broken.cause,
  });
}

function toTooLongError(lengthBytes: number): RalphError {
  const what = `A journal entry of ${lengthBytes} bytes is over the limit of ${MAX_JOURNAL_LINE_BYTES} bytes.`;
  return new RalphError({ code: 'journal-entry-too-long', what });
}

function toDamagedError(fault: string): RalphError {
  return new RalphError({
    code: 'journal-damaged',
    what: `The run's journal was changed or damaged while the run was on: ${fault}.`,
    why: 'Entries that had been written safely can no longer be read.',
    fix: 'Stop the run, then: ralph resume (the damaged part is set aside beside the journal)',
  });
}

interface JournalWatch {
  /**
   * Looks whether it still is like that; costs one `stat`.
   *
   * @throws RalphError `journal-lost`, after what was recorded was rescued
   */
  readonly check: () => void;
  readonly note: (line: Buffer) => void;
  readonly close: () => void;
}

/** Watches a journal that was just opened for writing and holds `goodBytes` bytes, all of them good. Throws the system error. */
function watchJournal(file: JournalToWrite, goodBytes: number): JournalWatch {
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
    // A folder that was moved or removed as a whole took its journal along. The run, which works there, tells that; nothing is made anew in the old place.
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
function isPlaceGone({ fs, rescueFolder }: JournalToWrite): boolean {
  return rescueFolder !== undefined && fs.stat(join(rescueFolder, '..', '..', '..')) === null;
}

/** Joins the pieces once they are many. */
function shorten(pieces: readonly Buffer[]): readonly Buffer[] {
  return pieces.length < 500 ? pieces : [Buffer.concat(pieces)];
}

function lookAt(fs: FileSystem, path: string): FileFacts | null {
  return tryOr(() => fs.stat(path), null);
}

/** Writes what was recorded into the rescue folder; `null` where that cannot be done. */
function rescue({ fs, rescueFolder }: JournalToWrite, bytes: Buffer): string | null {
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

function toLost(fault: string, { path }: JournalToWrite, rescued: string | null): RalphError {
  return new RalphError({
    code: 'journal-lost',
    what: `the journal of the run ${fault} while the run was on`,
    why: 'What is recorded from now on could not be read after it.',
    fix: rescued === null ? `bring ${dirname(path)} back: what it held could not be written elsewhere` : `what it held is in ${rescued}`,
  });
}

/**
 * Copies what stands behind the good entries into the first free `journal.jsonl.damaged-<n>`, and only when the copy is on disk
 * cuts it off the journal. Throws the system error; then the journal is as it was.
 */
function repairJournal({ fs, path }: JournalFile, goodBytes: number, fault: string): JournalDamage {
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
  // A copy in part does no harm: the journal still holds everything.
  quietly(() => fs.unlink(path));
}
