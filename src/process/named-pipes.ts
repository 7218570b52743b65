import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { toErrorCode } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';

/** Enough for the few commands of a short call; a run that goes on needs more, and each `mkfifo` costs as much as many pipes. */
const FIRST_REFILL = 8;
const LARGEST_REFILL = 64;

const PIPES_OF_A_CHILD = 2;

/** Both ends of a pipe: the child's is a plain file descriptor that the caller closes after the start. */
export interface OutputPipe {
  readonly childFd: number;
  /** Begins to read; to be called once. */
  open(): Readable;
  /** For a pipe that is not going to be read. */
  discard(): void;
}

interface PipeEnds {
  readonly readFd: number;
  readonly writeFd: number;
}

/** Followed by the pid of the process that makes pipes there. */
const FOLDER_PREFIX = 'ralph-pipes-';
const PIPE_FOLDER = /^ralph-pipes-(\d+)-\w{6}$/;
/** Where pipes are made, best first: a file system in memory makes one at once; on a disk each takes up to half a millisecond, and longer when many were removed lately. */
const PLACES: readonly (() => string)[] = [() => '/dev/shm', tmpdir];

const spares: PipeEnds[] = [];
let nextRefill = FIRST_REFILL;
let mostAtOnce = LARGEST_REFILL;
/**
 * In a worker thread Node.js keeps book of every descriptor that is opened there, and a stream that closes one itself spoils it. `null`: nobody has asked yet; the
 * module that tells threads apart takes milliseconds to load, which commands that start nothing need not spend.
 */
let isUnavailable: boolean | null = null;
const cannotMake = (): boolean => (isUnavailable ??= process.platform !== 'linux' || !isMainThread);

/** The pipes that this process holds, by run. */
const held = new Map<string, number>();

/**
 * A real pipe, as a shell makes one. What Node.js itself calls a pipe is a socket, and a socket cannot be opened by name: scripts
 * that say `tee /dev/stderr` or `> /dev/stdout` fail on it. Undefined where no pipe can be made; use Node's own way then.
 *
 * Node.js has no call for it, so named pipes are made by `mkfifo`, opened at both ends, and unlinked: several at a time, because
 * starting `mkfifo` takes a millisecond. Nothing stays on the disk, unless this process is killed in that millisecond: `removeDeadPipes`.
 */
export function takeOutputPipe(): OutputPipe | undefined {
  if (spares.length === 0 && !cannotMake()) refill();
  const ends = spares.pop();
  if (ends === undefined) return undefined;
  return {
    childFd: ends.writeFd,
    open: () => new Socket({ fd: ends.readFd, readable: true, writable: false }),
    discard: () => closeSync(ends.readFd),
  };
}

/** Makes pipes for the next child while one runs: the time is spent waiting anyway. */
export function restockOutputPipes(): void {
  if (spares.length >= PIPES_OF_A_CHILD || cannotMake()) return;
  setImmediate(() => {
    if (spares.length < PIPES_OF_A_CHILD) refill();
  });
}

/** Makes a named pipe. Where outputs of children will soon need pipes, too, one call of `mkfifo` makes all of them. */
export function makeNamedPipe(path: string): boolean {
  if (spares.length === 0 && !cannotMake()) refill([path]);
  return existsSync(path) || mkfifo([path]).status === 0;
}

/** The folders in which pipes were made and that are still there, with the pid of their maker. */
export function listPipeFolders(): readonly { readonly path: string; readonly makerPid: number }[] {
  return PLACES.flatMap((place) => listFolders(place())).flatMap((path) => {
    const pid = PIPE_FOLDER.exec(basename(path))?.[1];
    return pid === undefined ? [] : [{ path, makerPid: Number(pid) }];
  });
}

function listFolders(place: string): string[] {
  return tryOr(() => readdirSync(place).flatMap((name) => (name.startsWith(FOLDER_PREFIX) ? [join(place, name)] : [])), []);
}

function refill(others: readonly string[] = []): void {
  for (const [index, place] of PLACES.entries()) {
    isUnavailable = !makePipes(place(), index === 0 ? others : []);
    if (spares.length > 0) return;
  }
}

