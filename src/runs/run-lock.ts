import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toDurationText } from '../core/text/duration.ts';
import { toMoveAway, toShellWord } from '../core/text/shell-word.ts';
import { RalphError } from '../core/values/errors.ts';
import { quietly, tryOr } from '../core/values/result.ts';
import { acquireLock, type Lock, type LockHolder, type LockOutcome, type LockOwner, readLock } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { isRunId, toRunPaths } from '../journal/run-folder.ts';
import { holdPipe, isPipeHeld } from '../process/named-pipes.ts';
import { isAlive, processStartTime, readPidNamespace } from '../process/process-table.ts';
import type { Layout } from './layout.ts';
import { readRunFile } from './run-file.ts';

export interface LockOrder {
  readonly layout: Layout;
  readonly runId: string;
  /** The worktree's name; `null` in the main checkout. */
  readonly worktree: string | null;
  readonly command: string;
}

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

/** As `lockWorkspace`, for a merge into what is checked out there. */
export function lockForMerge(order: LockOrder): Promise<Lock> {
  return take(order, toWorkspaceLock(order.layout, order.worktree), 'merge');
}

/** As `lockWorkspace`, for putting files back to what they were. */
export function lockForUndo(order: LockOrder): Promise<Lock> {
  return take(order, toWorkspaceLock(order.layout, order.worktree), 'undo');
}

/** As `lockWorkspace`, for bringing home what is in a worktree. */
export function lockForLanding(order: LockOrder): Promise<Lock> {
  return take(order, toWorkspaceLock(order.layout, order.worktree), 'landing');
}

/** Takes the lock on the run's own folder, with the pipe by which others see from elsewhere whether anything of the run lives. */
export async function lockRun(order: LockOrder): Promise<Lock> {
  const { layout, runId } = order;
  const { folder, lock: path } = toRunPaths(layout.stateDir, runId);
  const pipe = toPipe(runId);
  const letGo = pipe === null ? null : holdPipe(join(folder, pipe), runId);
  try {
    const lock = await take(order, path, 'run');
    return { release: () => releaseBoth(lock, folder, letGo) };
  } catch (error) {
    letGo?.();
    throw error;
  }
}

/** Pipes go last, those of dead processes too: without them nobody elsewhere could tell whose lock it is that still stands somewhere. */
function releaseBoth(lock: Lock, folder: string, letGo: (() => void) | null): void {
  try {
    lock.release();
  } finally {
    letGo?.();
    const pipes = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => PIPE.test(name)).map((name) => join(folder, name));
    // Whoever resumes in this moment holds his already.
    for (const path of pipes) if (isPipeHeld(path) !== true) rmSync(path, { force: true });
  }
}

/** Who holds a workspace; `null` when nobody alive does. */
export function findWorkspaceHolder(layout: Layout, worktree: string | null): LockHolder | null {
  return readHolder(layout, toWorkspaceLock(layout, worktree));
}

/** The living process that has the run; `null` when there is none. */
export function findHolder(layout: Layout, runId: string): LockHolder | null {
  return readHolder(layout, toRunPaths(layout.stateDir, runId).lock);
}

/** Whether there is one. What is no file in the place of a lock is nobody's lock, and no system error tells what to do about it. */
function hasLockFile(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return stats !== undefined;
  throw new RalphError({
    code: 'state-folder',
    what: `Ralph cannot keep its lock at ${path}: what stands there is no file.`,
    why: 'By its lock a run is known to be under way, so that no second one works in the same folder.',
    fix: toMoveAway(path),
  });
}

/** Who holds the lock at that path; `null` when nobody alive does. */
export function readHolder(layout: Layout, path: string): LockHolder | null {
  // Of every old run this is asked at each start.
  if (!hasLockFile(path)) return null;
  return readLock({ ...toProbe(layout), path, host: hostname(), pidNamespace: readPidNamespace() });
}

/** Whether nobody can see from here if that process lives. */
export function isUnseen({ state }: LockHolder): boolean {
  return state === 'other-host' || state === 'other-namespace';
}

/** The process of a run that a signal alone ends, because it lets nobody in from outside; `null` where `ralph stop` ends it. */
export function findSignalPid(layout: Layout, { owner }: LockHolder): number | null {
  if (owner === null || !isRunId(owner.runId)) return null;
  return tryOr(
    () => (readRunFile(toRunPaths(layout.stateDir, owner.runId).settings).settings.externalEvents === 'off' ? owner.pid : null),
    null,
  );
}

/** What ends the run that holds a lock. */
export function toStopCommand(layout: Layout, holder: LockHolder): string {
  const signalPid = findSignalPid(layout, holder);
  if (signalPid !== null) return `kill ${signalPid}`;
  // Agents may be able to write the file: what it names goes into words to paste only where it is a run.
  return holder.owner !== null && isRunId(holder.owner.runId) ? `ralph stop ${holder.owner.runId}` : 'ralph stop';
}

/** A lock file without an owner is being written, or its writer was killed over it: which of the two shows within two seconds. */
const PATIENCE_MS = 4000;
const LOOK_EVERY_MS = 50;

const PIPE = /^alive-[\w.-]{1,80}$/;
/** A pipe for each life of a run: that of a dead one is never taken for it. Nobody asks where there are no process namespaces. */
const pipes = new Map<string, string>();

function toPipe(runId: string): string | null {
  if (readPidNamespace() === null) return null;
  const pipe = pipes.get(runId) ?? `alive-${randomUUID()}`;
  pipes.set(runId, pipe);
  return pipe;
}

