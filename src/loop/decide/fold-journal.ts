import type { Effect } from '../../core/run/effects.ts';
import type { Input } from '../../core/run/inputs.ts';
import type { RunState } from '../../core/run/state.ts';
import { RalphError } from '../../core/values/errors.ts';
import { compileTopology, type Topology } from '../../topology/routing/compile-topology.ts';
import { decide, INITIAL_STATE } from './decide.ts';

/** A run so far: the fold of its journal. */
export interface FoldedRun {
  readonly topology: Topology;
  readonly state: RunState;
  readonly entries: number;
}

/** Folds inputs one at a time, as they come. */
export interface JournalFold {
  /** Decides one entry and returns what followed from it. */
  readonly take: (entry: { readonly seq: number; readonly input: Input }) => readonly Effect[];
  /** The run so far; throws a `RalphError` when there is none yet. */
  readonly run: () => FoldedRun;
}

/** A fold that performs nothing: for resuming, and for every view of a run. */
export function createJournalFold(): JournalFold {
  let topology: Topology | null = null;
  let state: RunState = INITIAL_STATE;
  let entries = 0;
  return {
    take: ({ input }) => {
      topology = toTopology(input) ?? topology;
      if (topology === null) throw emptyJournal();
      const decision = decide(topology, state, input);
      state = decision.state;
      entries += 1;
      return decision.effects;
    },
    run: () => {
      if (topology === null) throw emptyJournal();
      return { topology, state, entries };
    },
  };
}

/** The topology that an input brings; `null` for most. */
export function toTopology(input: Input): Topology | null {
  if (input.type !== 'run-started' && input.type !== 'run-resumed') return null;
  return input.spec === undefined ? null : compileTopology(input.spec);
}

function emptyJournal(): RalphError {
  return new RalphError({
    code: 'journal-empty',
    what: 'The journal of this run does not begin with its start.',
    why: 'Without the first input nothing can be told of the run or resumed.',
    fix: 'Start a new run with `ralph run`; the damaged journal is kept beside it.',
  });
}
