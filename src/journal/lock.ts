import { randomUUID } from 'node:crypto';
import { toErrorCode } from '../core/index.ts';
import type { FileSystem } from './file-system.ts';
import { type LockOwner, type LockRecord, readLockFile, toLockText } from './lock-file.ts';
import { withHandle, writeAll } from './whole-file.ts';

/** A lock file that makes no sense is being written, if it is younger than this; else its writer died over it. */
const STALE_TORN_MS = 2000;
/** Somebody who took longer than this to write his lock file can't be sure that nobody took it for stale. Half of the above, for clocks that differ. */
const SAFE_WRITE_MS = 1000;
/** How often a lock that vanishes while it is looked at is looked at again. */
const MAX_ATTEMPTS = 100;

export interface LockSettings {
  readonly fs: FileSystem;
  readonly path: string;
  readonly owner: LockOwner;
  /** Whether this process of this machine lives; `processStart` is what its own lock said. */
  readonly isAlive: (pid: number, processStart: string | null) => boolean;
  readonly now: () => number;
}

/** What {@link readLock} needs; `host` is this machine. */
export type LockReadSettings = Pick<LockSettings, 'fs' | 'path' | 'isAlive' | 'now'> & { readonly host: string };

export interface Lock {
  /** Removes the lock file, if it is still this lock's. May be called more than once. Throws the system error. */
  readonly release: () => void;
}

/** Who holds a lock that was not granted. */
export interface LockHolder {
  /** `null` while it writes its lock file. */
  readonly owner: LockOwner | null;
  /** `other-host`: on another machine, where nobody can see from here whether it lives; the file has to be removed by hand if it does not. */
  readonly state: 'alive' | 'starting' | 'other-host';
}

export type LockOutcome = { readonly lock: Lock } | { readonly heldBy: LockHolder };

/**
 * Takes a lock, also one whose owner is dead (killed, or the machine was restarted); of several that want it at once, one gets it.
 * Never waits. Throws the system error (no such folder, disk full).
 *
 * A free lock is taken by creating its file exclusively. A stale one is replaced in one step, so that at no moment the file is missing,
 * by whoever holds a second lock over the replacing (`<path>.recovery`); that one is recovered in the same way if its owner died over it.
 */
export function acquireLock(settings: LockSettings): LockOutcome {
  return tryAcquire(settings, { ...settings.owner, nonce: randomUUID() });
}

/** Who holds the lock now; `null` when it is free or stale. Takes nothing, changes nothing. */
export function readLock(settings: LockReadSettings): LockHolder | null {
  const found = readLockFile(settings.fs, settings.path);
  if (found.kind === 'missing') return null;
  if (found.kind === 'torn') {
    // A file from the future (the clock was set back) would else be young for ever.
    return Math.abs(settings.now() - found.modifiedAt) < STALE_TORN_MS ? { owner: null, state: 'starting' } : null;
  }
  const { nonce: _, ...owner } = found.record;
  if (owner.host !== settings.host) return { owner, state: 'other-host' };
  return settings.isAlive(owner.pid, owner.processStart) ? { owner, state: 'alive' } : null;
}

function tryAcquire(settings: LockSettings, mine: LockRecord): LockOutcome {
  const reader = { ...settings, host: settings.owner.host };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (createLockFile(settings, mine)) return { lock: toLock(settings, mine) };
    const state = readLockFile(settings.fs, settings.path);
    if (state.kind === 'missing') continue;
    const holder = isMine(state, mine) ? null : readLock(reader);
    if (holder !== null) return { heldBy: holder };
    const outcome = replaceStale(settings, mine);
    if (outcome !== null) return outcome;
  }
  return { heldBy: { owner: null, state: 'starting' } };
}

/** False when there is one already, or when writing it took so long that it may have been taken for stale. */
function createLockFile({ fs, path, now }: LockSettings, mine: LockRecord): boolean {
  const startedAt = now();
  let handle: number;
  try {
    handle = fs.open(path, 'create');
  } catch (error) {
    if (toErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    withHandle(fs, handle, () => writeAll(fs, handle, Buffer.from(toLockText(mine))));
  } catch (error) {
    if (isQuick(startedAt, now())) fs.unlink(path);
    throw error;
  }
  return isQuick(startedAt, now());
}

function isQuick(startedAt: number, at: number): boolean {
  return Math.abs(at - startedAt) < SAFE_WRITE_MS;
}

/** `null`: the lock vanished meanwhile, try again. */
function replaceStale(settings: LockSettings, mine: LockRecord): LockOutcome | null {
  const { fs, path, owner } = settings;
  const guard = acquireLock({ ...settings, path: `${path}.recovery` });
  if ('heldBy' in guard) return guard;
  try {
    const state = readLockFile(fs, path);
    if (state.kind === 'missing') return null;
    if (!isMine(state, mine)) {
      const holder = readLock({ ...settings, host: owner.host });
      if (holder !== null) return { heldBy: holder };
      replaceLockFile(fs, path, mine);
    }
    return { lock: toLock(settings, mine) };
  } finally {
    releaseQuietly(guard.lock);
  }
}

/** In one step; only under the guard. Nothing is synced: a lock says nothing about processes that a power loss ended. */
function replaceLockFile(fs: FileSystem, path: string, mine: LockRecord): void {
  const temporary = `${path}.tmp`;
  if (fs.stat(temporary) !== null) fs.unlink(temporary);
  withHandle(fs, fs.open(temporary, 'create'), (handle) => writeAll(fs, handle, Buffer.from(toLockText(mine))));
  fs.rename(temporary, path);
}

/** The lock itself is what counts; a guard that stays behind is stale as soon as this process ends. */
function releaseQuietly(lock: Lock): void {
  try {
    lock.release();
  } catch {
    // See above.
  }
}

function isMine(state: ReturnType<typeof readLockFile>, mine: LockRecord): boolean {
  return state.kind === 'record' && state.record.nonce === mine.nonce;
}

function toLock({ fs, path }: LockSettings, mine: LockRecord): Lock {
  let isHeld = true;
  const release = (): void => {
    if (isHeld && isMine(readLockFile(fs, path), mine)) fs.unlink(path);
    isHeld = false;
  };
  return { release };
}
