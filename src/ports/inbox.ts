import type { EventSignal, RalphEvent, SignalProblem } from '../core/events/event.ts';

export interface InboxBatch {
  readonly signals: readonly EventSignal[];
  readonly problems: readonly SignalProblem[];
  /** Where the next read begins, in bytes. */
  readonly offset: number;
  /** More is there than one read takes. */
  readonly isFull?: boolean;
}

/** What a jump to the end of the file leaves unread. */
export interface SkippedLines {
  readonly lines: number;
  readonly bytes: number;
  readonly offset: number;
}

/**
 * A file of events: the one in which agents publish (`.agent/events.jsonl`), or the run's own for people.
 *
 * Contract: `read` never throws and loses no good line, whatever was written; a torn last line is left for the next read, unless
 * `final` is set: then it is closed (a line break is appended) and reported or taken. Reading starts again at 0 where the file became shorter.
 * One read takes a bounded part of the file, as it was when the read began.
 */
export interface Inbox {
  /** The end of the file now: where a new run begins to read. */
  readonly end: () => number;
  readonly read: (offset: number, options: { readonly final: boolean }) => InboxBatch;
  /** False where the file ends at this place, so that there is nothing to read. Costs one look at the file; never throws. */
  readonly hasMore: (offset: number) => boolean;
  /** Goes to the end of the file as it is now and counts the lines on the way, at bounded memory. Never throws. */
  readonly skip: (offset: number) => SkippedLines;
  /** Writes a record for agents to see. It is never read back. */
  readonly append: (event: RalphEvent) => void;
}
