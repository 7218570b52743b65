import { chmodSync, copyFileSync, lstatSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import { ABSENT } from '../../git/contract.ts';
import { encodeNames } from '../../git/file-names.ts';
import { readFileVersion } from '../snapshot/file-version.ts';
import { readStanding } from '../snapshot/present-tree.ts';

/** One file of an undo, in raw bytes: `<mode> <object id>` or {@link ABSENT}. */
export interface UndoStep {
  /** From the top of the repository. */
  readonly path: string;
  readonly was: string;
  readonly will: string;
}

/** What an undo did, or was doing when it was killed: kept in the folder of the run. */
export interface UndoRecord {
  readonly version: 1;
  /** Counts the undos of a run; its files and its snapshot bear it. */
  readonly number: number;
  /** `redo` takes an undo back. */
  readonly kind: 'undo' | 'redo';
  readonly state: 'doing' | 'done';
  /** Epoch milliseconds. */
  readonly at: number;
  /** The iteration behind which the files are; 0: before the first. */
  readonly toTurn: number;
  /** The last turn that the run had then: with later ones, from a resumed run, this undo is no longer the last word. */
  readonly lastTurn: string;
  readonly files: readonly UndoStep[];
  /** Entries of the person's index that go with them, as git names them. */
  readonly index: readonly UndoStep[];
}

const VERSION = /^(?:\d{6} [0-9a-f]{40,64})$/;

/** Null for what is none; a path that leads out of the working tree, or to git's own files, makes it none. */
export function parseUndoRecord(value: Json): UndoRecord | null {
  if (!isJsonObject(value) || value['version'] !== 1) return null;
  const { number, kind, state, at, toTurn, lastTurn } = value;
  const [files, index] = [parseSteps(value['files']), parseSteps(value['index'])];
  const isCounted = [number, at, toTurn].every((count) => typeof count === 'number' && Number.isSafeInteger(count) && count >= 0);
  if (!isCounted || files === null || index === null || typeof lastTurn !== 'string') return null;
  if ((kind !== 'undo' && kind !== 'redo') || (state !== 'doing' && state !== 'done')) return null;
  return { version: 1, number: Number(number), kind, state, at: Number(at), toTurn: Number(toTurn), lastTurn, files, index };
}

function parseSteps(value: Json | undefined): readonly UndoStep[] | null {
  if (!Array.isArray(value)) return null;
  const steps = value.flatMap((step) => {
    if (!isJsonObject(step)) return [];
    const { path, was, will } = step;
    return typeof path === 'string' && isInside(path) && isVersion(was) && isVersion(will) ? [{ path, was, will }] : [];
  });
  return steps.length === value.length ? steps : null;
}

function isInside(path: string): boolean {
  return (
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git') && !path.includes('\0')
  );
}

function isVersion(value: Json | undefined): value is string {
  return typeof value === 'string' && (value === ABSENT || VERSION.test(value));
}

/** Where the files of an undo are kept until it is over, and those that it took: by their places in the list of its files. */
export interface UndoFolders {
  /** As they were. */
  readonly before: string;
  /** As they will be. */
  readonly after: string;
}

export function toUndoFolders(runFolder: string, number: number): UndoFolders {
  const folder = join(runFolder, 'undo', String(number));
  return { before: join(folder, 'before'), after: join(folder, 'after') };
}

/**
 * What a file of the working tree is, by its content, however large. What is no file or link is {@link ABSENT}, and so is what lies behind a link.
 *
 * @param sample any object id of the repository, or a version with one
 */
export function readRawVersion(top: string, path: string, sample: string): string {
  if (readStanding(top, path) !== 'file') return ABSENT;
  return readFileVersion(join(top, path), sample.split(' ').at(-1) ?? null, Number.POSITIVE_INFINITY);
}

/** Copies a file with its mode, or a link as what it says. Throws the system error. */
export function copyExact(from: string, to: string): void {
  const [source, target] = [encodeNames(from), encodeNames(to)];
  const stats = lstatSync(source);
  if (stats.isSymbolicLink()) return symlinkSync(readlinkSync(source, 'buffer'), target);
  copyFileSync(source, target);
  chmodSync(target, stats.mode & 0o777);
}
