import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { tryOr } from '../core/values/result.ts';
import type { FileFacts, FileSystem, OpenMode } from './file-system.ts';
import { nodeFileSystem, toFileFacts } from './node-file-system.ts';

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  append: O_WRONLY | O_CREAT | O_APPEND,
  create: O_WRONLY | O_CREAT | O_EXCL,
};

/**
 * The disk, for files that agents may put anything in the place of (`.agent/events.jsonl`), while Ralph itself is held by no sandbox. A file is
 * opened only if it is a regular one with one name, and no folder between it and `root` is a symbolic link; nothing is ever waited for.
 *
 * `stat`, `open` and `makeFolder` throw RalphError `events-file-not-a-file` where a link or a second name is found.
 *
 * @param root absolute path of the folder in which the files lie, links on the way to it resolved as they are; `null` where it is not known: then
 *   only the file itself is looked at. The same counts for paths outside of it.
 */
export function createSharedFileSystem(root: string | null): FileSystem {
  return {
    ...nodeFileSystem,
    open: (path, mode, permissions = 0o666) => openHeld(root, path, mode, permissions),
    stat: (path) => lookHeld(root, path),
    makeFolder(path, permissions = 0o777) {
      const parent = findFolder(root, path);
      if (parent !== null) requireReal(dirname(path), parent);
      mkdirSync(path, permissions);
    },
  };
}

function openHeld(root: string | null, path: string, mode: OpenMode, permissions: number): number {
  const expected = findFolder(root, path);
  if (expected === null) return openFile(path, path, mode, permissions);
  const folder = openSync(dirname(path), O_RDONLY | O_DIRECTORY);
  try {
    const place = `/proc/self/fd/${folder}`;
    const real = tryOr(() => readlinkSync(place), null);
    // A path below the handle stays in the folder, also when that is moved.
    if (real !== null) {
      if (real !== expected) throw toLinkError(dirname(path));
      return openFile(path, join(place, basename(path)), mode, permissions);
    }
    requireReal(dirname(path), expected);
    const handle = openFile(path, path, mode, permissions);
    return closeUnless(handle, () => requireSame(handle, join(expected, basename(path)), path));
  } finally {
    closeSync(folder);
  }
}

function openFile(path: string, place: string, mode: OpenMode, permissions: number): number {
  let handle: number;
  try {
    handle = openSync(place, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, permissions);
  } catch (error) {
    if (toErrorCode(error) === 'ELOOP') throw toLinkError(path);
    throw error;
  }
  return closeUnless(handle, () => requirePlain(fstatSync(handle), path));
}

function closeUnless(handle: number, check: () => void): number {
  try {
    check();
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function lookHeld(root: string | null, path: string): FileFacts | null {
  if (root !== null && relative(root, path) === '') return nodeFileSystem.stat(path);
  const expected = findFolder(root, path);
  const real = expected === null ? null : findReal(dirname(path));
  if (real !== null && real !== expected) throw toLinkError(dirname(path));
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isSymbolicLink()) throw toLinkError(path);
  if (stats.isFile()) requirePlain(stats, path);
  return toFileFacts(stats);
}

/** Where the folder of `path` has to be in truth; `null` for a path that is not below the root. */
function findFolder(root: string | null, path: string): string | null {
  if (root === null) return null;
  const rest = relative(root, dirname(path));
  if (rest === '..' || rest.startsWith(`..${sep}`) || isAbsolute(rest)) return null;
  return join(realpathSync.native(root), rest);
}

function requireReal(folder: string, expected: string): void {
  if (realpathSync.native(folder) !== expected) throw toLinkError(folder);
}

function requireSame(handle: number, real: string, path: string): void {
  const [found, now] = [fstatSync(handle), lstatSync(real)];
  if (found.dev !== now.dev || found.ino !== now.ino || realpathSync.native(real) !== real) throw toLinkError(path);
}

function requirePlain(stats: Stats, path: string): void {
  if (!stats.isFile()) throw toError(path, 'is not a file');
  if (stats.nlink > 1) throw toError(path, 'is a file with a second name (a hard link)');
}

/** Null for a folder that is not there. */
function findReal(folder: string): string | null {
  return tryOr(() => (lstatSync(folder, { throwIfNoEntry: false }) === undefined ? null : realpathSync.native(folder)), null);
}

function toLinkError(path: string): RalphError {
  return toError(path, 'is a symbolic link, or lies behind one');
}

function toError(path: string, what: string): RalphError {
  return new RalphError({
    code: 'events-file-not-a-file',
    what: `${path} ${what}; nothing is read or written there.`,
    why: 'Agents may put anything there, and Ralph would follow where a sandbox would not let them go.',
    fix: 'Move it away and try again; Ralph makes the file and its folder itself.',
  });
}
