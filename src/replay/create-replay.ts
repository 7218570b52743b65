import type { Input } from '../core/run/inputs.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import { createRunHistory } from '../views/frame/run-history.ts';
import type { RunHistory } from '../views/frame/watched-run.ts';

/** One entry of a journal. */
export interface ReplayEntry {
  /** 1, 2, 3, … */
  readonly seq: number;
  readonly input: Input;
}

/** A run that is made again from its inputs. */
export interface Replay {
  /**
   * Takes the next entry of the journal, decides it again, and adds what follows to the history.
   *
   * @throws RalphError `journal-empty` where the first entry is not the start of a run
   */
  readonly take: (entry: ReplayEntry) => void;
  /** The run so far, at each of its inputs. */
  readonly history: RunHistory;
}

/** A replay of nothing yet. Entries are to be given from the first on, in order. About 25 µs each. */
export function createReplay(): Replay {
  const fold = createJournalFold();
  const history = createRunHistory();
  return {
    take: (entry) => {
      const effects = fold.take(entry);
      history.take({ kind: 'input', ...entry });
      for (const effect of effects) history.take({ kind: 'effect', seq: entry.seq, at: entry.input.at, effect });
    },
    history,
  };
}
