import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isMainThread } from 'node:worker_threads';
import { processStartTime } from './process-identity.ts';
import { toFault } from './to-fault.ts';

/** Enough for the few commands of a short call; a run that goes on needs more, and each `mkfifo` costs as much as many pipes. */
const firstRefill = 8;
const largestRefill = 64;

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
const folderName = 'ralph-pipes-';
const ownFolder = /^ralph-pipes-(\d+)-\w{6}$/;
/** Where pipes are made, best first: a file system in memory makes one at once; on a disk each takes up to half a millisecond, more the more were removed lately. */
const places: readonly (() => string)[] = [() => '/dev/shm', tmpdir];

const spares: PipeEnds[] = [];
let nextRefill = firstRefill;
let mostAtOnce = largestRefill;
/** In a worker thread Node.js keeps book of every descriptor that is opened there, and a stream that closes one itself spoils it. */
let isUnavailable = process.platform !== 'linux' || !isMainThread;

/**
 * A real pipe, as a shell makes one. What Node.js itself calls a pipe is a socket, and a socket cannot be opened by name: scripts
 * that say `tee /dev/stderr` or `> /dev/stdout` fail on it. Undefined where no pipe can be made; use Node's own way then.
 *
 * Node.js has no call for it, so named pipes are made by `mkfifo`, opened at both ends, and unlinked: several at a time, because
 * starting `mkfifo` takes a millisecond. Nothing stays on the disk, unless this process is killed in that millisecond: `removeDeadPipes`.
 */
export function takeOutputPipe(): OutputPipe | undefined {
  if (spares.length === 0 && !isUnavailable) refill();
  const ends = spares.pop();
  if (ends === undefined) return undefined;
  return {
    childFd: ends.writeFd,
    open: () => new Socket({ fd: ends.readFd, readable: true, writable: false }),
    discard: () => closeSync(ends.readFd),
  };
}

/** For the next child, once one runs: whoever waits for that one anyway has the time to make pipes. */
export function restockOutputPipes(): void {
  if (spares.length >= PIPES_OF_A_CHILD || isUnavailable) return;
  setImmediate(() => {
    if (spares.length < PIPES_OF_A_CHILD) refill();
  });
}

/** Makes a named pipe. Where outputs of children will soon need pipes, too, one call of `mkfifo` makes all of them. */
export function makeNamedPipe(path: string): boolean {
  if (spares.length === 0 && !isUnavailable) refill([path]);
  return existsSync(path) || mkfifo([path]).status === 0;
}

/**
 * Removes the folders of pipes whose makers are dead, from the places where pipes are made. What cannot be removed stays. A maker that lives where it
 * cannot be seen from here makes its pipes another way this once.
 */
export function removeDeadPipes(): void {
  for (const folder of places.flatMap((place) => listFolders(place()))) {
    const pid = ownFolder.exec(basename(folder))?.[1];
    if (pid !== undefined && processStartTime(Number(pid)) === undefined) removeFolder(folder);
  }
}

function listFolders(place: string): string[] {
  try {
    return readdirSync(place).flatMap((name) => (name.startsWith(folderName) ? [join(place, name)] : []));
  } catch {
    return [];
  }
}

function refill(others: readonly string[] = []): void {
  for (const [index, place] of places.entries()) {
    isUnavailable = !makePipes(place(), index === 0 ? others : []);
    if (spares.length > 0) return;
  }
}

/** @returns false where it is of no use to try again */
function makePipes(place: string, others: readonly string[]): boolean {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(`${place}/${folderName}${process.pid}-`);
    const base = `${folder}/pipe`;
    const paths = Array.from({ length: nextRefill }, (_, index) => base + index);
    const made = mkfifo([...others, ...paths]);
    if (made.status !== 0) return made.status === null && toFault(made.error).code !== 'ENOENT';
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
    if (folder !== undefined) removeFolder(folder);
  }
  return true;
}

/** Where file descriptors may be scarce, no more are held than the next child needs. */
function giveBack(): void {
  for (const { readFd, writeFd } of spares.splice(PIPES_OF_A_CHILD)) for (const fd of [readFd, writeFd]) closeSync(fd);
  nextRefill = PIPES_OF_A_CHILD;
  mostAtOnce = PIPES_OF_A_CHILD;
}

/** Only pipes are taken away, and the folder when it is empty: somebody else may have made one of that name. What cannot be removed stays. */
function removeFolder(folder: string): void {
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
