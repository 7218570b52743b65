import type { Input, JournalEntry } from '../core/run/inputs.ts';

/** What recovery found: where the good prefix ends and what was wrong after it. */
export interface JournalDamage {
  /** Bytes of the good prefix. */
  readonly goodBytes: number;
  /** Bytes after it, which were set aside. */
  readonly lostBytes: number;
  /** In words, with the line. */
  readonly message: string;
}

/**
 * The append-only list of a run's inputs. One writer at a time.
 *
 * Contract: when `append` returns, the entry is on disk (write-ahead) and every later `read` sees it; entries come back in order,
 * a prefix after any crash. `append` throws the system error when it cannot write; then nothing of that entry is ever read.
 */
export interface Journal {
  readonly append: (input: Input) => JournalEntry;
  /** Throws a `RalphError` where what was appended can no longer be read: the file is gone, cut or exchanged. Absent: that is not checked. */
  readonly check?: () => void;
  /**
   * Resolves when all that was appended is where others can go on with it; nothing follows from an entry before. Rejects where that cannot be had. Absent: nobody else has to
   * know it.
   */
  readonly settled?: () => Promise<void>;
  /** Gives every entry to `visit`, oldest first, at constant memory. */
  readonly read: (visit: (entry: JournalEntry) => void) => void;
  readonly close: () => void;
}
