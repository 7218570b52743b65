import type { WatchedRun } from '../views/frame/watched-run.ts';
import type { RunList } from '../wire/run-list.ts';

export interface ServedRuns {
  /** All runs now. Rejects with a RalphError or a system error. */
  readonly list: () => Promise<RunList>;
  /** The run that a row of the list names; `null` where none has that key. Throws a RalphError where it cannot be opened. */
  readonly open: (key: string) => WatchedRun | null;
  /** Calls when the list may have changed, until the function that it returns is called. */
  readonly onListChange: (call: () => void) => () => void;
}

/** The page: one file with its script and its style in it. */
export interface WebPage {
  readonly html: string;
  /** `sha256-…` of each script in it; nothing else of it runs. */
  readonly script: readonly string[];
  /** The same of each style. */
  readonly style: readonly string[];
}
