/** What a run needs of its person. */
export type AttentionState = 'needs_you' | 'stuck' | 'gate_red' | 'limit_near' | 'working' | 'done';

/** A state of a run, and why. */
export interface Attention {
  readonly state: AttentionState;
  /** One sentence. */
  readonly evidence: string;
  /** Epoch milliseconds: since when it is so, as far as that is known. */
  readonly since: number;
  /** What to do: a sentence, with the command where there is one. */
  readonly action: string;
}
