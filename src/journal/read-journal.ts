import { basename } from 'node:path';
import type { JournalEntry } from '../core/run/inputs.ts';
import { RalphError } from '../core/values/errors.ts';
import { refuse } from '../core/values/result.ts';
import type { JournalDamage } from '../ports/journal.ts';
import { type FileFacts, type FileSystem, withHandle } from './file-system.ts';
import { MAX_JOURNAL_LINE_BYTES, parseJournalLine } from './journal-line.ts';
import { scanLines } from './scan-lines.ts';

export interface JournalFile {
  readonly fs: FileSystem;
  /** Of `journal.jsonl`. */
  readonly path: string;
}

export interface JournalExtent {
  /** Of the last good entry, which is also how many there are; 0 in an empty journal. */
  readonly lastSeq: number;
  /** Where the good entries end: the offset for `followJournal`. */
  readonly goodBytes: number;
  /** What stands behind them. While the run is on, a cut last line may only be an entry that is being written. */
  readonly damage: JournalDamage | null;
}

/** The good prefix of a journal, and the fault that ends it: `journal.jsonl: line 7 is cut short`. */
export interface JournalPrefix {
  readonly lastSeq: number;
  readonly goodBytes: number;
  readonly fault: string | null;
}

/**
 * What is known of a journal; `null`: it is not there. A pipe or a folder in its place is nothing that can be read.
 *
 * @throws RalphError `journal-no-file`; the system error
 */
export function findJournal({ fs, path }: JournalFile): FileFacts | null {
  const facts = fs.stat(path);
  if (facts === null || facts.kind === 'file') return facts;
  throw new RalphError({
    code: 'journal-no-file',
    what: `The journal of a run is not a file: ${path}`,
    why: `${facts.kind === 'folder' ? 'A folder' : 'A pipe or a device'} is in its place, so nothing of the run can be read.`,
    fix: 'Move it away, and put the journal back if you have it. Other runs are not touched by this: ralph runs',
  });
}

/**
 * Gives the good entries of a journal to `visit`, oldest first, at constant memory, and stops before the first line that is cut or damaged.
 * Changes nothing, so it is safe beside a running run. A journal that is not there (its run was killed before it began) is an empty one.
 *
 * @throws the system error; RalphError `journal-newer`, `journal-no-file`.
 */
export function readJournal(file: JournalFile, visit: (entry: JournalEntry) => void): JournalExtent {
  if (findJournal(file) === null) return { lastSeq: 0, goodBytes: 0, damage: null };
  const { lastSeq, goodBytes, fault } = scanJournal(file, visit);
  if (fault === null) return { lastSeq, goodBytes, damage: null };
  const lostBytes = Math.max(0, (file.fs.stat(file.path)?.sizeBytes ?? 0) - goodBytes);
  return { lastSeq, goodBytes, damage: { goodBytes, lostBytes, message: `${fault}; ${lostBytes} bytes from there on are not read` } };
}

/** Most first lines are shorter. */
const FIRST_LINE_BYTES = 8192;

/** Whether a journal has a first line: without one, its run never began. Throws as `findJournal`. */
export function hasBegun({ fs, path }: JournalFile): boolean {
  if (findJournal({ fs, path }) === null) return false;
  return withHandle(fs, fs.open(path, 'read'), (handle) => {
    let lines = 0;
    scanLines({ fs, handle, from: 0, maxLineBytes: MAX_JOURNAL_LINE_BYTES, chunkBytes: FIRST_LINE_BYTES }, () => {
      lines += 1;
      return false;
    });
    return lines > 0;
  });
}

/** Visits the good prefix, or the part of it before byte `toBytes`. */
export function scanJournal({ fs, path }: JournalFile, visit: (entry: JournalEntry) => void, toBytes?: number): JournalPrefix {
  return withHandle(fs, fs.open(path, 'read'), (handle) => {
    let lastSeq = 0;
    let fault: string | null = null;
    const scan = { fs, handle, from: 0, maxLineBytes: MAX_JOURNAL_LINE_BYTES, ...(toBytes !== undefined && { to: toBytes }) };
    const { nextOffset, restBytes } = scanLines(scan, (line) => {
      const parsed = line === null ? refuse('is longer than an entry can be') : parseJournalLine(line, lastSeq + 1);
      if (!parsed.ok) {
        fault = parsed.refused;
        return false;
      }
      lastSeq = parsed.value.seq;
      visit(parsed.value);
      return true;
    });
    if (restBytes > 0) fault = 'is cut short';
    return { lastSeq, goodBytes: nextOffset, fault: fault === null ? null : `${basename(path)}: line ${lastSeq + 1} ${fault}` };
  });
}
