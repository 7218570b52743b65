/** Failures of one gate in a row for one hat. */
export interface GateStreak {
  /** What people call the gate. */
  readonly gate: string;
  /** How many since it last passed. */
  readonly count: number;
  /** The last of them, oldest first. */
  readonly failures: readonly GateFailure[];
}

/** One of them. */
export interface GateFailure {
  readonly iteration: number;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The end of what it said, at most 800 characters. */
  readonly tail: string;
}