/** @returns false where it is of no use to try again */
function makePipes(place: string, others: readonly string[]): boolean {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(`${place}/${FOLDER_PREFIX}${process.pid}-`);
    const base = `${folder}/pipe`;
    const paths = Array.from({ length: nextRefill }, (_, index) => base + index);
    const made = mkfifo([...others, ...paths]);
    if (made.status !== 0) return made.status === null && toErrorCode(made.error) !== 'ENOENT';
    for (const path of paths) {
      spares.push(openBothEnds(path));
      unlinkSync(path);
    }
    nextRefill = Math.min(mostAtOnce, nextRefill * 2);
    rmdirSync(folder);
    folder = undefined;
  } catch {
    // No such place, out of file descriptors or no space: perhaps not for long.
    giveBack();
  } finally {
    if (folder !== undefined) removePipeFolder(folder);
  }
  return true;
}

/** Where file descriptors may be scarce, no more are held than the next child needs. */
function giveBack(): void {
  for (const { readFd, writeFd } of spares.splice(PIPES_OF_A_CHILD)) for (const fd of [readFd, writeFd]) closeSync(fd);
  nextRefill = PIPES_OF_A_CHILD;
  mostAtOnce = PIPES_OF_A_CHILD;
}

/** Removes the pipes in it, and the folder when it is empty: another program may have made one of that name. What cannot be removed stays. */
export function removePipeFolder(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isFIFO()) unlinkSync(join(folder, entry.name));
    rmdirSync(folder);
  } catch {
    // It belongs to another user, holds something else, or nothing can be opened now: the next `reap` looks again.
  }
}

function mkfifo(paths: readonly string[]): { readonly status: number | null; readonly error?: Error } {
  return spawnSync('mkfifo', ['-m', '600', ...paths], { env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore' });
}

function openBothEnds(path: string): PipeEnds {
  // Opening waits for the other end, unless it is the reading end and asked not to wait.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readFd, writeFd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/**
 * Makes a named pipe and holds it open, in this process and in all that it starts for a run: from then on the kernel knows whether one of them lives, and
 * {@link isPipeHeld} asks it, on the same machine also from another process namespace, where pids mean nothing. The pipe is never at its place without
 * being held. Takes some 2 ms.
 *
 * @returns what lets go of it and removes it; `null` where no pipe can be made
 */
export function holdPipe(path: string, runId: string): (() => void) | null {
  // A second pipe at the same place would take the place of the first.
  if (held.has(runId)) return null;
  const draft = `${path}.draft`;
  try {
    if (!makeNamedPipe(draft)) return null;
    const handle = openSync(draft, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      renameSync(draft, path);
    } catch {
      closeSync(handle);
      rmSync(draft, { force: true });
      return null;
    }
    held.set(runId, handle);
    return () => letGo(path, runId, handle);
  } catch {
    return null;
  }
}

function letGo(path: string, runId: string, handle: number): void {
  if (held.get(runId) !== handle) return;
  held.delete(runId);
  try {
    rmSync(path, { force: true });
  } finally {
    closeSync(handle);
  }
}

/** The handle that a child with this marker (`<run>/<turn>`) holds as well. */
export function findHeldPipe(marker: string | undefined): number | undefined {
  return marker === undefined ? undefined : held.get(marker.slice(0, marker.indexOf('/')));
}

/**
 * Whether a process holds a pipe of {@link holdPipe}; `null` where that cannot be told: there is none, or it may not be opened. True and false are only
 * said of a pipe that was made on this machine since it was started.
 */
export function isPipeHeld(path: string): boolean | null {
  try {
    if (!lstatSync(path).isFIFO()) return null;
    const handle = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const isPipe = fstatSync(handle).isFIFO();
    closeSync(handle);
    return isPipe ? true : null;
  } catch (error) {
    // The kernel's code for a pipe that no process reads.
    return toErrorCode(error) === 'ENXIO' ? false : null;
  }
}
