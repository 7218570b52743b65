import { randomUUID } from 'node:crypto';
import { toErrorCode } from '../core/values/errors.ts';
import { isJsonObject, isTextOrNull, type JsonObject, parseJson } from '../core/values/json.ts';
import { accept, quietly, type Result, refuse } from '../core/values/result.ts';
import { type FileSystem, readSmallFile, withHandle, writeAll } from './file-system.ts';

/** A lock file that makes no sense is being written, if it is younger than this; else its writer died over it. */
const STALE_TORN_MS = 2000;
/** After a longer write of its lock file a process cannot be sure that no other took the file for stale. Half of the above, for clocks that differ. */
const SAFE_WRITE_MS = 1000;
/** On a disk that is that slow every time, the guard's guard is believed at once: one has to be first. */
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

export interface LockHolder {
  /** `null` while it writes its lock file. */
  readonly owner: LockOwner | null;
  /**
   * `alive-elsewhere`: on this machine, but where its number means nothing. `other-host`, `other-namespace`: on another machine, or in another process
   * namespace of this one, so that it cannot be seen from here whether it lives; the file has to be removed by hand if it does not.
   */
  readonly state: 'alive' | 'alive-elsewhere' | 'starting' | 'other-host' | 'other-namespace';
}

export type LockOutcome = Result<Lock, LockHolder>;

/**
 * Takes a lock, also one whose owner is dead (killed, or the machine was restarted); of several that want it at once, one gets it.
 * Never waits. Throws the system error (no such folder, disk full).
 *
 * A free lock is taken by creating its file exclusively. A stale one is replaced in one step, so that at no moment the file is missing,
 * by the process that holds a second lock over the replacing (`<path>.recovery`); that one is recovered in the same way if its owner died over it.
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

/** Its pid may be that of no process here, or of another one. */
function isElsewhere(owner: LockOwner, pidNamespace: string | null): boolean {
  return pidNamespace !== null && owner.pidNamespace !== null && owner.pidNamespace !== pidNamespace;
}

/** `guards`: how many locks this one guards the replacing of. */
function acquireGuarded(settings: LockSettings, guards: number): LockOutcome {
  const mine = { ...settings.owner, nonce: randomUUID() };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    if (createLockFile(settings, mine, guards >= MAX_GUARDS)) return accept(toLock(settings, mine));
    const state = readLockFile(settings.fs, settings.path);
    if (state.kind === 'missing') continue;
    const holder = isMine(state, mine) ? null : toHolder(state, { ...settings, ...settings.owner });
    if (holder !== null) return refuse(holder);
    const outcome = replaceStale(settings, mine, guards);
    if (outcome !== null) return outcome;
  }
  return refuse({ owner: null, state: 'starting' });
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
  if (!guard.ok) return guard;
  try {
    const state = readLockFile(fs, path);
    if (state.kind === 'missing') return null;
    if (!isMine(state, mine)) {
      const holder = toHolder(state, { ...settings, ...owner });
      if (holder !== null) return refuse(holder);
      // Its owner may have released it and ended while it was looked for, and another may have taken it. If it is still the same file, then its
      // owner was dead before it could release it, and only the holder of the guard changes it any more.
      if (!isSame(state, readLockFile(fs, path))) return null;
      replaceLockFile(fs, path, mine);
    }
    return accept(toLock(settings, mine));
  } finally {
    releaseQuietly(guard.value);
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
  // See above.
  quietly(() => lock.release());
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

/** Who holds a lock: enough to tell whether it still lives, and to say to a person what it does. */
export interface LockOwner {
  readonly pid: number;
  /** Opaque start time of the process, which makes the pid safe against reuse, also over a restart of the machine. */
  readonly processStart: string | null;
  readonly host: string;
  /** The process namespace of the process: from another one its pid means nothing. `null` where the system has none, or the lock does not say. */
  readonly pidNamespace: string | null;
  /** Name of the pipe in the run's folder that the process and all that it starts hold open. Default: it has none. */
  readonly pipe?: string | null;
  readonly runId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** What the person typed. */
  readonly command: string;
}

/** A lock file's content: its owner, and a text that no other lock ever has. */
interface LockRecord extends LockOwner {
  readonly nonce: string;
}

const MAX_LOCK_BYTES = 64 * 1024;

function toLockText(record: LockRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** `missing`: no file. `torn`: it is empty or makes no sense, such as while it is being written. */
type LockFileState =
  | { readonly kind: 'missing' }
  | { readonly kind: 'torn'; readonly modifiedAt: number }
  | { readonly kind: 'record'; readonly record: LockRecord };

/** Throws the system error. */
function readLockFile(fs: FileSystem, path: string): LockFileState {
  const bytes = readSmallFile(fs, path, MAX_LOCK_BYTES);
  // After reading: if the file was replaced meanwhile it seems younger than it is, which errs on the side of leaving it alone.
  const facts = fs.stat(path);
  if (facts === null || bytes === null) return { kind: 'missing' };
  const record = toRecord(parseJson(bytes.toString('utf8')));
  return record === null ? { kind: 'torn', modifiedAt: facts.modifiedAt } : { kind: 'record', record };
}

function toRecord(value: unknown): LockRecord | null {
  if (!isJsonObject(value)) return null;
  const { pid, processStart = null, pidNamespace = null, pipe = null, startedAt } = value;
  const texts = toTexts(value, ['host', 'runId', 'command', 'nonce'] as const);
  if (texts === null || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof startedAt !== 'number') return null;
  if (!isTextOrNull(processStart) || !isTextOrNull(pidNamespace) || !isTextOrNull(pipe)) return null;
  return { pid, processStart, pidNamespace, ...(pipe !== null && { pipe }), startedAt, ...texts };
}

/** The fields, if all of them are texts. */
function toTexts<K extends string>(value: JsonObject, keys: readonly K[]): Record<K, string> | null {
  const pairs = keys.map((key) => [key, value[key]] as const);
  return pairs.every(([, text]) => typeof text === 'string') ? (Object.fromEntries(pairs) as Record<K, string>) : null;
}
