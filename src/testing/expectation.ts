import type { DeliveryKind, EndReason, RejectionCause } from '../core/index.ts';

/** What must have come of one run. What is absent does not matter. */
export interface Expectation {
  /** Why it ended at last; `killed` for one that was killed and not resumed. */
  readonly reason?: EndReason | 'killed';
  /** How it ended each time: one entry for the run, one for each resume. */
  readonly ends?: readonly string[];
  /** A part of the words with which it ended. */
  readonly detail?: string;
  readonly exit_code?: number;
  /** The code of the error for which it did not start. */
  readonly error?: string;
  /** The iterations that count against `max_iterations`. */
  readonly iterations?: number;
  /** Who ran, in order, each attempt of its own. */
  readonly hats?: readonly string[];
  /** Everything that was published, in order: `source -> topic -> receivers` (`nobody` for none), a topic, or a map. */
  readonly events?: readonly (string | ExpectedEvent)[];
  /** Some of what was published, in this order. */
  readonly events_include?: readonly (string | ExpectedEvent)[];
  /** Topics (or patterns) that were not published. */
  readonly events_absent?: readonly string[];
  /** Everything that was refused, in order: `hat -> topic -> why`, a topic, or a map. */
  readonly refused?: readonly (string | ExpectedRefusal)[];
  /** Notices that must have been given: the code, or the code and a part of the text. */
  readonly notices?: readonly (string | ExpectedNotice)[];
  readonly notices_absent?: readonly string[];
  readonly turns?: readonly ExpectedTurn[];
  /** Files of the workspace at the end, by relative path. */
  readonly files?: Readonly<Record<string, ExpectedFile>>;
  /** What the run cost in all; `null` where nobody knows. */
  readonly cost_usd?: number | null;
  /** How many checkpoints led to a commit. */
  readonly commits?: number;
  /** How the attempts to start another run in the folder were refused; `started` for one that was not. */
  readonly rivals?: readonly string[];
  /** The run took at least, at most, so long. */
  readonly min_ms?: number;
  readonly max_ms?: number;
}

/** An event that was published. */
export interface ExpectedEvent {
  readonly topic: string;
  readonly source?: string;
  readonly to?: readonly string[];
  readonly target?: string;
  readonly how?: DeliveryKind;
  /** A part of the payload as text. */
  readonly payload?: string;
}

/** Something that was not accepted. */
export interface ExpectedRefusal {
  readonly topic: string;
  readonly hat?: string;
  readonly why?: RejectionCause;
  readonly allowed?: readonly string[];
}

export interface ExpectedNotice {
  readonly code: string;
  readonly text?: string;
}

/** One turn of the run. */
export interface ExpectedTurn {
  /** 1, 2, 3, … in the order in which they ran, each attempt of its own. */
  readonly turn: number;
  readonly hat?: string;
  readonly attempt?: number;
  readonly backend?: string;
  readonly status?: 'succeeded' | 'failed' | 'interrupted';
  readonly failure?: string;
  /** The topics it was handed, in order. */
  readonly given?: readonly string[];
  /** The name of the program, as it was called. */
  readonly program?: string;
  /** All its arguments; `{prompt}` stands for the prompt. */
  readonly argv?: readonly string[];
  /** Arguments that follow each other in this order. */
  readonly argv_include?: readonly string[];
  readonly argv_absent?: readonly string[];
  /** Environment; `null` for a variable that must not be set, `*` for any value. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** Parts of the prompt that the agent got. */
  readonly prompt_has?: readonly string[];
  readonly prompt_lacks?: readonly string[];
  /** How the prompt reached it. */
  readonly prompt_by?: 'arg' | 'stdin' | 'file';
  /** The exit codes of its calls of `ralph emit`. */
  readonly emit_exits?: readonly number[];
  /** A part of what those calls printed. */
  readonly emit_says?: string;
  readonly cost_usd?: number | null;
  /** Processes that had to be ended after the agent's own exit. */
  readonly leftovers?: number;
}

/** State of a file: `exists`, `absent`, or what it holds. */
export type ExpectedFile =
  | 'exists'
  | 'absent'
  | { readonly equals: string }
  | { readonly contains?: readonly string[]; readonly lacks?: readonly string[] };
