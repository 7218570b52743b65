import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { RunningTurn, TurnRequest } from './backend.ts';

/** Rounds of a panel's agents in the hands of workers, on this machine or others. */
export interface PanelRounds {
  /**
   * Gives a round to a worker, as a backend starts a turn. The event `started` names the worker, and comes when one has it. What the agent changed is in its folder here before
   * `request.hand` is told of an answer, and when the round ends; `request.cwd` is that folder. A worker that is lost fails the round for a reason that passes.
   */
  readonly start: (round: PanelRound, observe: (event: BackendEvent) => void) => RunningTurn;
}

/** A round that a worker is to take. */
export interface PanelRound {
  /** The turn of its panel. */
  readonly order: IterationStart;
  /** The place of its agent among those of the panel. */
  readonly agent: number;
  /** The agent's name, for people. */
  readonly id: string;
  /** What its folder is called; it says nothing to the agent. */
  readonly token: string;
  /** Work of others that it is shown by now. */
  readonly shown: () => readonly ShownWork[];
  /** `turn.iteration` is the number of the round. */
  readonly request: TurnRequest;
}

export interface ShownWork {
  /** Whose it is: `agent2`. */
  readonly name: string;
  /** Absolute path of a folder with that work, which changes no more. */
  readonly snapshot: string;
  /** The folder in which the agent sees the others: see `toViewFolder`. */
  readonly view: string;
}
