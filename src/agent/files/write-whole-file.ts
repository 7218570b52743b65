import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diffArrays } from 'diff';
import { compareLines } from '../../core/text/compare-lines.ts';
import { toErrorCode } from '../../core/values/errors.ts';
import { accept, type Refusal, type Result, refuse } from '../../core/values/result.ts';
import type { ReadRecord } from '../tool/tool.ts';
import { explainFileError, quotePath } from './check-path-text.ts';
import { explainSwap, isStillAt, openPinned, toPinnedPath, toSha256 } from './open-pinned.ts';

export interface WriteOrder {
  /** As the jail resolved it. */
  readonly real: string;
  /** As it stands in messages. */
  readonly shownPath: string;
  readonly bytes: Buffer;
  /** What the file was when its content was looked at; `null` where there must be none. Anything else is refused. */
  readonly expected: ReadRecord | null;
  readonly signal: AbortSignal;
}

/** A folder that is held open while something is written in it. */
interface HeldFolder {
  readonly handle: FileHandle;
  readonly real: string;
  /** The path of a name in it; beyond the reach of whoever swaps the folder, where the system has a way for that. */
  readonly child: (name: string) => string;
}

const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a file at once or not at all: a new file beside it takes its name. Mode and owner stay (set-user-id bits do not); a hard link is cut, the
 * other name keeps its content. Missing folders are made. The folder is held open meanwhile, so that no link can be put in its place.
 *
 * @returns what was written, to be remembered as read
 */
export async function writeWholeFile(order: WriteOrder): Promise<Result<ReadRecord>> {
  const held = await holdFolder(dirname(order.real), order.shownPath).catch((error: unknown) =>
    refuse(explainFileError(error, order.shownPath)),
  );
  if (!held.ok) return held;
  const folder = held.value;
  const temporary = folder.child(`.ralph-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const target = folder.child(basename(order.real));
    const before = await readStats(target);
    const change = explainChange(order, before);
    if (change !== null) return refuse(change);
    await writeNew(temporary, order.bytes, before);
    if (order.signal.aborted) {
      await removeFile(temporary);
      return refuse({ reason: `${quotePath(order.shownPath)} was not written: the turn was stopped.`, advice: '' });
    }
    if (!isSame(before, await readStats(target)) || !(await isStillAt(folder.handle, folder.real))) {
      await removeFile(temporary);
      return refuse(explainSwap(order.shownPath));
    }
    await rename(temporary, target);
    const { mtimeMs } = await lstat(target);
    return accept({ mtimeMs, sizeBytes: order.bytes.length, sha256: toSha256(order.bytes) });
  } catch (error) {
    await removeFile(temporary);
    return refuse(explainFileError(error, order.shownPath));
  } finally {
    await folder.handle.close();
  }
}

/** Opens a folder step by step from the nearest one that exists, making the missing ones. */
async function holdFolder(real: string, shownPath: string): Promise<Result<HeldFolder>> {
  const missing: string[] = [];
  let start = real;
  while ((await readStats(start)) === null && dirname(start) !== start) {
    missing.unshift(basename(start));
    start = dirname(start);
  }
  const opened = await openPinned(start, 'folder', shownPath);
  if (!opened.ok) return opened;
  let folder = await toHeldFolder(opened.value, start);
  for (const name of missing) {
    const next = await enterNew(folder, name, shownPath);
    await folder.handle.close();
    if (!next.ok) return next;
    folder = next.value;
  }
  return accept(folder);
}

async function enterNew(folder: HeldFolder, name: string, shownPath: string): Promise<Result<HeldFolder>> {
  try {
    const path = folder.child(name);
    await mkdir(path).catch((error: unknown) => {
      if (toErrorCode(error) !== 'EEXIST') throw error;
    });
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const real = join(folder.real, name);
    if (await isStillAt(handle, real)) return accept(await toHeldFolder(handle, real));
    await handle.close();
    return refuse(explainSwap(shownPath));
  } catch (error) {
    return refuse(explainFileError(error, shownPath));
  }
}

async function toHeldFolder(handle: FileHandle, real: string): Promise<HeldFolder> {
  const base = (await toPinnedPath(handle)) ?? real;
  return { handle, real, child: (name) => join(base, name) };
}

/** Why the file is not what it was when its content was looked at; `null` where it is. */
function explainChange({ shownPath, expected }: WriteOrder, found: Stats | null): Refusal | null {
  const shown = quotePath(shownPath);
  if (found === null) {
    if (expected === null) return null;
    return { reason: `${shown} was removed meanwhile.`, advice: 'Nothing was written. Look at the folder again.' };
  }
  if (found.isDirectory()) return { reason: `${shown} is a folder, not a file.`, advice: 'Give the path of a file.' };
  if (!found.isFile()) return { reason: `${shown} is no regular file.`, advice: 'Only regular files can be written.' };
  if (expected === null)
    return { reason: `${shown} exists by now.`, advice: 'Nothing was written. Read it with read_file, then write again.' };
  if (found.size === expected.sizeBytes && found.mtimeMs === expected.mtimeMs) return null;
  return { reason: `${shown} was changed while it was being written.`, advice: 'Nothing was written. Read it again, then write again.' };
}

async function writeNew(path: string, bytes: Buffer, like: Stats | null): Promise<void> {
  const handle = await open(path, NEW_FILE_FLAGS, 0o666);
  try {
    await handle.writeFile(bytes);
    if (like !== null) {
      await handle.chown(like.uid, like.gid).catch(() => undefined);
      await handle.chmod(like.mode & 0o777);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function readStats(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const code = toErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function isSame(before: Stats | null, now: Stats | null): boolean {
  if (before === null || now === null) return before === now;
  return before.ino === now.ino && before.dev === now.dev && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** The last work that was begun for each file, while there is any. */
const lasts = new Map<string, Promise<unknown>>();

/**
 * Runs what reads and then writes a file while nothing else here does the same with it: of two edits that a model asks for at once, none is lost.
 * Other processes are noticed by `writeWholeFile`, which refuses what has changed meanwhile.
 */
export async function runAlone<Done>(real: string, work: () => Promise<Done>): Promise<Done> {
  const before = lasts.get(real) ?? Promise.resolve();
  const mine = before.then(work, work);
  lasts.set(real, mine);
  try {
    return await mine;
  } finally {
    if (lasts.get(real) === mine) lasts.delete(real);
  }
}

/** How many lines a change adds and takes away. */
interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

/** Where more lines differ, all from the first to the last of them count as replaced: to find the rest would take longer than anybody waits for it. */
const MAX_EDIT_LENGTH = 1000;

/** Counts the lines that differ between two texts. */
export function countLineChanges(before: string, after: string): LineChanges {
  const changes = compareLines(toLines(before), toLines(after), (left, right) =>
    diffArrays(left, right, { maxEditLength: MAX_EDIT_LENGTH }),
  );
  const count = (kind: 'added' | 'removed'): number => changes.reduce((sum, change) => sum + (change[kind] ? change.value.length : 0), 0);
  return { added: count('added'), removed: count('removed') };
}

/** As a diff says it: `+3 -1`. */
export function describeLineChanges({ added, removed }: LineChanges): string {
  return `+${added} -${removed}`;
}

function toLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
