import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, RalphError, toMoveAway } from '../core/index.ts';
import { nodeFileSystem, type RunPaths, readSettings, writeSettings } from '../journal/index.ts';
import type { RunFate } from '../views/index.ts';
import { parseUndoRecord, type UndoRecord } from '../workspace/index.ts';

/** Where a run was landed, or was being landed. */
export interface LandRecord {
  readonly onto: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
  /** True if `to` is a merge of both. */
  readonly isMerge: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** False while the branch is moved. */
  readonly isDone: boolean;
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

function toUndoFile({ folder }: Pick<RunPaths, 'folder'>): string {
  return join(folder, 'undo.json');
}

function toLandFile({ folder }: Pick<RunPaths, 'folder'>): string {
  return join(folder, 'land.json');
}

/** Throws the system error. */
export function writeUndoRecord(paths: Pick<RunPaths, 'folder'>, record: UndoRecord): void {
  writeSettings(nodeFileSystem, toUndoFile(paths), record as unknown as Json);
}

/** Throws the system error. */
export function writeLandRecord(paths: Pick<RunPaths, 'folder'>, record: LandRecord): void {
  writeSettings(nodeFileSystem, toLandFile(paths), { version: 1, ...record });
}

/**
 * The last undo of a run; null where there was none.
 *
 * @throws RalphError `undo-unknown` where there was one and nobody can tell which
 */
export function readUndoRecord({ folder, runId }: Pick<RunPaths, 'folder' | 'runId'>): UndoRecord | null {
  const path = toUndoFile({ folder });
  const record = parseUndoRecord(readOrNull(path));
  if (record !== null || !isThere(path)) return record;
  throw new RalphError({
    code: 'undo-unknown',
    what: `What the last undo of run ${runId} did cannot be read: ${path}`,
    why: 'It may have been interrupted, and without that record nobody knows which files are as they were.',
    fix: `What it kept is in ${join(folder, 'undo')} and under refs/ralph/${runId}/undo/.\nTake from there what you miss, and begin without that record. ${toMoveAway(path)}`,
  });
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Where it was landed last; null where it was not. Never throws. */
export function readLandRecord(paths: Pick<RunPaths, 'folder'>): LandRecord | null {
  const value = readOrNull(toLandFile(paths));
  if (!isJsonObject(value)) return null;
  const { onto, source, from, to, at, isDone, isMerge } = value;
  const isWhole = [source, from, to].every((id) => typeof id === 'string' && OBJECT_ID.test(id));
  if (!isWhole || typeof onto !== 'string' || typeof at !== 'number') return null;
  return { onto, source: String(source), from: String(from), to: String(to), isMerge: isMerge === true, at, isDone: isDone === true };
}

/**
 * What a person made of a run's work after its end. Never throws.
 *
 * @param turns names of its turns, in order: an undo of fewer turns than there are is no longer the last word
 */
export function readFate(paths: Pick<RunPaths, 'folder'>, turns: readonly string[]): RunFate {
  const undo = parseUndoRecord(readOrNull(toUndoFile(paths)));
  const land = readLandRecord(paths);
  const revert = toRevertCommand(paths)?.command ?? '';
  const isUndone = undo?.kind === 'undo' && undo.state === 'done' && undo.lastTurn === turns.at(-1);
  return {
    ...(isUndone ? { undone: { at: undo.at, toTurn: undo.toTurn } } : {}),
    ...(land?.isDone ? { landed: { at: land.at, onto: land.onto, revert } } : {}),
  };
}

/** What takes a landed run out of its branch again, to be typed there; null where it was not landed. */
export function toRevertCommand(paths: Pick<RunPaths, 'folder'>): { readonly onto: string; readonly command: string } | null {
  const land = readLandRecord(paths);
  if (!land?.isDone) return null;
  const { onto, source, from, to, isMerge } = land;
  const what = to === source ? `${from.slice(0, ID_CHARS)}..${to.slice(0, ID_CHARS)}` : `${isMerge ? '-m 1 ' : ''}${to.slice(0, ID_CHARS)}`;
  return { onto, command: `git revert --no-edit ${what}` };
}

const ID_CHARS = 12;

function readOrNull(path: string): Json {
  if (!existsSync(path)) return null;
  try {
    return readSettings(nodeFileSystem, path);
  } catch {
    return null;
  }
}
