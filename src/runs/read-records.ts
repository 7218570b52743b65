import type { Input, JournalEntry } from '../core/run/inputs.ts';
import type { RecordCursor, RunRecord } from '../core/run/run-record.ts';
import type { RunState } from '../core/run/state.ts';
import { createJournalReader, followJournal } from '../journal/follow-journal.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { createJournalFold, type JournalFold } from '../loop/decide/decide.ts';

interface Replayed {
  readonly fold: JournalFold;
  readonly state: RunState;
  readonly bytes: number;
}

/** Gives every input and effect so far, oldest first. */
export function replay(paths: RunPaths, visit: (record: RunRecord) => void): Replayed {
  const fold = createJournalFold();
  const { goodBytes } = readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => tell(fold, entry, visit));
  return { fold, state: fold.run().state, bytes: goodBytes };
}

/** About so much of a journal is read at once. */
const READ_BYTES = 256 << 10;

/**
 * The records of a run behind the input `afterSeq`; what is before it is folded in silence.
 *
 * @param toShown what is made of each input before anything follows from it
 */
export function readRecords(paths: RunPaths, afterSeq: number, toShown: (input: Input) => Input = (input) => input): RecordCursor {
  const readOn = createJournalReader({ fs: nodeFileSystem, path: paths.journal }, 0);
  const fold = createJournalFold();
  let seq = 0;
  const read = (): readonly RunRecord[] => {
    const records: RunRecord[] = [];
    let bytes = 0;
    readOn((entry, lengthBytes) => {
      ({ seq } = entry);
      tell(fold, { seq, input: toShown(entry.input) }, (record) => void (seq > afterSeq && records.push(record)));
      bytes += seq > afterSeq ? lengthBytes : 0;
      return bytes < READ_BYTES;
    });
    return records;
  };
  return { read, seq: () => seq };
}

/** One entry as observers see it: the input, then what was decided on it. */
function tell(fold: JournalFold, entry: JournalEntry, visit: (record: RunRecord) => void): void {
  const effects = fold.take(entry);
  visit({ kind: 'input', seq: entry.seq, input: entry.input });
  for (const effect of effects) visit({ kind: 'effect', seq: entry.seq, at: entry.input.at, effect });
}

/** Follows until the run has ended, or the signal comes. */
export async function follow(paths: RunPaths, visit: (record: RunRecord) => void, signal: AbortSignal): Promise<void> {
  const { fold, state, bytes } = replay(paths, visit);
  if (state.status === 'ended') return;
  const done = new AbortController();
  const stop = (): void => done.abort();
  signal.addEventListener('abort', stop, { once: true });
  await followJournal(
    { fs: nodeFileSystem, path: paths.journal },
    bytes,
    (entry) => {
      tell(fold, entry, visit);
      if (fold.run().state.status === 'ended') stop();
    },
    done.signal,
  );
  signal.removeEventListener('abort', stop);
}

/** What of a journal cannot be read, in words; `null` for nothing. */
export function findDamage({ journal }: RunPaths): string | null {
  const { damage } = readJournal({ fs: nodeFileSystem, path: journal }, () => undefined);
  return damage?.message ?? null;
}
