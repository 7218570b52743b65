import type { RunRecord } from '../../src/core/run/run-record.ts';
import type { SteeringWord } from '../../src/ports/steering.ts';
import type { Random } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What outlives the death of the orchestrator: its disk, the time, the agents' marks. */
export interface World {
  readonly random: Random;
  readonly clock: VirtualClock;
  /** The journal as it is on disk: text, so that nothing is shared with the loop. */
  readonly journalLines: string[];
  /** The agents' file. */
  readonly inboxLines: string[];
  /** What people wrote into the file for people. */
  readonly outsideLines: string[];
  /** What people told and answered. */
  readonly steering: SteeringWord[];
  /** How many agents are alive, and the most that ever were, of all hats and of each. */
  readonly agents: { alive: number; most: number; readonly mostOf: Map<string, number> };
  /** Whether an agent worked in the folder itself while another one worked, or two turns of one copy at once. */
  readonly crowd: Map<string, number>;
  readonly faults: string[];
  /** Copies of the folder, with the lines of their events files. */
  readonly copies: Map<string, string[]>;
  /** How turns in copies ended, before the journal had it. */
  readonly ends: Map<string, string>;
  /** What the living orchestrator showed. */
  readonly records: RunRecord[];
  /** Numbers given out to agents' lines. */
  readonly written: { count: number };
  /** Ends the agents that a dead orchestrator left. */
  readonly orphans: Set<() => void>;
  /** Work of winners of panels that was taken over into the workspace. */
  readonly applied: { readonly home: string; readonly turn: string; readonly winner: string }[];
}
