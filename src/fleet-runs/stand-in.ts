import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import { LONG_ASK_MS } from '../fleet/keep-run.ts';
import type { Fleet, KeptLease } from '../ports/fleet.ts';
import { removeTree } from '../process/remove-tree.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { findLayout } from '../runs/find-layout.ts';
import { toStateName } from '../runs/layout.ts';
import { type Detached, startDetached } from '../runs/start-detached.ts';
import { cleanText, toPlainLine } from '../views/text/plain-text.ts';
import { fetchInto } from './fetch-run.ts';
import { STANDS_IN } from './kept-run.ts';

/** A worker that goes on with runs whose own process is lost. */
export interface StandIn {
  readonly fleet: Fleet;
  /** Its name. */
  readonly id: string;
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
 * that are under way then are handed on: another worker goes on with them.
 */
export async function standIn(worker: StandIn, drain: AbortSignal, kill: AbortSignal): Promise<void> {
  if (worker.atOnce === 0) return;
  const watch = createLeaseWatch();
  const running = new Map<string, Promise<void>>();
  const pauses = createPauses();
  const stop = AbortSignal.any([drain, kill]);
  const begin = (lease: KeptLease): void => {
    const { run } = lease.lease;
    const done = goOnWith(worker, lease, stop)
      .catch((error: unknown) => {
        // Another worker was quicker.
        if (isRalphError(error) && error.code === 'fleet-run-held') return;
        pauses.note(run);
        worker.tell(toProblemText(run, error));
      })
      .finally(() => running.delete(run));
    running.set(run, done);
  };
  // A fleet that is away is not waited for by who is told to end.
  const over = new Promise<null>((resolve) => drain.addEventListener('abort', () => resolve(null), { once: true }));
  while (!drain.aborted) {
    const askedAt = steadyMs();
    const leases = await Promise.race([worker.fleet.leases.list().catch(() => null), over]);
    const wasAway = leases === null || steadyMs() - askedAt > LONG_ASK_MS;
    for (const lease of wasAway ? watch.pass() : watch.look(leases)) {
      const { run } = lease.lease;
      if (running.size < worker.atOnce && !running.has(run) && pauses.isOver(run)) begin(lease);
    }
    await pause(LOOK_MS, undefined, { signal: drain }).catch(() => undefined);
  }
  await Promise.all(running.values());
}

const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 20 * 60_000;

/** After each failure with a run it is left alone for twice as long. */
function createPauses() {
  const failed = new Map<string, { readonly until: number; readonly nextMs: number }>();
  return {
    isOver: (run: string): boolean => (failed.get(run)?.until ?? 0) <= steadyMs(),
    note: (run: string): void => {
      const pauseMs = failed.get(run)?.nextMs ?? FIRST_PAUSE_MS;
      failed.set(run, { until: steadyMs() + pauseMs, nextMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS) });
    },
  };
}

/** What happened, why, and what to do, each on a line of its own. */
export function toProblemText(run: string, error: unknown): string {
  const { message: what, why, fix } = isRalphError(error) ? error : { message: toErrorMessage(error), why: undefined, fix: undefined };
  const lines = [
    `Run ${run} cannot go on here: ${what}`,
    ...(why === undefined ? [] : [`Why: ${why}`]),
    ...(fix === undefined ? [] : [`Fix: ${fix}`]),
  ];
  // What a process said has its lines already.
  const [first = '', ...more] = cleanText(lines.join('\n')).split('\n');
  return [first, ...more.map((line) => `  ${line.trim()}`)].filter((line) => line.trim() !== '').join('\n');
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

async function goOnWith({ fleet, id, home, env: given, tell }: StandIn, stale: KeptLease, stop: AbortSignal): Promise<void> {
  const { run, host, lostAfterMs, epoch } = stale.lease;
  // Not that of an earlier time: its process may be there still, frozen.
  const root = join(home, `${run}-${epoch + 1}`);
  const env = { ...given, [STANDS_IN]: id };
  if (existsSync(root)) removeTree(root);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  try {
    await fetchInto({ fleet, run, root, env, stale });
    tell(`Run ${run}: its process on ${toPlainLine(host, 60)} has said nothing for ${Math.round(lostAfterMs / 1000)} s; it goes on here.`);
    const stateDir = toStateName(findLayout(root));
    const words = ['resume', run];
    const started = await startDetached({ cwd: root, stateDir, words, stdin: null, env, abort: stop });
    if (started.kind === 'ended')
      throw new Error(
        started.output
          .trim()
          .slice(-2000)
          .replace(/^ralph: /, '') || `exit code ${started.exitCode}`,
      );
    const code = await waitFor(started, stop);
    tell(`Run ${run}: ended here${code === null ? '' : ` with exit code ${code}`}.`);
  } finally {
    removeTree(root);
  }
}

/** A worker that is to end hands its runs on: they say so, and others take them. */
async function waitFor({ pid, exited }: Detached & { readonly kind: 'running' }, stop: AbortSignal): Promise<number | null> {
  const end = (): void => {
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has just ended by itself.
    }
  };
  stop.addEventListener('abort', end);
  if (stop.aborted) end();
  const code = await exited;
  stop.removeEventListener('abort', end);
  return code;
}
