import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import type { Fleet, KeptLease } from '../ports/fleet.ts';
import { removeTree, steadyMs } from '../process/index.ts';
import { findLayout, startDetached, toStateName } from '../runs/index.ts';
import { fetchInto } from './bring-run.ts';
import { STANDS_IN } from './kept-run.ts';

/** A worker that goes on with runs whose own process is lost. */
export interface StandIn {
  readonly fleet: Fleet;
  /** Where their folders are made; absolute. */
  readonly home: string;
  /** With the address of the fleet. */
  readonly env: Environment;
  /** How many at the same time. */
  readonly atOnce: number;
  readonly tell: (text: string) => void;
}

/** How often leases are looked at. */
const LOOK_MS = 400;

/**
 * Watches the leases of a fleet's runs until `drain` is aborted. One that is not renewed any more is taken, and the run goes on in a folder and a process of its own. Those
 * that are under way then are waited for, and ended when `kill` is aborted.
 */
export async function standIn(worker: StandIn, drain: AbortSignal, kill: AbortSignal): Promise<void> {
  const watch = createLeaseWatch();
  const running = new Set<Promise<void>>();
  const failed = new Set<string>();
  while (!drain.aborted) {
    const leases = await worker.fleet.leases.list().catch(() => null);
    const stale = leases === null ? watch.pass() : watch.look(leases);
    for (const lease of stale) {
      if (running.size >= worker.atOnce || failed.has(lease.lease.run)) continue;
      const done: Promise<void> = goOnWith(worker, lease, kill)
        .catch((error: unknown) => {
          failed.add(lease.lease.run);
          worker.tell(`Run ${lease.lease.run}: cannot go on here: ${toProblem(error)}`);
        })
        .finally(() => running.delete(done));
      running.add(done);
    }
    await pause(LOOK_MS, undefined, { signal: drain }).catch(() => undefined);
  }
  await Promise.all(running);
}

function toProblem(error: unknown): string {
  return isRalphError(error) ? error.message : toErrorMessage(error);
}

/** Knows for how long leases have stayed the same, by a clock of this process. */
function createLeaseWatch() {
  const seen = new Map<string, { readonly beat: number; readonly since: number }>();
  return {
    /** Those that have been given up. */
    look: (leases: readonly KeptLease[]): readonly KeptLease[] => {
      const now = steadyMs();
      return leases.filter(({ lease, beat }) => {
        const known = seen.get(lease.run);
        if (known?.beat !== beat) seen.set(lease.run, { beat, since: now });
        return lease.state === 'held' && known?.beat === beat && now - known.since > lease.lostAfterMs;
      });
    },
    /** While the server cannot be asked, nobody can renew a lease either. */
    pass: (): readonly KeptLease[] => {
      seen.clear();
      return [];
    },
  };
}

async function goOnWith({ fleet, home, env, tell }: StandIn, stale: KeptLease, kill: AbortSignal): Promise<void> {
  const { run, host, lostAfterMs } = stale.lease;
  const root = join(home, run);
  if (existsSync(root)) removeTree(root);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  await fetchInto({ fleet, run, root, env, stale });
  tell(`Run ${run}: its process on ${host} has said nothing for ${Math.round(lostAfterMs / 1000)} s; it goes on here.`);
  const words = ['resume', run];
  const stateDir = toStateName(findLayout(root));
  const started = await startDetached({ cwd: root, stateDir, words, stdin: null, env: { ...env, [STANDS_IN]: '1' }, abort: kill });
  if (started.kind === 'ended') throw new Error(started.output.trim().slice(-2000));
  const end = (): void => void process.kill(started.pid, 'SIGTERM');
  kill.addEventListener('abort', end);
  const code = await started.exited;
  kill.removeEventListener('abort', end);
  tell(`Run ${run}: ended here with exit code ${code ?? 'of a signal'}.`);
}
