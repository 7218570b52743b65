import type { EventSignal, RalphEvent, SignalProblem } from '../core/index.ts';

/** What was new in the agents' events file. */
export interface InboxBatch {
  readonly signals: readonly EventSignal[];
  readonly problems: readonly SignalProblem[];
  /** Where the next read begins, in bytes. */
  readonly offset: number;
}

/**
 * The file in which agents publish events (`.agent/events.jsonl`).
 *
 * Contract: `read` never throws and loses no good line, whatever was written; a torn last line is left for the next read, unless
 * `final` is set: then it is closed (a line break is appended) and reported or taken. Reading starts again at 0 where the file became shorter.
 */
export interface Inbox {
  /** The end of the file now: where a new run begins to read. */
  readonly end: () => number;
  readonly read: (offset: number, options: { readonly final: boolean }) => InboxBatch;
  /** Writes a record for agents to see. It is never read back. */
  readonly append: (event: RalphEvent) => void;
}
