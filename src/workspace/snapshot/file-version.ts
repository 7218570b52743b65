import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { tryOr } from '../../core/values/result.ts';
import { ABSENT } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';

/** Larger files are told apart by size and time: reading gigabytes at the start of a run would be worse than a rare mistake. */
export const MAX_HASHED_BYTES = 16 << 20;

/** The length of an object id in a repository that uses SHA-256. */
const SHA256_ID_LENGTH = 64;

/** Begins a version that tells size and time instead of the content. */
const BY_TIME = 'time ';

/**
 * What a file of the working tree is now: `<mode> <object id>` as git would say of its raw bytes, {@link ABSENT}, `folder`,
 * `unreadable`, or `time <size> <mtime>`. Two equal texts mean the same content. Never throws.
 *
 * @param head any object id of the repository, which shows by its length how ids are made; null: the usual way.
 * @param maxHashedBytes of larger files only size and time are told.
 */
export function readFileVersion(name: string, head: string | null, maxHashedBytes: number): string {
  try {
    const path = encodeNames(name);
    const stats = lstatSync(path);
    const algorithm = head?.length === SHA256_ID_LENGTH ? 'sha256' : 'sha1';
    if (stats.isSymbolicLink()) return `120000 ${toBlobId(readlinkSync(path, 'buffer'), algorithm)}`;
    if (!stats.isFile()) return 'folder';
    if (stats.size > maxHashedBytes) return `${BY_TIME}${stats.size} ${stats.mtimeMs}`;
    return `${toGitMode(stats)} ${toBlobId(readFileSync(path), algorithm)}`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    return code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : 'unreadable';
  }
}

/** The limit under which a file's version can be compared with an earlier one: told the same way, unless the file has grown. */
export function toComparableLimit(version: string): number {
  return version.startsWith(BY_TIME) ? -1 : MAX_HASHED_BYTES;
}

function toGitMode(stats: Stats): string {
  return (stats.mode & 0o100) === 0 ? '100644' : '100755';
}

/** Git's name for a content: the hash of a short header and the bytes. */
function toBlobId(bytes: Buffer, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The size of a file in bytes; 0 for one that is not there or cannot be looked at. A link has the size of its target's name. */
export function readFileSize(path: string): number {
  return tryOr(() => lstatSync(path).size, 0);
}

/** A file that was written just now may be written once more within the same tick of the clock. */
const TICK_MS = 50;
/** Where a file system tells whole seconds, or every other one. */
const LONG_TICK_MS = 2500;

/** Whether a file cannot change any more without its times saying so. */
export function isSettled({ mtimeMs, ctimeMs }: Pick<Stats, 'mtimeMs' | 'ctimeMs'>): boolean {
  const isWhole = mtimeMs % 1000 === 0 && ctimeMs % 1000 === 0;
  return Date.now() - Math.max(mtimeMs, ctimeMs) > (isWhole ? LONG_TICK_MS : TICK_MS);
}

/** How a file looks from outside. */
export function toVersion({ mode, size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** Links are not followed; `undefined` where nothing is, or nobody may look. */
export function lookAt(path: string): Stats | undefined {
  return tryOr(() => lstatSync(path), undefined);
}
