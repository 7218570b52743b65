import type { WorkConflict } from '../core/run/turn.ts';
import type { Inbox } from './inbox.ts';
import type { AskBox } from './steering.ts';

export interface TakenOver {
  /** Nothing was brought into the folder; absent where all was. */
  readonly conflict?: WorkConflict;
  /** What was thrown away, because it was not to be made; absent: nothing. */
  readonly discarded?: readonly string[];
}

/**
 * Copies of the folder, each of which a turn has to itself while others work; known by their names.
 *
 * Contract: the caller sees to it that nothing else changes the folder while one is opened or taken over.
 */
export interface WorkCopies {
  /** The events file in it. */
  readonly inboxOf: (name: string) => Inbox;
  /** How programs of its turn ask people. */
  readonly asksOf: (name: string) => AskBox;
  /**
   * Makes it, as the folder stands now.
   *
   * @throws RalphError `panel-workspace`; the system's error
   */
  readonly open: (name: string) => Promise<void>;
  /**
   * Brings what was made in it into the folder, all or nothing, and removes it; what is not brought in is kept under another name. One that was never made to its
   * end, or is taken over already, is nothing to do. After a crash it is called again, and says the same of one that is kept. Never rejects.
   *
   * @param isDiscarded nothing was to be changed in it: what was, is thrown away and named
   */
  readonly takeOver: (name: string, isDiscarded: boolean) => Promise<TakenOver>;
}
