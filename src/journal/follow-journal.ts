import type { JournalEntry } from '../core/run/inputs.ts';
import { tryOr } from '../core/values/result.ts';
import { withHandle } from './file-system.ts';
import { MAX_JOURNAL_LINE_BYTES, parseJournalLine } from './journal-line.ts';
import { findJournal, type JournalFile } from './read-journal.ts';
import { scanLines } from './scan-lines.ts';

/** Changes that the watch missed are seen after this time. */
const POLL_MS = 250;

/**
 * Gives the entries from a byte of the journal on to `onEntry`, and goes on as they are written, until `signal` aborts; then it resolves.
 * The journal may not exist yet. A cut or damaged line is waited for: it is being written, or a resume will cut it off.
 * Rejects with the system error, RalphError `journal-newer`, `journal-no-file`, or what `onEntry` throws.
 */
export function followJournal(
  file: JournalFile,
  fromBytes: number,
  onEntry: (entry: JournalEntry) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = createJournalReader(file, fromBytes);
    const readOn = (): void =>
      reader((entry) => {
        onEntry(entry);
        return !signal.aborted;
      });
    let stopWatching: (() => void) | null = null;
    let timer: NodeJS.Timeout | null = null;
    const finish = (settle: () => void): void => {
      if (timer !== null) clearInterval(timer);
      stopWatching?.();
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = (): void => finish(resolve);
    const poll = (): void => {
      if (signal.aborted) return;
      try {
        readOn();
        // `onEntry` may have ended it.
        if (!signal.aborted) stopWatching ??= tryWatch(file, poll);
      } catch (error) {
        finish(() => reject(error));
      }
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', onAbort);
    timer = setInterval(poll, POLL_MS);
    poll();
  });
}

/** `null` where nothing can be watched yet, or ever: the poll sees it too. */
function tryWatch({ fs, path }: JournalFile, onChange: () => void): (() => void) | null {
  return tryOr(() => fs.watch(path, onChange), null);
}

/**
 * A function that reads what has become readable since its last call, until `onEntry` says that it is enough: `false`. Where a repair cut off entries
 * that had been told, it goes on with what is written in their place.
 *
 * @param fromBytes where to begin: the start of an entry
 */
export function createJournalReader(
  { fs, path }: JournalFile,
  fromBytes: number,
): (onEntry: (entry: JournalEntry, lengthBytes: number) => boolean) => void {
  let offset = fromBytes;
  let nextSeq: number | null = null;
  return (onEntry): void => {
    const sizeBytes = findJournal({ fs, path })?.sizeBytes ?? offset;
    if (sizeBytes < offset) {
      offset = sizeBytes;
      nextSeq = null;
    }
    if (sizeBytes === offset) return;
    let isEnough = false;
    withHandle(fs, fs.open(path, 'read'), (handle) => {
      scanLines({ fs, handle, from: offset, maxLineBytes: MAX_JOURNAL_LINE_BYTES }, (line, lineOffset, lengthBytes) => {
        const parsed = line === null || isEnough ? null : parseJournalLine(line, nextSeq);
        if (parsed === null || !parsed.ok) return false;
        nextSeq = parsed.value.seq + 1;
        offset = lineOffset + lengthBytes + 1;
        isEnough = !onEntry(parsed.value, lengthBytes);
        return !isEnough;
      });
    });
  };
}
