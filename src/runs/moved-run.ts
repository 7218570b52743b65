import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../core/run/inputs.ts';
import { isCount, isJsonObject, parseJson } from '../core/values/json.ts';
import { writeFileAtomically } from '../journal/file-system.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { createJournalFold } from '../loop/decide/decide.ts';
import { toOutsideFile } from './emit-event.ts';

/** How far the files of a folder had been read when its run left: what the journal says since is about the files of another one. */
export interface LeftPlaces {
  /** Of the file in which people publish to the run. */
  readonly outsideOffset: number;
}

/**
 * Notes that a run comes into this folder from another one; to be called before its journal is written here. Nothing is noted where nobody had gone on with it.
 *
 * @param entries the journal that comes
 * @throws the system error
 */
export function noteMove(paths: RunPaths, entries: readonly JournalEntry[]): void {
  const shared = countShared(paths, entries);
  const isElsewhere = ({ input: { type } }: JournalEntry): boolean => type === 'run-started' || type === 'run-resumed';
  if (!entries.slice(shared).some(isElsewhere)) return;
  const { outsideOffset } = readMove(paths, shared) ?? readPlaces(entries.slice(0, shared));
  const text = JSON.stringify({ runId: paths.runId, seq: entries.length, outsideOffset });
  writeFileAtomically(nodeFileSystem, toMark(paths), text, 0o600);
}

/**
 * Where a run that came into this folder reads on in its files; `null` where it has gone on here since, or never was elsewhere: then its journal says it.
 *
 * @param lastSeq of the journal that is here
 */
export function readMove(paths: RunPaths, lastSeq: number): LeftPlaces | null {
  const value = parseJson(readMark(toMark(paths)));
  if (!isJsonObject(value) || value['runId'] !== paths.runId) return null;
  const { seq, outsideOffset } = value;
  // Whoever goes on writes that first.
  if (!isCount(seq) || lastSeq > seq || !isCount(outsideOffset)) return null;
  const size = lstatSync(toOutsideFile(paths), { throwIfNoEntry: false })?.size ?? 0;
  return outsideOffset <= size ? { outsideOffset } : null;
}

/** What is written there is far smaller; what is larger is not ours. */
const MAX_BYTES = 4096;

/** Empty where nothing is there that was written here. */
function readMark(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_BYTES ? readFileSync(path, 'utf8') : '';
}

function toMark({ folder }: RunPaths): string {
  return join(folder, 'moved.json');
}

/** How many of the entries are in the journal that is here: what stands behind them nobody else has seen. Another version may write the same entry in other bytes. */
function countShared({ journal }: RunPaths, entries: readonly JournalEntry[]): number {
  const here = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
  const other = entries.findIndex((entry, index) => !isSame(parseJson(here[index] ?? ''), entry));
  return other < 0 ? entries.length : other;
}

function isSame(line: unknown, { seq, input }: JournalEntry): boolean {
  return (
    isJsonObject(line) &&
    line['seq'] === seq &&
    isJsonObject(line['input']) &&
    line['input']['at'] === input.at &&
    line['input']['type'] === input.type
  );
}

function readPlaces(entries: readonly JournalEntry[]): LeftPlaces {
  if (entries.length === 0) return { outsideOffset: 0 };
  const fold = createJournalFold();
  for (const entry of entries) fold.take(entry);
  return fold.run().state;
}

/**
 * What is left to do for a run that came home: it is ended here, if it had ended elsewhere, or goes on here. Whoever brought it may be killed before that, and its journal, which is here
 * by then, looks as if nothing were left. So a file in its folder says so, from before the journal is written until that is done; the next `ralph resume` does it.
 */
export function openHomecoming({ folder }: Pick<RunPaths, 'folder'>) {
  const mark = join(folder, 'brought');
  return {
    begin: (): void => writeFileSync(mark, '', { mode: 0o600 }),
    isUnfinished: (): boolean => existsSync(mark),
    finish: (): void => rmSync(mark, { force: true }),
  };
}
