import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../core/index.ts';
import { nodeFileSystem, type RunPaths, readSettings, writeSettings } from '../journal/index.ts';
import type { RunFate } from '../views/index.ts';
import { parseUndoRecord, type UndoRecord } from '../workspace/index.ts';

/** Where a run was landed, or was being landed. */
export interface LandRecord {
  readonly onto: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
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

/** The last undo of a run; null where there was none. Never throws. */
export function readUndoRecord(paths: Pick<RunPaths, 'folder'>): UndoRecord | null {
  return parseUndoRecord(readOrNull(toUndoFile(paths)));
}

/** Where it was landed last; null where it was not. Never throws. */
export function readLandRecord(paths: Pick<RunPaths, 'folder'>): LandRecord | null {
  const value = readOrNull(toLandFile(paths));
  if (!isJsonObject(value)) return null;
  const { onto, source, from, to, at, isDone } = value;
  const isWhole = [source, from, to].every((id) => typeof id === 'string' && OBJECT_ID.test(id));
  if (!isWhole || typeof onto !== 'string' || typeof at !== 'number') return null;
  return { onto, source: String(source), from: String(from), to: String(to), at, isDone: isDone === true };
}

/**
 * What a person made of a run's work after its end. Never throws.
 *
 * @param turns names of its turns, in order: an undo of fewer turns than there are is no longer the last word
 */
export function readFate(paths: Pick<RunPaths, 'folder'>, turns: readonly string[]): RunFate {
  const undo = readUndoRecord(paths);
  const land = readLandRecord(paths);
  const isUndone = undo?.kind === 'undo' && undo.state === 'done' && undo.lastTurn === turns.at(-1);
  return {
    ...(isUndone ? { undone: { at: undo.at, toTurn: undo.toTurn } } : {}),
    ...(land?.isDone ? { landed: { at: land.at, onto: land.onto } } : {}),
  };
}

function readOrNull(path: string): Json {
  if (!existsSync(path)) return null;
  try {
    return readSettings(nodeFileSystem, path);
  } catch {
    return null;
  }
}
