import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RalphError } from '../core/index.ts';
import { acquireLock, type Lock, type LockHolder, type LockOwner, nodeFileSystem, readLock, toRunPaths } from '../journal/index.ts';
import { isAlive, processStartTime, readPidNamespace } from '../process/index.ts';
import type { Layout } from './layout.ts';

/** Who wants to run what. */
export interface LockOrder {
  readonly layout: Layout;
  readonly runId: string;
  /** The worktree's name; `null` in the main checkout. */
  readonly worktree: string | null;
  readonly command: string;
}

/** Where the lock of a workspace is. */
export function toWorkspaceLock(layout: Layout, worktree: string | null): string {
  if (worktree !== null) return join(layout.worktreesDir, `${worktree}.lock`);
  // A worktree of a run is the same folder whether it is entered by name or by `cd`.
  const home = dirname(layout.root);
  const isOurs = basename(home) === 'worktrees' && existsSync(join(dirname(home), 'runs'));
  return isOurs ? `${layout.root}.lock` : join(layout.stateDir, 'lock');
}

/**
 * Takes the lock on the workspace. Throws `run-in-progress`, naming the other run, when another process has it.
 */
export function lockWorkspace(order: LockOrder): Promise<Lock> {
  return take(order, toWorkspaceLock(order.layout, order.worktree), 'folder');
}

/** Takes the lock on the run's own folder. */
export function lockRun(order: LockOrder): Promise<Lock> {
  return take(order, toRunPaths(order.layout.stateDir, order.runId).lock, 'run');
}

/** Who holds a workspace; `null` when nobody alive does. */
export function findWorkspaceHolder(layout: Layout, worktree: string | null): LockHolder | null {
  return readLock({ ...PROBE, path: toWorkspaceLock(layout, worktree), host: hostname(), pidNamespace: readPidNamespace() });
}

/** The living process that has the run; `null` when there is none. */
export function findHolder(layout: Layout, runId: string): LockHolder | null {
  return readLock({ ...PROBE, path: toRunPaths(layout.stateDir, runId).lock, host: hostname(), pidNamespace: readPidNamespace() });
}

/** A lock file without an owner is being written, or its writer was killed over it: which of the two shows within two seconds. */
const PATIENCE_MS = 4000;
const LOOK_EVERY_MS = 50;

const PROBE = {
  fs: nodeFileSystem,
  isAlive: (pid: number, processStart: string | null): boolean =>
    processStart === null ? processStartTime(pid) !== undefined : isAlive({ pid, startTime: processStart }),
  now: (): number => Date.now(),
};

async function take(order: LockOrder, path: string, what: 'folder' | 'run'): Promise<Lock> {
  const owner: LockOwner = {
    pid: process.pid,
    processStart: processStartTime(process.pid) ?? null,
    host: hostname(),
    pidNamespace: readPidNamespace(),
    runId: order.runId,
    startedAt: Date.now(),
    command: order.command,
  };
  for (let lookedFor = 0; ; lookedFor += LOOK_EVERY_MS) {
    const outcome = acquireLock({ ...PROBE, path, owner });
    if ('lock' in outcome) return outcome.lock;
    if (outcome.heldBy.state !== 'starting' || lookedFor >= PATIENCE_MS) throw toInProgress(outcome.heldBy, what, path);
    await pause(LOOK_EVERY_MS);
  }
}

function toInProgress({ owner, state }: LockHolder, what: 'folder' | 'run', path: string): RalphError {
  const where = { alive: '', starting: '', 'other-host': ` on ${owner?.host}`, 'other-namespace': ' in another process namespace' }[state];
  const isUnseen = state === 'other-host' || state === 'other-namespace';
  const who =
    owner === null
      ? 'Another run'
      : `Run ${owner.runId} (process ${owner.pid}${where}, since ${new Date(owner.startedAt).toLocaleString()})`;
  return new RalphError({
    code: 'run-in-progress',
    what: what === 'folder' ? `${who} is under way in this folder.` : `${who} is under way already.`,
    why: `Two runs in one folder would change the same files and read each other’s events.${isUnseen ? ' Whether that process still lives cannot be seen from here.' : ''}`,
    fix: [
      `Watch it:     ralph status${owner === null ? '' : ` ${owner.runId}`}`,
      `Stop it:      ralph stop${owner === null ? '' : ` ${owner.runId}`}`,
      'Run beside:   ralph run --worktree NAME',
      ...(isUnseen ? [`It is gone:   rm ${path}`] : []),
    ].join('\n'),
  });
}
