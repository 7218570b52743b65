import { closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { toMoveAway } from '../../core/text/shell-word.ts';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { accept, type Result, refuse, tryOr } from '../../core/values/result.ts';

/** Why a file could not be read as text. */
export interface TextFault {
  readonly kind: 'missing' | 'folder' | 'special' | 'too-large' | 'encoding' | 'unreadable';
  /** The end of a sentence about the file: `it is a folder`. */
  readonly message: string;
}

/** The text of a file, or why there is none. */
export type TextFile = Result<string, TextFault>;

/** Reads a file: from the disk, or from a text in its place (unsaved changes, standard input). */
export type ReadText = (path: string, maxBytes: number, kind?: TextFileKind) => TextFile;

/** `any` is also a pipe or a device. Only a file that the command line names may be one: reading waits for ever on a pipe to which nobody writes. */
export type TextFileKind = 'regular' | 'any';

/** Reads a file of UTF-8 text without its byte order mark. Never throws. A named pipe, where it is allowed, is read to its end. */
export function readTextFile(path: string, maxBytes: number, kind: TextFileKind = 'regular'): TextFile {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return refuse({ kind: 'folder', message: 'it is a folder' });
    if (kind === 'regular' && !stats.isFile()) return refuse({ kind: 'special', message: 'it is no regular file' });
    if (stats.size > maxBytes) return tooLarge(maxBytes);
    const bytes = readAtMost(path, maxBytes + 1, kind);
    return bytes.length > maxBytes ? tooLarge(maxBytes) : decode(bytes);
  } catch (error) {
    const code = toErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return refuse({ kind: 'missing', message: 'it is not there' });
    return refuse({ kind: 'unreadable', message: `it cannot be read (${code})` });
  }
}

/** Reads to the end, or `maxBytes`: a device such as /dev/zero has no end. Throws the system error. */
function readAtMost(path: string, maxBytes: number, kind: TextFileKind): Buffer {
  // A pipe that takes the place of a regular file after it was looked at is not waited for.
  const handle = openSync(path, kind === 'any' ? 'r' : constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const chunks: Buffer[] = [];
    for (let left = maxBytes; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, 65_536));
      const count = readSync(handle, chunk);
      if (count === 0) break;
      chunks.push(chunk.subarray(0, count));
      left -= count;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(handle);
  }
}

/** What to say about a named file that cannot be read. */
export interface NamedFile {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
  readonly maxBytes: number;
  /** Beginning of the error's code: `prompt` makes `prompt-missing` and `prompt-unreadable`. */
  readonly code: string;
  readonly fix: string;
  /** Default: a regular file. */
  readonly kind?: TextFileKind;
  /** What to say where there is no such file. */
  readonly missing?: string;
}

/**
 * The text of a file that has to be there.
 *
 * @throws RalphError (exit code 2)
 */
export function readNamedFile({ path, shown, maxBytes, kind, code, fix, missing }: NamedFile): string {
  const file = readTextFile(path, maxBytes, kind);
  if (file.ok) return file.value;
  const { kind: fault, message } = file.refused;
  const isMissing = fault === 'missing';
  // A name on the command line may just be the wrong one.
  const isOther = kind !== 'any' && (fault === 'folder' || fault === 'special');
  const what = isMissing ? (missing ?? `There is no file ${shown}.`) : `The file ${shown} cannot be used: ${message}.`;
  throw new RalphError({
    code: `${code}-${isMissing ? 'missing' : 'unreadable'}`,
    what,
    ...(isOther && { why: 'The text is read only from a regular file: a folder has none, and opening a pipe may wait for ever.' }),
    fix: isOther ? `${toMoveAway(shown)}\n${fix}` : fix,
    exitCode: 2,
  });
}

function decode(bytes: Buffer): TextFile {
  try {
    return accept(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse({ kind: 'encoding', message: 'it is not UTF-8 text' });
  }
}

function tooLarge(maxBytes: number): TextFile {
  return refuse({ kind: 'too-large', message: `it is larger than ${Math.round(maxBytes / 1_000_000)} MB` });
}

/** A path as it is shown: relative to the folder of the run where it is inside of it. */
export function toShownPath(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

/** True if a regular file is at the path: a pipe or a device is none. Never throws. */
export function isFile(path: string): boolean {
  return tryOr(() => statSync(path).isFile(), false);
}

/** Whether a file is in none of these folders (absolute), links followed. */
export function liesOutside(path: string, folders: readonly string[]): boolean {
  const real = toReal(path);
  return !folders.some((folder) => real.startsWith(toReal(folder).replace(/[\\/]?$/, sep)));
}

function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
