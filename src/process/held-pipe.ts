import { closeSync, constants, fstatSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { toErrorCode } from '../core/index.ts';
import { makeNamedPipe } from './output-pipe.ts';

/** The pipes that this process holds, by run. */
const held = new Map<string, number>();

/**
 * Makes a named pipe and holds it open, in this process and in all that it starts for a run: the kernel knows from then on that one of them lives, and
 * says so to whoever asks by {@link isPipeHeld} on the same machine, also from another process namespace, where their numbers mean nothing. At no
 * moment it stands at its place without being held. Takes some 2 ms.
 *
 * @returns what lets go of it and removes it; `null` where no pipe can be made
 */
export function holdPipe(path: string, runId: string): (() => void) | null {
  // Whoever has it keeps it: a second one at the same place would take it from him.
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
 * Whether somebody holds a pipe of {@link holdPipe}; `null` where that cannot be told: there is none, or it may not be opened. Only true or false of a
 * pipe that was made on this machine since it was started.
 */
export function isPipeHeld(path: string): boolean | null {
  try {
    if (!lstatSync(path).isFIFO()) return null;
    const handle = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const isPipe = fstatSync(handle).isFIFO();
    closeSync(handle);
    return isPipe ? true : null;
  } catch (error) {
    // The kernel's word for a pipe that nobody reads.
    return toErrorCode(error) === 'ENXIO' ? false : null;
  }
}
