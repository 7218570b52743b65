import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { connectFleet, keepRun, type LeaseWish, takeLease } from '../fleet/index.ts';
import { findRunId, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import type { Fleet, KeptLease } from '../ports/fleet.ts';
import { steadyMs } from '../process/index.ts';
import { findLayout, type Layout, lockRun, lockWorkspace, readFold, readRunFile, releaseLock, withoutToken } from '../runs/index.ts';
import { toPlainLine } from '../views/text/index.ts';
import { catchUp, fetchRun } from './fetch-run.ts';
import { readKeptState, takeRun } from './kept-run.ts';
import { toLostAfterMs } from './sent-work.ts';

/** A run that is to go on here. */
export interface BringOptions {
  readonly cwd: string;
  /** An id; of one that is here also the beginning of it; absent: the newest. */
  readonly run?: string;
  /** Address of the fleet that keeps it: for a run that is not here. */
  readonly fleet?: string;
  readonly env: Environment;
}

/**
 * Brings here what a fleet keeps of a run: all of it into an empty folder, or what became of it elsewhere into its own. Nothing where no fleet keeps it.
 *
 * @throws RalphError `fleet-unreachable`, `fleet-run-held`, `fleet-run-unknown`, `fleet-home-changed`, `run-in-progress`; the system error
 */
export async function bringRun(options: BringOptions): Promise<void> {
  const layout = findLayout(options.cwd);
  const known = findHere(options, layout);
  if (known !== null) return bringHome(options, layout, known);
  if (options.fleet !== undefined) await bringNew(options, options.fleet);
}

/** `null`: it is not here, and a fleet may have it. */
function findHere({ run = 'last', fleet }: BringOptions, { stateDir }: Layout): string | null {
  try {
    return findRunId({ fs: nodeFileSystem, stateDir }, run);
  } catch (error) {
    if (fleet !== undefined && isRalphError(error) && ['no-runs', 'run-unknown'].includes(error.code)) return null;
    throw error;
  }
}

async function bringNew({ cwd, run, env }: BringOptions, url: string): Promise<void> {
  if (run === undefined) throw toNoRun('Which run?', 'Say its id: ralph fleet lists those that the fleet keeps.');
  if (readdirSync(cwd).length > 0) {
    throw toNoRun(
      `Run ${toPlainLine(run, 60)} is not in this folder, and it is not empty.`,
      `Make a new one for it: mkdir ${toPlainLine(run, 60)} && cd ${toPlainLine(run, 60)}`,
    );
  }
  const fleet = await connectFleet({ url, name: `ralph ${toPlainLine(run, 60)}` });
  try {
    await fetchInto({ fleet, run, root: cwd, env: withoutToken(env) });
  } finally {
    await fleet.close();
  }
}

function toNoRun(what: string, fix: string): RalphError {
  return new RalphError({
    code: 'fleet-run-unknown',
    what,
    why: 'A run that a fleet keeps is brought into an empty folder.',
    fix,
    exitCode: 2,
  });
}

/** A run that nobody has any more. */
export interface FetchInto {
  readonly fleet: Fleet;
  readonly run: string;
  /** An empty folder; absolute. */
  readonly root: string;
  readonly env: Environment;
  /** As it was seen when it was given up; absent: whoever has it is waited for. */
  readonly stale?: KeptLease;
}

/** Takes a run of which nothing is here, and makes its folder. It is held until it goes on: by whoever resumes it in that folder, before the lease is over. */
export async function fetchInto({ fleet, run, root, env, stale }: FetchInto): Promise<void> {
  const kept = stale ?? (await fleet.leases.look(run));
  if (kept === null) throw toNoRun(`The fleet knows no run ${toPlainLine(run, 60)}.`, 'Those that it knows: ralph fleet');
  const { title } = kept.lease;
  const wish: LeaseWish = { run, place: randomUUID(), host: toPlainLine(hostname(), 60), title, lostAfterMs: toLostAfterMs(env) };
  const taken = await takeLease(fleet, wish, steadyMs, stale);
  const state = await readKeptState(fleet, run);
  const keeper = keepRun({ fleet, taken, behind: state.end });
  try {
    await fetchRun({ fleet, runId: run, root, env, place: wish.place }, state);
  } finally {
    await keeper.close({ state: 'held', title });
  }
}

async function bringHome({ env }: BringOptions, layout: Layout, runId: string): Promise<void> {
  const paths = toRunPaths(layout.stateDir, runId);
  const file = existsSync(paths.settings) ? readRunFile(paths.settings) : null;
  if (file?.fleet === undefined) return;
  const order = { layout, runId, worktree: file.worktree, command: 'ralph resume' };
  const locks = [await lockRun(order)];
  try {
    locks.push(await lockWorkspace(order));
    const fleet = await connectFleet({ url: env['RALPH_FLEET'] ?? file.fleet, name: `ralph ${runId}` });
    try {
      await takeRun(fleet, { paths, file, env });
      await catchUp({ fleet, paths, file, env: withoutToken(env) }, await readKeptState(fleet, runId), readFold(paths).entries);
    } finally {
      await fleet.close();
    }
  } finally {
    for (const lock of locks) releaseLock(lock);
  }
}
