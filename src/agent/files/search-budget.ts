/** What a search over many files may still spend. */
export interface SearchBudget {
  /** Takes one entry. False: stop, and see `stopped`. */
  readonly spend: () => boolean;
  /** Why the search has to stop; `null` while it need not. */
  readonly stopped: () => 'entries' | 'time' | 'aborted' | null;
}

export interface SearchLimits {
  readonly maxEntries: number;
  readonly maxMs: number;
}

export const SEARCH_LIMITS: SearchLimits = { maxEntries: 200_000, maxMs: 20_000 };

export function createSearchBudget(limits: SearchLimits, signal: AbortSignal, now: () => number = () => performance.now()): SearchBudget {
  const startMs = now();
  let entries = 0;
  const stopped: SearchBudget['stopped'] = () => {
    if (signal.aborted) return 'aborted';
    if (entries > limits.maxEntries) return 'entries';
    return now() - startMs > limits.maxMs ? 'time' : null;
  };
  return {
    spend: () => {
      entries += 1;
      return stopped() === null;
    },
    stopped,
  };
}

/** The sentence about a search that did not see everything; empty where it did. */
export function describeStop(budget: SearchBudget, { maxEntries, maxMs }: SearchLimits): string {
  const advice = 'The result is not complete: search in a smaller folder or with a narrower pattern.';
  switch (budget.stopped()) {
    case 'aborted':
      return '[Stopped: the turn was ended.]';
    case 'entries':
      return `[Stopped after ${maxEntries} files and folders. ${advice}]`;
    case 'time':
      return `[Stopped after ${Math.round(maxMs / 1000)} s. ${advice}]`;
    case null:
      return '';
  }
}
