import type { Attention } from './attention.ts';

/** A run in a list of runs of all folders. */
export interface RunListRow {
  /** Names the run in addresses: letters and digits, the same every time. */
  readonly key: string;
  readonly runId: string;
  /** Where it was started, as a person would write it: `~/work/site`. */
  readonly folder: string;
  /** The first line of its task. */
  readonly title: string;
  readonly state: 'running' | 'waiting' | 'parked' | 'ended' | 'gone' | 'unseen' | 'damaged';
  /** `null` where its journal tells nothing. */
  readonly attention: Attention | null;
  readonly startedAt: number;
  /** Why it ended; `null` where it has not. */
  readonly reason: string | null;
  /** When it ended, or its last input so far. */
  readonly at: number;
  readonly iterations: number;
  readonly maxIterations: number | null;
  readonly costUsd: number | null;
  /** Hats that work now. */
  readonly working: readonly string[];
}

/** All runs, and who looks. */
export interface RunList {
  /** The newest first. */
  readonly runs: readonly RunListRow[];
  /** When this was so. */
  readonly at: number;
  /** False where nobody may steer from here. */
  readonly canSteer: boolean;
  /** Folders whose runs could not be read, and why. */
  readonly unread: readonly { readonly folder: string; readonly why: string }[];
  /** The key of the run that a page begins with; absent: it begins with the list. */
  readonly opens?: string;
}
