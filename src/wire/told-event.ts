/** An event in a list. */
export interface ToldEvent {
  /** `e1`, `e2`, …: unique in the run. */
  readonly id: string;
  /** Number of the input in the journal that it followed from. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly ts: number;
  readonly iteration: number;
  readonly topic: string;
  readonly source: string;
  /** Whom its author named; `null` where nobody. */
  readonly target: string | null;
  /** Ids of the events from which it followed. */
  readonly causes: readonly string[];
  /** Who gets it. */
  readonly to: readonly string[];
  readonly status: 'routed' | 'safety-net' | 'terminal' | 'undelivered' | 'recorded' | 'refused' | 'withdrawn';
  /** The beginning of its payload, on one line. */
  readonly excerpt: string;
}
