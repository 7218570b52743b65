import { dirname } from 'node:path';
import { type Input, RalphError } from '../core/index.ts';
import type { Journal, JournalDamage, JournalEntry } from '../ports/index.ts';
import type { FileSystem } from './file-system.ts';
import { MAX_JOURNAL_LINE_BYTES, toJournalLine } from './journal-line.ts';
import { type JournalWatch, type WatchedJournal, watchJournal } from './journal-watch.ts';
import { scanJournal } from './read-journal.ts';
import { repairJournal } from './repair-journal.ts';
import { makeFolders, writeAll } from './whole-file.ts';

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
 *
 * @param visit is given every good entry on the way, which saves a second pass when a run goes on.
 * From then on the file is watched: where it is gone, cut or exchanged, the next entry is refused (`journal-lost`).
 *
 * @throws the system error; RalphError `journal-newer`.
 */
export function openJsonlJournal(file: WatchedJournal, visit: (entry: JournalEntry) => void = () => {}): OpenedJournal {
  const { fs, path } = file;
  const isNew = fs.stat(path) === null;
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

interface OpenFile {
  readonly file: WatchedJournal;
  readonly handle: number;
  readonly watch: JournalWatch;
}

function createJournal({ file, handle, watch }: OpenFile, seqAtStart: number, bytesAtStart: number): Journal {
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
  try {
    fs.truncate(handle, goodBytes);
    fs.sync(handle);
    return true;
  } catch {
    return false;
  }
}

function toRefusal(broken: { readonly cause: unknown } | null): RalphError {
  if (broken === null) return new RalphError({ code: 'journal-closed', what: "The run's journal is closed." });
  return new RalphError({
    code: 'journal-broken',
    what: "The run's journal takes no more entries: an earlier write failed and could not be undone.",
    why: 'An entry behind a half-written one could never be read again.',
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
