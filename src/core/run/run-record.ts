import type { BackendEvent } from '../backends/backend-event.ts';
import type { Effect } from './effects.ts';
import type { Input } from './inputs.ts';
import type { TurnId } from './turn.ts';

/**
 * What observers of a run see, in order: each input, the effects that the loop decided on it, and, while a run is
 * watched live, what agents and gates say. Inputs and effects are the same for a replayed run as for the live one.
 */
export type RunRecord =
  | { readonly kind: 'input'; readonly seq: number; readonly input: Input }
  | { readonly kind: 'effect'; readonly seq: number; readonly at: number; readonly effect: Effect }
  | LiveRecord;

/** Something that passes by: shown, not kept in the journal. */
export type LiveRecord =
  | (TurnId & { readonly kind: 'live'; readonly hat: string; readonly event: BackendEvent })
  | { readonly kind: 'gate-output'; readonly gate: number; readonly line: string }
  /** The fleet that keeps the run does not answer, or does so again. `since`: when it was asked in vain first; epoch milliseconds. `why`: as far as that is known. */
  | { readonly kind: 'fleet'; readonly isAway: boolean; readonly since: number; readonly why?: string }
  | ({ readonly kind: 'program' } & ProgramNews);

/** A gate or a hook of a run that needs a worker: it waits for one, one has it, or it is over. */
export interface ProgramNews {
  /** Which it is, among those of the run: no two that are open have the same. */
  readonly program: string;
  /** As people call it, at the beginning of a sentence: `Hook check.sh`. */
  readonly title: string;
  /** What its worker must have. */
  readonly labels: readonly string[];
  /** `null`: it waits for one. */
  readonly worker: string | null;
  readonly isOver: boolean;
  /** When that began; epoch milliseconds. */
  readonly since: number;
}

/** Reads the records of a journal piece by piece, however long it is. */
export interface RecordCursor {
  /** Reads on: some more inputs with their effects; none where nothing more is written. Throws the system error, RalphError `journal-newer`. */
  readonly read: () => readonly RunRecord[];
  /** Number of the last input that was read; 0: none. */
  readonly seq: () => number;
}
