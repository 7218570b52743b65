import type { Input, RunState } from '../core/index.ts';
import type { PlayedPublication, PlayedTurn } from './played-run.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Stage } from './stage.ts';

/** A run that is being played. What is in it changes from input to input; nobody but the player holds it. */
export interface Play {
  readonly stage: Stage;
  readonly random: SeededRandom;
  state: RunState;
  /** What will happen, and when; in no order. */
  readonly schedule: Scheduled[];
  readonly turns: TurnNotes[];
  faults: number;
  /** Numbers given out to payloads. */
  payloads: number;
  /** How far each scripted hat is. */
  readonly steps: Map<string, number>;
}

export interface Scheduled {
  readonly at: number;
  readonly input: Input;
}

/** A turn as it is written down. */
export interface TurnNotes extends Omit<PlayedTurn, 'outcome' | 'said'> {
  outcome: PlayedTurn['outcome'];
  said: string;
  readonly published: PlayedPublication[];
  readonly refused: PlayedTurn['refused'][number][];
}
