import type { GateResult } from '../gates/gate-result.ts';
import type { WorkConflict } from './turn.ts';

/** What a hat is told at its next turn about what became of its last one. */
export type Feedback =
  | { readonly kind: 'refused'; readonly topic: string; readonly allowed: readonly string[] }
  | { readonly kind: 'payload-refused'; readonly topic: string; readonly why: string }
  | { readonly kind: 'promise-refused'; readonly why: string }
  /** A hook let an event not through. */
  | { readonly kind: 'hook-dropped'; readonly topic: string; readonly why: string }
  /** A hook says something about what the hat published. */
  | { readonly kind: 'hook-told'; readonly topic: string; readonly text: string }
  /** `by` declared the work complete while these events of people waited: it does not stand, and is to be declared anew. */
  | { readonly kind: 'completion-held'; readonly by: string; readonly topics: readonly string[] }
  /** `passed`: the event counted all the same, because none of these gates is required. */
  | { readonly kind: 'gate-failed'; readonly topic: string; readonly results: readonly GateResult[]; readonly passed?: boolean }
  /** For who is asked to resolve it: a gate that refused the same hat again and again. */
  | {
      readonly kind: 'gate-stuck';
      readonly hat: string;
      readonly topic: string;
      readonly gate: string;
      readonly count: number;
      readonly failures: readonly GateFailure[];
    }
  /** For who begins: these were red before the first turn. `mayStay`: they may be red at the end, too, but no worse. */
  | {
      readonly kind: 'red-before';
      readonly gates: readonly { readonly command: string; readonly failedTests: number | null; readonly mayStay: boolean }[];
    }
  /** A hat that may not write wrote; `paths` are the first of `total`. `reverted`: how many were taken back, `null` where they stand. `total` 0: nobody could tell. */
  /** It changed what Ralph itself runs or believes. */
  | { readonly kind: 'trusted-changed'; readonly paths: readonly string[] }
  | { readonly kind: 'tree-changed'; readonly paths: readonly string[]; readonly total: number; readonly reverted: number | null }
  /** The turn right before was interrupted; `topics`: what it had written, and nobody got. One for each such turn. */
  | { readonly kind: 'withdrawn'; readonly topics: readonly string[] }
  /** What the turn right before made in its copy of the folder was not taken over: somebody else changed these files, too. */
  | ({ readonly kind: 'conflict' } & WorkConflict)
  /** What was written and did not count: the promise (`topic` is `null`) or an event, with its line. */
  | { readonly kind: 'missed'; readonly topic: string | null; readonly line: string }
  /** For who is called when the queue is empty: a hat that ended well and published nothing. */
  | ({ readonly kind: 'silent' } & SilentTurn)
  /** For who takes over from a hat all of whose events were refused, twice: `topics` are those of its last turn. */
  | { readonly kind: 'refused-twice'; readonly hat: string; readonly topics: readonly string[]; readonly allowed: readonly string[] }
  | { readonly kind: 'malformed'; readonly where: string; readonly message: string; readonly excerpt?: string };

/** A turn that ended well and published nothing. */
export interface SilentTurn {
  readonly hat: string;
  readonly iteration: number;
  /** The first of the events that it had been given; payloads as text, cut to 2,000 characters. */
  readonly events: readonly { readonly id: string; readonly topic: string; readonly payload: string }[];
  /** What it may publish. */
  readonly allowed: readonly string[];
  /** The end of its last message, at most 2,000 characters. */
  readonly words: string;
}

/** Why the coordinator or the recovery hat is called without an event that asks for it. */
export type FallbackCause = 'empty-queue' | 'refused-twice' | 'exhausted' | 'untaken';

/** `runtime` ends the run, `question` answers what nobody answered; the others hold the next turn back. */
export type TimerPurpose = 'runtime' | 'question' | 'cooldown' | 'retry' | 'limit';

/** Failures of one gate in a row for one hat. */
export interface GateStreak {
  /** What people call the gate. */
  readonly gate: string;
  /** How many since it last passed. */
  readonly count: number;
  /** The last of them, oldest first. */
  readonly failures: readonly GateFailure[];
  /** Of a hat with several turns at once: the last request by then. What was asked at the same time shows the same, and is no further failure. */
  readonly upTo?: number;
}

export interface GateFailure {
  readonly iteration: number;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The end of what it said, at most 800 characters. */
  readonly tail: string;
}