function toProbe(layout: Layout) {
  return {
    fs: nodeFileSystem,
    isAlive: (pid: number, processStart: string | null): boolean =>
      processStart === null ? processStartTime(pid) !== undefined : isAlive({ pid, startTime: processStart }),
    isHeld: (owner: LockOwner): boolean | null => isHeld(layout, owner),
    now: (): number => Date.now(),
  };
}

/** A pipe is the matter of one kernel: that of another machine, or from before a restart, tells nothing. */
function isHeld({ stateDir }: Layout, { pipe = null, processStart, runId }: LockOwner): boolean | null {
  if (pipe === null || !PIPE.test(pipe) || toBoot(processStart) === null || runId !== basename(runId)) return null;
  if (toBoot(processStart) !== toBoot(processStartTime(process.pid) ?? null)) return null;
  return isPipeHeld(join(toRunPaths(stateDir, runId).folder, pipe));
}

/** What stands before the ticks in the start time of a process: the machine's boot. */
function toBoot(processStart: string | null): string | null {
  const end = processStart?.lastIndexOf(':') ?? -1;
  return processStart === null || end < 1 ? null : processStart.slice(0, end);
}

type Purpose = 'folder' | 'run' | 'merge' | 'undo' | 'landing';

/** Takes a lock at once or not at all. */
export function tryLock({ layout, runId, command }: Omit<LockOrder, 'worktree'>, path: string): LockOutcome {
  hasLockFile(path);
  const owner: LockOwner = {
    pid: process.pid,
    processStart: processStartTime(process.pid) ?? null,
    host: hostname(),
    pidNamespace: readPidNamespace(),
    pipe: toPipe(runId),
    runId,
    startedAt: Date.now(),
    command,
  };
  return acquireLock({ ...toProbe(layout), path, owner });
}

async function take(order: LockOrder, path: string, what: Purpose): Promise<Lock> {
  for (let lookedFor = 0; ; lookedFor += LOOK_EVERY_MS) {
    const outcome = tryLock(order, path);
    if (outcome.ok) return outcome.value;
    if (outcome.refused.state !== 'starting' || lookedFor >= PATIENCE_MS) throw toInProgress(order, outcome.refused, what, path);
    await pause(LOOK_EVERY_MS);
  }
}

const PLACES: Readonly<Record<LockHolder['state'], (owner: LockOwner | null) => string>> = {
  alive: () => '',
  starting: () => '',
  'alive-elsewhere': () => ' in another container or process namespace',
  'other-host': (owner) => ` on ${owner?.host}`,
  'other-namespace': () => ' in another process namespace',
};

const TWO_RUNS = 'Two runs in one folder would change the same files and read each other’s events.';

const WORDS: Readonly<Record<Purpose, { readonly where: string; readonly why: string }>> = {
  folder: { where: 'in this folder', why: TWO_RUNS },
  run: { where: 'already', why: TWO_RUNS },
  merge: {
    where: 'in this folder, into which the worktree would be merged',
    why: 'A merge would change files under the hands of its agents.',
  },
  landing: { where: 'in the worktree that would be landed', why: 'What an agent is at work on is not ready to be landed.' },
  undo: { where: 'in this folder', why: 'An undo would change files under the hands of its agents.' },
};

function toInProgress(order: LockOrder, holder: LockHolder, what: Purpose, path: string): RalphError {
  const { owner, state } = holder;
  const who =
    owner === null || !isRunId(owner.runId)
      ? 'Another run'
      : `Run ${owner.runId} (process ${owner.pid}${PLACES[state](owner)}, started ${toDurationText(Math.max(0, Date.now() - owner.startedAt))} ago)`;
  const verb = isUnseen(holder) ? 'may be' : 'is';
  return new RalphError({
    code: 'run-in-progress',
    what: `${who} ${verb} under way ${WORDS[what].where}.`,
    why: `${WORDS[what].why}${isUnseen(holder) ? ' Whether that process still lives cannot be seen from here.' : ''}`,
    fix: toFix(order, holder, path, what).join('\n'),
  });
}

function toFix({ layout, worktree }: LockOrder, holder: LockHolder, path: string, what: Purpose): readonly string[] {
  const { owner, state } = holder;
  const runId = owner !== null && isRunId(owner.runId) ? owner.runId : null;
  const stop = toStopCommand(layout, holder);
  const run = runId === null ? '' : ` ${runId}`;
  const isHere = state === 'alive' || state === 'starting';
  const both = runId === null ? [] : [toWorkspaceLock(layout, worktree), toRunPaths(layout.stateDir, runId).lock];
  const locks = new Set([path, ...both.filter((lock) => readHolder(layout, lock)?.owner?.runId === runId)]);
  return [
    what === 'merge' ? `Wait for it:  ralph status${run}` : `Watch it:     ralph status${run}`,
    isHere || stop.startsWith('kill')
      ? `Stop it:      ${stop}${isHere ? '' : ', there'}`
      : `Stop it:      ${stop}, there; from here it takes the token of the run: RALPH_TOKEN=… ${stop}`,
    ...(what === 'folder' || what === 'run' ? ['Run beside:   ralph run --worktree NAME'] : []),
    ...(isUnseen(holder) ? [`It is gone:   rm -f ${[...locks].map(toShellWord).join(' ')}`] : []),
  ];
}

/** A lock that cannot be removed will be found stale: its owner is gone then. */
export function releaseLock(lock: Lock): void {
  quietly(() => lock.release());
}
