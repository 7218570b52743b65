import { randomUUID } from 'node:crypto';
import { toErrorCode } from '../core/index.ts';
import type { FileSystem } from './file-system.ts';
import { type LockFileState, type LockOwner, type LockRecord, readLockFile, toLockText } from './lock-file.ts';
import { withHandle, writeAll } from './whole-file.ts';

/** A lock file that makes no sense is being written, if it is younger than this; else its writer died over it. */
const STALE_TORN_MS = 2000;
/** Somebody who took longer than this to write his lock file can't be sure that nobody took it for stale. Half of the above, for clocks that differ. */
const SAFE_WRITE_MS = 1000;
/** On a disk that is that slow every time, the guard's guard is believed at once: somebody has to be first. */
const MAX_GUARDS = 2;
/** How often a lock that vanishes while it is looked at is looked at again. */
const MAX_ATTEMPTS = 100;

export interface LockSettings {
  readonly fs: FileSystem;
  readonly path: string;
  readonly owner: LockOwner;
  /** Whether this process of this machine lives; `processStart` is what its own lock said. */
  readonly isAlive: (pid: number, processStart: string | null) => boolean;
  /**
   * Whether anything of an owner lives that is elsewhere (on a machine of another name, in another process namespace), where its number means nothing;
   * `null` where that cannot be seen from here. Default: it never can.
   */
  readonly isHeld?: (owner: LockOwner) => boolean | null;
  readonly now: () => number;
}

/** What {@link readLock} needs; `host` is this machine, `pidNamespace` that of this process. */
export type LockReadSettings = Pick<LockSettings, 'fs' | 'path' | 'isAlive' | 'isHeld' | 'now'> & Pick<LockOwner, 'host' | 'pidNamespace'>;

export interface Lock {
  /** Removes the lock file, if it is still this lock's. May be called more than once. Throws the system error. */
  readonly release: () => void;
}

/** Who holds a lock that was not granted. */
export interface LockHolder {
  /** `null` while it writes its lock file. */
  readonly owner: LockOwner | null;
  /**
   * `alive-elsewhere`: on this machine, but where its number means nothing. `other-host`, `other-namespace`: on another machine, or in another process
   * namespace of this one, where nobody can see from here whether it lives; the file has to be removed by hand if it does not.
   */
  readonly state: 'alive' | 'alive-elsewhere' | 'starting' | 'other-host' | 'other-namespace';
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
  return acquireGuarded(settings, 0);
}

/** Who holds the lock now; `null` when it is free or stale. Takes nothing, changes nothing. */
export function readLock(settings: LockReadSettings): LockHolder | null {
  return toHolder(readLockFile(settings.fs, settings.path), settings);
}

function toHolder(
  state: LockFileState,
  { host, pidNamespace, isAlive, isHeld, now }: Omit<LockReadSettings, 'fs' | 'path'>,
): LockHolder | null {
  if (state.kind === 'missing') return null;
  if (state.kind === 'torn') {
    // A file from the future (the clock was set back) would else be young for ever.
    return Math.abs(now() - state.modifiedAt) < STALE_TORN_MS ? { owner: null, state: 'starting' } : null;
  }
  const { nonce: _, ...owner } = state.record;
  const place = owner.host !== host ? 'other-host' : isElsewhere(owner, pidNamespace) ? 'other-namespace' : null;
  if (place !== null) {
    const living = isHeld?.(owner) ?? null;
    return living === false ? null : { owner, state: living === null ? place : 'alive-elsewhere' };
  }
  return isAlive(owner.pid, owner.processStart) ? { owner, state: 'alive' } : null;
}

/** Its number may be nobody's here, or somebody else's. */
function isElsewhere(owner: LockOwner, pidNamespace: string | null): boolean {
  return pidNamespace !== null && owner.pidNamespace !== null && owner.pidNamespace !== pidNamespace;
}

/** `guards`: how many locks this one guards the replacing of. */
function acquireGuarded(settings: LockSettings, guards: number): LockOutcome {
  const mine = { ...settings.owner, nonce: randomUUID() };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (createLockFile(settings, mine, guards >= MAX_GUARDS)) return { lock: toLock(settings, mine) };
    const state = readLockFile(settings.fs, settings.path);
    if (state.kind === 'missing') continue;
    const holder = isMine(state, mine) ? null : toHolder(state, { ...settings, ...settings.owner });
    if (holder !== null) return { heldBy: holder };
    const outcome = replaceStale(settings, mine, guards);
    if (outcome !== null) return outcome;
  }
  return { heldBy: { owner: null, state: 'starting' } };
}

/** False when there is one already, or when writing it took so long that it may have been taken for stale. */
function createLockFile({ fs, path, now }: LockSettings, mine: LockRecord, mayBeSlow: boolean): boolean {
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
  return mayBeSlow || isQuick(startedAt, now());
}

function isQuick(startedAt: number, at: number): boolean {
  return Math.abs(at - startedAt) < SAFE_WRITE_MS;
}

/** `null`: the lock changed meanwhile, try again. */
function replaceStale(settings: LockSettings, mine: LockRecord, guards: number): LockOutcome | null {
  const { fs, path, owner } = settings;
  const guard = acquireGuarded({ ...settings, path: `${path}.recovery` }, guards + 1);
  if ('heldBy' in guard) return guard;
  try {
    const state = readLockFile(fs, path);
    if (state.kind === 'missing') return null;
    if (!isMine(state, mine)) {
      const holder = toHolder(state, { ...settings, ...owner });
      if (holder !== null) return { heldBy: holder };
      // Its owner may have given it back and ended while he was looked for, and another may have taken it. If it is still the same file,
      // then its owner was dead before he could give it back, and only who holds the guard changes it any more.
      if (!isSame(state, readLockFile(fs, path))) return null;
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

function isSame(state: LockFileState, other: LockFileState): boolean {
  if (state.kind === 'record') return other.kind === 'record' && other.record.nonce === state.record.nonce;
  return state.kind === 'torn' && other.kind === 'torn' && other.modifiedAt === state.modifiedAt;
}

function isMine(state: LockFileState, mine: LockRecord): boolean {
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
