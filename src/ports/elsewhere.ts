import type { Effect, IterationStart } from '../core/run/effects.ts';
import type { Input, IterationEnded } from '../core/run/inputs.ts';
import type { LiveRecord } from '../core/run/run-record.ts';
import type { RunState } from '../core/run/state.ts';
import type { TurnFailure } from '../core/run/turn.ts';
import type { TakenOver } from './work-copies.ts';

/** Turns that are taken by workers in other processes, on this machine or others. */
export interface Elsewhere {
  /** Offers a turn. Never throws; what goes wrong is in the result. */
  readonly start: (turn: RemoteOrder, watch: RemoteWatch) => RemoteTurn;
  /** Whether workers take the rounds of a panel's agents one by one, so that its turn is taken here. Never rejects. Absent: none of them do. */
  readonly spreads?: (turn: IterationStart) => Promise<boolean>;
  /** Ends what a process before this one offered, rounds of its panel too: when it resolves, its worker reports nothing that counts. Never rejects. */
  readonly withdraw: (turn: Pick<IterationStart, 'iteration' | 'attempt' | 'panel'>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What a worker needs to know beside what the run has told it once. */
export interface RemoteOrder {
  readonly order: IterationStart;
  /** As the loop had it when the turn was ordered. */
  readonly state: RunState;
  /** Nobody works beside it: only then what its agent commits and notes comes home. */
  readonly isAlone: boolean;
}

/** Sees what the worker tells while it works. */
export interface RemoteWatch {
  /** The prompt that the agent got, whole. */
  readonly prompt: (text: string) => void;
  /** What the turn told the loop, but for its end. */
  readonly post: (input: Input) => void;
  readonly live: (record: LiveRecord) => void;
}

export interface RemoteTurn {
  /** Settles once, never rejects. */
  readonly result: Promise<RemoteResult>;
  /** Hands an effect that is for the turn to its worker, which may never get it: the turn may be over. */
  readonly hand: (effect: Effect) => void;
  /** Gives it up: nothing that its worker makes from now on counts. */
  readonly kill: () => void;
}

/** What came into the folder; `before`: its fingerprint right before that. */
export type BroughtIn = TakenOver & { readonly before: string | null };

export type RemoteResult =
  | {
      readonly kind: 'ended';
      readonly ended: IterationEnded;
      /**
       * Puts what the turn changed into a copy of the folder that is as the folder was when it was offered, and its files (prompt, outputs) into the turn's folder. Rejects
       * where that cannot be done, and where it is not wanted any more before all of it has come.
       */
      readonly bringTo: (copy: string, signal: AbortSignal) => Promise<void>;
      /**
       * Brings it into the folder itself, all or nothing, and never over what was changed there since the turn was offered. After a crash it is called again. Rejects where
       * what the turn made cannot be had, and where it is not wanted any more before all of it has come.
       *
       * @param isDiscarded nothing was to be changed: what was, is thrown away and named
       */
      readonly bringIn: (isDiscarded: boolean, signal: AbortSignal) => Promise<BroughtIn>;
    }
  | { readonly kind: 'lost'; readonly failure: TurnFailure }
  | { readonly kind: 'killed' };
