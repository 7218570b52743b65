import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { keepRun, type LeaseWish, takeLease } from '../fleet/keep-run.ts';
import { connectFleet } from '../fleet/nats-fleet.ts';
import { listKnownRuns } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import type { Fleet, KeptLease, RunLease } from '../ports/fleet.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findLayout } from '../runs/find-layout.ts';
import { withoutToken } from '../runs/people.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import { fetchRun } from './fetch-run.ts';
import { type KeptState, readKeptState, toStandIn } from './kept-run.ts';
import { toLostAfterMs } from './sent-work.ts';

/** A run that is to go on here. */
export interface BringOptions {
  readonly cwd: string;
  /** An id; of one that is here also its beginning or end; absent: the newest. */
  readonly run?: string;
  /** Address of the fleet that keeps it. */
  readonly fleet: string;
  readonly env: Environment;
}

/**
 * Brings here what a fleet keeps of a run that is not here, into an empty folder. Nothing where it is here.
 *
 * @throws RalphError `fleet-unreachable`, `fleet-run-held`, `fleet-run-unknown`; the system error
 */
export async function bringRun(options: BringOptions): Promise<void> {
  const { stateDir } = findLayout(options.cwd);
  const { run: wanted } = options;
  const isMeant = (run: string): boolean => wanted === undefined || run.startsWith(wanted) || run.endsWith(wanted);
  if (!listKnownRuns({ fs: nodeFileSystem, stateDir }).some(isMeant)) await bringNew(options);
}

async function bringNew({ cwd, run, fleet: url, env }: BringOptions): Promise<void> {
  if (run === undefined) throw toNoRun('Which run?', 'Say its id: ralph fleet runs lists those that the fleet keeps.');
  if (readdirSync(cwd).length > 0) {
    throw toNoRun(
      `Run ${toPlainLine(run, 60)} is not in this folder, and it is not empty.`,
      `Make a new one for it: mkdir ${toPlainLine(run, 60)} && cd ${toPlainLine(run, 60)}`,
      'A run that a fleet keeps is brought into an empty folder.',
    );
  }
  const fleet = await connectFleet({ url, env, name: `ralph ${toPlainLine(run, 60)}` });
  try {
    await fetchInto({ fleet, run, root: cwd, env: withoutToken(env) });
  } finally {
    await fleet.close();
  }
}

function toNoRun(what: string, fix: string, why?: string): RalphError {
  return new RalphError({ code: 'fleet-run-unknown', what, ...(why === undefined ? {} : { why }), fix, exitCode: 2 });
}

/** A run that is to be brought into a folder. */
export interface FetchInto {
  readonly fleet: Fleet;
  readonly run: string;
  /** An empty folder; absolute. */
  readonly root: string;
  readonly env: Environment;
  /** As it was seen when it was given up; absent: whoever has it is waited for. */
  readonly stale?: KeptLease;
}

/**
 * Takes a run of which nothing is here, makes its folder, and lets go of it: whoever resumes it in that folder takes it again, at once.
 *
 * @throws as `bringRun`; Error where a run that was given up had ended before
 */
export async function fetchInto({ fleet, run, root, env, stale }: FetchInto): Promise<void> {
  const kept = stale ?? (await fleet.leases.look(run));
  if (kept === null) throw toNoRun(`The fleet knows no run ${toPlainLine(run, 60)}.`, 'Those that it knows: ralph fleet runs');
  const { title, state: before } = kept.lease;
  const wish: LeaseWish = {
    run,
    place: randomUUID(),
    host: toPlainLine(hostname(), 60),
    title,
    lostAfterMs: toLostAfterMs(env),
    ...toStandIn(env),
  };
  const keeper = keepRun({ fleet, taken: await takeLease(fleet, wish, steadyMs, stale) });
  // As long as it has not gone on, nobody has decided that it is to.
  let left: RunLease['state'] = before;
  try {
    const state = await readKeptState(fleet, run);
    const end = toEnd(state);
    if (stale !== undefined && end !== null && end !== 'terminated') {
      left = end === 'completed' ? 'ended' : 'free';
      throw new Error(`it had ended (${end}) before its process was lost`);
    }
    await fetchRun({ fleet, runId: run, root, env, place: wish.place }, state);
    keeper.begin(state.end);
    // What is here is known from here on, whatever becomes of this process.
    if (state.tree !== null) keeper.add({ kind: 'tree', tree: state.tree });
    await keeper.settled();
  } finally {
    await keeper.close({ state: left, title });
  }
}

/** How the run ended that is kept; `null`: it has not. */
function toEnd({ entries }: KeptState): string | null {
  if (entries.length === 0) return null;
  const fold = createJournalFold();
  for (const entry of entries) fold.take(entry);
  return fold.run().state.end?.reason ?? null;
}
