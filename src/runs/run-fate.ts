import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { toMoveAway } from '../core/text/shell-word.ts';
import { RalphError } from '../core/values/errors.ts';
import { isJsonObject, type Json } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { readSettings, writeSettings } from '../journal/run-settings.ts';
import { removeTree } from '../process/remove-tree.ts';
import type { RunFate, UnknownFate } from '../views/report/work-facts.ts';
import { parseUndoRecord, type UndoRecord } from '../workspace/undo/undo-record.ts';

export interface LandRecord {
  readonly onto: string;
  readonly source: string;
  readonly from: string;
  readonly to: string;
  /** True if `to` is a merge of both. */
  readonly isMerge: boolean;
  /** True if a hat resolved its conflict: nobody could make the same again. */
  readonly isResolved: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  /** False while the branch is moved. */
  readonly isDone: boolean;
}

const OBJECT_ID = /^[0-9a-f]{40,64}$/;

const UNDO_FILE = 'undo.json';
const LAND_FILE = 'land.json';

function toUndoFile({ folder }: Pick<RunPaths, 'folder'>): string {
  return join(folder, UNDO_FILE);
}

function toLandFile({ folder }: Pick<RunPaths, 'folder'>): string {
  return join(folder, LAND_FILE);
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
 * @param what is not known, for the person
 * @throws RalphError `undo-unknown` where there was one and nobody can tell which
 */
export function readUndoRecord({ folder, runId }: Pick<RunPaths, 'folder' | 'runId'>, what?: string): UndoRecord | null {
  const path = toUndoFile({ folder });
  const record = readKept(path, parseUndoRecord);
  if (record !== UNREADABLE) return record;
  throw new RalphError({
    code: 'undo-unknown',
    what: `${what ?? `What the last undo of run ${runId} did cannot be read`}: ${path}`,
    why: 'It may have been interrupted, and without that record nobody knows which files are as they were.',
    fix: `What it kept is in ${join(folder, 'undo')} and under refs/ralph/${runId}/undo/.\nCopy what you miss from there, and start without that record. ${toMoveAway(path)}`,
  });
}

/** Where it was landed last; null where it was not, or nobody can tell. Never throws. */
export function readLandRecord(paths: Pick<RunPaths, 'folder'>): LandRecord | null {
  const record = readKept(toLandFile(paths), parseLandRecord);
  return record === UNREADABLE ? null : record;
}

function parseLandRecord(value: Json): LandRecord | null {
  if (!isJsonObject(value)) return null;
  const { onto, source, from, to, at } = value;
  const is = (name: string): boolean => value[name] === true;
  const isWhole = [source, from, to].every((id) => typeof id === 'string' && OBJECT_ID.test(id));
  if (!isWhole || typeof onto !== 'string' || typeof at !== 'number') return null;
  const ends = { onto, source: String(source), from: String(from), to: String(to) };
  return { ...ends, isMerge: is('isMerge'), isResolved: is('isResolved'), at, isDone: is('isDone') };
}

/**
 * Refuses a run that was undone, or whose fate nobody can tell.
 *
 * @param verb what is not done with it: `landed`
 * @throws RalphError `land-undone`, `undo-unknown`, `land-unknown`
 */
export function requireFate(paths: Pick<RunPaths, 'folder' | 'runId'>, turns: readonly string[], verb: string): void {
  const { runId } = paths;
  readUndoRecord(paths, `Run ${runId} is not ${verb}, for it may be undone: what its last undo did cannot be read`);
  const { undone, isUndoOpen, unknown = [] } = readFate(paths, turns);
  if (undone?.toTurn === 0 || isUndoOpen) throw toUndone(runId, verb, isUndoOpen === true);
  if (unknown.length === 0) return;
  const path = toLandFile(paths);
  throw new RalphError({
    code: 'land-unknown',
    what: `Run ${runId} is not ${verb}, for it may have landed already: where it did cannot be read: ${path}`,
    why: 'A squashed branch would come a second time, over whatever was made of it since.',
    fix: `See whether its work is there: git log --grep='Ralph-Run: ${runId}'\nBegin without that record. ${toMoveAway(path)}`,
  });
}

function toUndone(runId: string, verb: string, isOpen: boolean): RalphError {
  return new RalphError({
    code: 'land-undone',
    what: isOpen ? `Run ${runId} is not ${verb}: an undo of it was interrupted.` : `Run ${runId} is not ${verb}: you undid it.`,
    why: isOpen
      ? 'Some of its files are as they were, some as they will be.'
      : 'Its files are what they were before its first turn: there is nothing to bring home.',
    fix: `${isOpen ? 'Finish it' : 'Bring it back first'}: ralph undo ${runId} --yes`,
  });
}

/**
 * What a person made of a run's work after its end. Never throws.
 *
 * @param turns names of its turns, in order: an undo of fewer turns than there are is no longer the last word
 */
export function readFate(paths: Pick<RunPaths, 'folder'>, turns: readonly string[]): RunFate {
  const undo = readKept(toUndoFile(paths), parseUndoRecord);
  const land = readKept(toLandFile(paths), parseLandRecord);
  const revert = toRevertCommand(paths)?.command ?? '';
  const unknown: readonly UnknownFate[] = [
    ...(undo === UNREADABLE ? [{ of: 'undone', file: UNDO_FILE } as const] : []),
    ...(land === UNREADABLE ? [{ of: 'landed', file: LAND_FILE } as const] : []),
  ];
  const known = undo === UNREADABLE ? null : undo;
  const isUndone = known?.kind === 'undo' && known.state === 'done' && known.lastTurn === turns.at(-1);
  return {
    ...(isUndone ? { undone: { at: known.at, toTurn: known.toTurn } } : {}),
    ...(known?.state === 'doing' ? { isUndoOpen: true } : {}),
    ...(land !== null && land !== UNREADABLE && land.isDone ? { landed: { at: land.at, onto: land.onto, revert } } : {}),
    ...(unknown.length > 0 ? { unknown } : {}),
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

const UNREADABLE = Symbol('there, but not what it should be');

/** Null where there is nothing. Never throws. */
function readKept<T>(path: string, parse: (value: Json) => T | null): T | null | typeof UNREADABLE {
  if (!isThere(path)) return null;
  return tryOr(() => parse(readSettings(nodeFileSystem, path)) ?? UNREADABLE, UNREADABLE);
}

function isThere(path: string): boolean {
  return tryOr(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined, true);
}

const COMMIT_FILE = 'last-commit.json';

/** Keeps why the last commit of a run in its worktree failed; an empty note forgets it. Never throws. */
export function keepCommitFailure({ folder }: Pick<RunPaths, 'folder'>, note: string): void {
  const path = join(folder, COMMIT_FILE);
  try {
    if (note === '') removeTree(path);
    else writeSettings(nodeFileSystem, path, { version: 1, note });
  } catch {
    // Who asks for it is told that files are not committed, if not why.
  }
}

/** Why the last commit of a run in its worktree failed; empty where it did not, or nobody knows. Never throws. */
export function readCommitFailure({ folder }: Pick<RunPaths, 'folder'>): string {
  return tryOr(() => {
    const kept = readSettings(nodeFileSystem, join(folder, COMMIT_FILE));
    return isJsonObject(kept) && typeof kept['note'] === 'string' ? kept['note'] : '';
  }, '');
}
