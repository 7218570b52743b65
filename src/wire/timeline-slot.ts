/** A stretch of a run's inputs on a line from its first to its last one. */
export interface TimelineSlot {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The hat whose turn it is for the most part; `null`: nobody works. */
  readonly hat: string | null;
  /** The worst that began or ended in it: `failed`: a turn failed; `red`: a gate was red; `stopped`: a turn was stopped; `none`: nobody works. */
  readonly mark: 'ok' | 'stopped' | 'red' | 'failed' | 'none';
  /** The iteration of the last turn in it; `null`: none. */
  readonly iteration: number | null;
}
