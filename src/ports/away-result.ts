/** What became of a program of a run that a worker was to run: the command of a gate, a hook. */
export type AwayResult<Ran> =
  | ({ readonly kind: 'ran'; readonly worker: string } & Ran)
  /** No worker could run it to its end. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The signal was aborted. */
  | { readonly kind: 'stopped' };
