import { setTimeout as pause } from 'node:timers/promises';
import { RalphError } from '../core/index.ts';
import { findRun, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import { findLivingRun } from './find-living-run.ts';
import { findLayout, type Layout } from './layout.ts';
import { requirePerson } from './people.ts';
import { findHolder, isUnseen } from './run-lock.ts';
import { writeStopWish } from './stop-file.ts';

/** How long a run that is to stop now may take: its agent has 10 s to clean up. */
const STOP_NOW_MS = 25_000;
const LOOK_EVERY_MS = 100;

/** What `ralph stop` is to do. */
export interface StopOrder {
  readonly cwd: string;
  /** An id or the beginning of one; absent: the one that is under way. */
  readonly run?: string;
  /** End the running turn too. */
  readonly now: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called once, before waiting. */
  readonly onWaiting?: (runId: string) => void;
}

/**
 * Asks a run in another process to stop and waits until it has. Without `now` the turn that runs is finished first, however long that takes.
 *
 * @returns whether it stopped in time (always, without `now`)
 * @throws RalphError `stop-nothing` when no run is under way, `person-refused` for whoever is not known as a person
 */
export async function stopRun(order: StopOrder): Promise<{ readonly runId: string; readonly stopped: boolean }> {
  const layout = findLayout(order.cwd);
  const runId = findAlive(layout, order);
  const paths = toRunPaths(layout.stateDir, runId);
  writeStopWish(paths.folder, order.now ? 'now' : 'after', requirePerson(layout, paths, order.env));
  order.onWaiting?.(runId);
  const askedAt = Date.now();
  for (let holder = findHolder(layout, runId); holder !== null; holder = findHolder(layout, runId)) {
    // Where nobody can see whether it lives, nobody may wait for ever.
    const deadline = order.now || isUnseen(holder) ? askedAt + STOP_NOW_MS : Number.POSITIVE_INFINITY;
    if (Date.now() > deadline) return { runId, stopped: false };
    await pause(LOOK_EVERY_MS);
  }
  return { runId, stopped: true };
}

function findAlive(layout: Layout, { run, cwd }: StopOrder): string {
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const runId = run === undefined ? findLivingRun(layout, cwd) : findRun(state, run);
  if (runId !== null && findHolder(layout, runId) !== null) return runId;
  throw new RalphError({
    code: 'stop-nothing',
    what: runId === null ? 'No run is under way in this folder.' : `Run ${runId} is not under way.`,
    fix: 'See the runs of this folder: ralph runs. What a dead run left behind: ralph ps',
  });
}
