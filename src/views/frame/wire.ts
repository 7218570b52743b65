import type { Attention } from '../report/attention.ts';
import type { RunFrame } from './run-frame.ts';

/** A run in a list of runs of all folders. */
export interface RunListRow {
  /** Names the run in addresses: letters and digits, the same every time. */
  readonly key: string;
  readonly runId: string;
  /** Where it was started, as a person would write it: `~/work/site`. */
  readonly folder: string;
  /** The first line of its task. */
  readonly title: string;
  readonly state: RunFrame['state'] | 'damaged';
  /** `null` where its journal tells nothing. */
  readonly attention: Attention | null;
  readonly startedAt: number;
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
}

/** What a stream of a run brings: the run now, and which turns and events came or changed since the frame before. */
export interface FrameNews {
  readonly frame: RunFrame;
  /** Places of turns. */
  readonly turns: readonly number[];
  /** Place of the first new event. */
  readonly firstEvent: number;
}

/** How the server says no, and every error of Ralph in JSON. */
export interface Refusal {
  readonly code: string;
  readonly what: string;
  readonly why?: string;
  readonly fix?: string;
}

/** Orders of a person, as they are sent. `command` is made by the sender: the same one twice is carried out once. */
export interface OrderBodies {
  readonly tell: { readonly command: string; readonly text: string; readonly to?: string; readonly when?: 'now' | 'next' };
  /** `seq`: the last input that was on the screen. */
  readonly answer: { readonly command: string; readonly question: string; readonly choice: string; readonly seq: number };
  readonly stop: { readonly command: string; readonly how: 'after' | 'now' };
  readonly resume: { readonly command: string };
}
