/** Time. The loop has no other. */
export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Calls `fire` once at or after `dueAt`; returns a function that takes it back. */
  readonly setTimer: (dueAt: number, fire: () => void) => () => void;
}
