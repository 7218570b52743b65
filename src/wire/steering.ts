/** How a person acts on a run. `command` names what is said: a run hears the same name once. */
export interface Steering {
  readonly tell: (words: {
    readonly command?: string;
    readonly text: string;
    readonly to?: string;
    readonly when?: 'now' | 'next';
  }) => Promise<SteeringReceipt>;
  readonly answer: (words: { readonly command?: string; readonly question: string; readonly choice: string }) => Promise<SteeringReceipt>;
  /** `after`: once the turn that runs has ended; `now`: the turn is ended, too. Resolves once the wish is left. */
  readonly stop: (how: 'after' | 'now') => Promise<SteeringReceipt>;
  /** Goes on with a run that has ended or died, in a process of its own. */
  readonly resume: () => Promise<SteeringReceipt>;
}

/** What became of an order, in three steps: it was written; the journal has it as this input; an agent was given it. */
export interface SteeringReceipt {
  /** One sentence. */
  readonly text: string;
  /** The input; `null` where the journal does not have it yet. */
  readonly seq: number | null;
}
