import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { diffArrays } from 'diff';
import { compareLines, toErrorCode } from '../../core/index.ts';
import type { ReadRecord } from '../tool/tool.ts';
import { explainFileError, type PathRefusal, quotePath } from './check-path-text.ts';
import { isStillAt, openPinned, refuseSwapped, toPinnedPath, toSha256 } from './open-pinned.ts';

/** A write that a jail has allowed. */
export interface ReplaceOrder {
  /** As the jail resolved it. */
  readonly real: string;
  /** As it stands in messages. */
  readonly shownPath: string;
  readonly bytes: Buffer;
  /** What the file was when its content was looked at; `null` where there must be none. Anything else is refused. */
  readonly expected: ReadRecord | null;
  readonly signal: AbortSignal;
}

/** What was written, to be remembered as read. */
interface Replaced {
  readonly record: ReadRecord;
}

/** A folder that is held open while something is written in it. */
interface HeldFolder {
  readonly handle: FileHandle;
  readonly real: string;
  /** The path of a name in it; beyond the reach of whoever swaps the folder, where the system has a way for that. */
  readonly child: (name: string) => string;
}

const newFileFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a file at once or not at all: a new file beside it takes its name. Mode and owner stay (set-user-id bits do not); a hard link is cut, the
 * other name keeps its content. Missing folders are made. The folder is held open meanwhile, so that nobody can put a link in its place.
 */
export async function replaceFile(order: ReplaceOrder): Promise<Replaced | PathRefusal> {
  const folder = await holdFolder(dirname(order.real), order.shownPath).catch((error: unknown) => explainFileError(error, order.shownPath));
  if ('refused' in folder) return folder;
  const temporary = folder.child(`.ralph-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const target = folder.child(basename(order.real));
    const before = await lookAt(target);
    const objection = object(order, before);
    if (objection !== null) return objection;
    await writeNew(temporary, order.bytes, before);
    if (order.signal.aborted) {
      await forget(temporary);
      return { refused: `${quotePath(order.shownPath)} was not written: the turn was stopped.`, advice: '' };
    }
    if (!isSame(before, await lookAt(target)) || !(await isStillAt(folder.handle, folder.real))) {
      await forget(temporary);
      return refuseSwapped(order.shownPath);
    }
    await rename(temporary, target);
    const { mtimeMs } = await lstat(target);
    return { record: { mtimeMs, sizeBytes: order.bytes.length, sha256: toSha256(order.bytes) } };
  } catch (error) {
    await forget(temporary);
    return explainFileError(error, order.shownPath);
  } finally {
    await folder.handle.close();
  }
}

/** Opens a folder step by step from the nearest one that exists, making the missing ones. */
async function holdFolder(real: string, shownPath: string): Promise<HeldFolder | PathRefusal> {
  const missing: string[] = [];
  let start = real;
  while ((await lookAt(start)) === null && dirname(start) !== start) {
    missing.unshift(basename(start));
    start = dirname(start);
  }
  const handle = await openPinned(start, 'folder', shownPath);
  if ('refused' in handle) return handle;
  let folder = await toHeldFolder(handle, start);
  for (const name of missing) {
    const next = await enterNew(folder, name, shownPath);
    await folder.handle.close();
    if ('refused' in next) return next;
    folder = next;
  }
  return folder;
}

async function enterNew(folder: HeldFolder, name: string, shownPath: string): Promise<HeldFolder | PathRefusal> {
  try {
    const path = folder.child(name);
    await mkdir(path).catch((error: unknown) => {
      if (toErrorCode(error) !== 'EEXIST') throw error;
    });
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const real = join(folder.real, name);
    if (await isStillAt(handle, real)) return await toHeldFolder(handle, real);
    await handle.close();
    return refuseSwapped(shownPath);
  } catch (error) {
    return explainFileError(error, shownPath);
  }
}

async function toHeldFolder(handle: FileHandle, real: string): Promise<HeldFolder> {
  const base = (await toPinnedPath(handle)) ?? real;
  return { handle, real, child: (name) => join(base, name) };
}

function object({ shownPath, expected }: ReplaceOrder, found: Stats | null): PathRefusal | null {
  const shown = quotePath(shownPath);
  if (found === null) {
    if (expected === null) return null;
    return { refused: `${shown} was removed meanwhile.`, advice: 'Nothing was written. Look at the folder again.' };
  }
  if (found.isDirectory()) return { refused: `${shown} is a folder, not a file.`, advice: 'Give the path of a file.' };
  if (!found.isFile()) return { refused: `${shown} is no regular file.`, advice: 'Only regular files can be written.' };
  if (expected === null)
    return { refused: `${shown} exists by now.`, advice: 'Nothing was written. Read it with read_file, then write again.' };
  if (found.size === expected.sizeBytes && found.mtimeMs === expected.mtimeMs) return null;
  return { refused: `${shown} was changed while it was being written.`, advice: 'Nothing was written. Read it again, then write again.' };
}

async function writeNew(path: string, bytes: Buffer, like: Stats | null): Promise<void> {
  const handle = await open(path, newFileFlags, 0o666);
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

async function lookAt(path: string): Promise<Stats | null> {
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

async function forget(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** The last work that was begun for each file, while there is any. */
const lasts = new Map<string, Promise<unknown>>();

/**
 * Runs what reads and then writes a file when nobody else here does the same with it: of two edits that a model asks for at once, none is lost.
 * Other processes are noticed by `replaceFile`, which refuses what has changed meanwhile.
 */
export async function inTurn<Result>(real: string, work: () => Promise<Result>): Promise<Result> {
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
const maxEditLength = 1000;

/** Counts the lines that differ between two texts. */
export function countLineChanges(before: string, after: string): LineChanges {
  const changes = compareLines(toLines(before), toLines(after), (left, right) => diffArrays(left, right, { maxEditLength }));
  const count = (kind: 'added' | 'removed'): number => changes.reduce((sum, change) => sum + (change[kind] ? change.value.length : 0), 0);
  return { added: count('added'), removed: count('removed') };
}

/** As a diff says it: `+3 -1`. */
export function describeChanges({ added, removed }: LineChanges): string {
  return `+${added} -${removed}`;
}

function toLines(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
