import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../core/run/inputs.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { toJournalLines } from '../journal/journal-line.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import { createJournalFold } from '../loop/decide/decide.ts';

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
  writeFileSync(toMark(paths), JSON.stringify({ seq: entries.length, outsideOffset }), { mode: 0o600 });
}

/**
 * Where a run that came into this folder reads on in its files; `null` where it has gone on here since, or never was elsewhere: then its journal says it.
 *
 * @param lastSeq of the journal that is here
 */
export function readMove(paths: RunPaths, lastSeq: number): LeftPlaces | null {
  const value = existsSync(toMark(paths)) ? parseJson(readFileSync(toMark(paths), 'utf8')) : undefined;
  if (!isJsonObject(value)) return null;
  const { seq, outsideOffset } = value;
  // Whoever goes on writes that first.
  return typeof seq === 'number' && typeof outsideOffset === 'number' && lastSeq <= seq ? { outsideOffset } : null;
}

function toMark({ folder }: RunPaths): string {
  return join(folder, 'moved.json');
}

/** How many of the entries are in the journal that is here: what stands behind them nobody else has seen. */
function countShared({ journal }: RunPaths, entries: readonly JournalEntry[]): number {
  const here = existsSync(journal) ? readFileSync(journal) : Buffer.alloc(0);
  let at = 0;
  const other = entries.findIndex((entry) => {
    const line = toJournalLines([entry]);
    const isSame = here.subarray(at, at + line.length).equals(line);
    at += line.length;
    return !isSame;
  });
  return other < 0 ? entries.length : other;
}

function readPlaces(entries: readonly JournalEntry[]): LeftPlaces {
  if (entries.length === 0) return { outsideOffset: 0 };
  const fold = createJournalFold();
  for (const entry of entries) fold.take(entry);
  return fold.run().state;
}

/** Whether a run that came home has still to be ended here, or to go on: whoever brought it may be cut off before. */
export function owed({ folder }: Pick<RunPaths, 'folder'>) {
  const mark = join(folder, 'brought');
  return {
    is: (): boolean => existsSync(mark),
    note: (): void => writeFileSync(mark, '', { mode: 0o600 }),
    settle: (): void => rmSync(mark, { force: true }),
  };
}
