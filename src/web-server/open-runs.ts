import { setImmediate as breathe } from 'node:timers/promises';
import { isRalphError } from '../core/values/errors.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import { Refused } from './refused.ts';
import type { ServedRuns } from './served-runs.ts';

/** The runs that are kept open, so that a request need not read a journal anew. */
export interface OpenRuns {
  /** A run, read to its end. Rejects with Refused, or as the source. */
  readonly read: (key: string) => Promise<WatchedRun>;
  /** Reads on in a run that is open. Other requests are answered between the steps. */
  readonly catchUp: (run: WatchedRun) => Promise<void>;
  /** Keeps a run open until the function that it returns is called. */
  readonly hold: (key: string) => () => void;
  /** Looks at a run; forgets it where that shows that it is not there any more. */
  readonly look: <Result>(key: string, see: () => Result) => Result;
  readonly count: () => number;
}

/** How many are kept, and of how many inputs together, without those that are streamed. The one that was asked for last is always kept. */
export interface OpenLimits {
  readonly runs: number;
  readonly inputs: number;
}

const LIMITS: OpenLimits = { runs: 20, inputs: 150_000 };
/** So long is a journal read before something else is looked after. */
const STEP_MS = 15;
const GONE = new Set(['run-unknown', 'no-runs', 'journal-lost', 'run-ambiguous']);

interface OpenRun {
  readonly run: WatchedRun;
  reading: Promise<void> | null;
}

export function createOpenRuns(source: Pick<ServedRuns, 'open'>, limits: OpenLimits = LIMITS): OpenRuns {
  /** The one that was asked for last is the last. */
  const open = new Map<string, OpenRun>();
  const holds = new Map<string, number>();
  const find = (key: string): OpenRun => {
    const found = open.get(key) ?? openRun(source, key);
    open.delete(key);
    open.set(key, found);
    return found;
  };
  const look: OpenRuns['look'] = (key, see) => {
    try {
      return see();
    } catch (error) {
      if (isRalphError(error) && GONE.has(error.code)) open.delete(key);
      throw error;
    }
  };
  return {
    look,
    read: async (key) => {
      const entry = find(key);
      entry.reading ??= readOn(entry.run).finally(() => {
        entry.reading = null;
      });
      await entry.reading;
      close(open, holds, limits);
      return entry.run;
    },
    catchUp: readOn,
    hold: (key) => {
      holds.set(key, (holds.get(key) ?? 0) + 1);
      return () => {
        const left = (holds.get(key) ?? 0) - 1;
        if (left > 0) holds.set(key, left);
        else holds.delete(key);
        close(open, holds, limits);
      };
    },
    count: () => open.size,
  };
}

function openRun(source: Pick<ServedRuns, 'open'>, key: string): OpenRun {
  const run = source.open(key);
  if (run === null) throw new Refused(404, 'run-unknown', 'There is no such run.', { fix: 'See all: ralph runs --all' });
  return { run, reading: null };
}

async function readOn(run: WatchedRun): Promise<void> {
  while (run.refresh(STEP_MS)) await breathe();
}

/** Closes what is too much, the run that was not asked for the longest first. */
function close(open: Map<string, OpenRun>, holds: ReadonlyMap<string, number>, limits: OpenLimits): void {
  const newestFirst = [...open].reverse().filter(([key]) => !holds.has(key));
  let inputs = 0;
  for (const [index, [key, { run }]] of newestFirst.entries()) {
    inputs += run.history.lastSeq();
    if (index > 0 && (index >= limits.runs || inputs > limits.inputs)) open.delete(key);
  }
}
