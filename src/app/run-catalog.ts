import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { listKnownRuns, nodeFileSystem, toRunPaths } from '../journal/index.ts';
import { findLayout, listProjects, openRun, type RecordCursor, type RunReader } from '../runs/index.ts';
import { createRunViewFold, type RunViewFold } from '../views/fold/index.ts';
import { toListRow } from '../views/frame/index.ts';
import { toPlainLine } from '../views/text/index.ts';
import type { RunList, RunListRow } from '../wire/run-list.ts';

/** The runs of all folders that are known here, and of one more. A run that is over is read once, and again when its journal has changed. */
export interface RunCatalog {
  /**
   * All runs that have not ended, and of the others the newest {@link MAX_LISTED}. While it is read, others have their turn; what takes long to read for the first
   * time is in a later list, the newest runs in the first.
   */
  readonly list: () => Promise<Omit<RunList, 'canSteer'>>;
  /** The run with this key: its folder and its id; `null` where there is none. Reads no journal. */
  readonly find: (key: string) => { readonly root: string; readonly runId: string } | null;
}

const MAX_LISTED = 500;
const MAX_WHY = 300;
const PATIENCE_MS = 250;

/**
 * @param cwd its runs are in the list, also where nobody has noted its folder
 * @param patienceMs how long a list waits for runs that have not been read yet, once it has one
 */
export function createRunCatalog(cwd: string, env: Environment, patienceMs = PATIENCE_MS): RunCatalog {
  const entries = new Map<string, CatalogEntry>();
  const scan = (): RunList['unread'] => {
    const { places, unread } = listPlaces(cwd, env);
    const keys = new Set(places.map(({ key }) => key));
    for (const key of entries.keys()) if (!keys.has(key)) entries.delete(key);
    for (const place of places) if (!entries.has(place.key)) entries.set(place.key, { place, version: '', row: null, read: null });
    return unread.map(({ folder, why }) => ({ folder: toShownFolder(folder, env), why }));
  };
  let unread: RunList['unread'] = [];
  const read = async (onRow: () => void): Promise<void> => {
    unread = scan();
    // Ids begin with their time: the newest first.
    for (const entry of [...entries.values()].toSorted((left, right) => (left.place.runId < right.place.runId ? 1 : -1))) {
      await readEntry(entry, env);
      onRow();
    }
  };
  let reading: ReturnType<typeof startReading> | null = null;
  const toList = (): Omit<RunList, 'canSteer'> => {
    const rows = [...entries.values()].flatMap(({ row }) => row ?? []).toSorted((left, right) => right.startedAt - left.startedAt);
    let ended = 0;
    const runs = rows.filter(({ state }) => (state !== 'ended' && state !== 'damaged') || ++ended <= MAX_LISTED);
    return { runs, at: Date.now(), unread };
  };
  return {
    list: async () => {
      reading ??= startReading(read, () => {
        reading = null;
      });
      await Promise.race([reading.all, Promise.all([reading.first, pause(patienceMs)])]);
      return toList();
    },
    find: (key) => {
      if (!entries.has(key)) scan();
      return entries.get(key)?.place ?? null;
    },
  };
}

/** A pass over all runs, and its first row. */
function startReading(
  read: (onRow: () => void) => Promise<void>,
  onEnd: () => void,
): { readonly all: Promise<void>; readonly first: Promise<void> } {
  let tellFirst = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    tellFirst = resolve;
  });
  return { all: read(() => tellFirst()).finally(onEnd), first };
}

interface RunPlace {
  readonly key: string;
  readonly root: string;
  readonly journal: string;
  readonly runId: string;
}

interface CatalogEntry {
  readonly place: RunPlace;
  /** Of the journal that the row was made from. */
  version: string;
  row: RunListRow | null;
  /** What has been read of a run whose process is there; `null` for every other one. */
  read: ReadRun | null;
}

/** A journal that is read on. */
interface ReadRun extends RecordCursor {
  readonly fold: RunViewFold;
}

/** Where runs are; nothing of them is read. */
function listPlaces(cwd: string, env: Environment): { readonly places: readonly RunPlace[]; readonly unread: RunList['unread'] } {
  const unread: { folder: string; why: string }[] = [];
  const attempt = <Result>(folder: string, look: () => readonly Result[]): readonly Result[] => {
    try {
      return look();
    } catch (error) {
      unread.push({ folder, why: toPlainLine(toErrorMessage(error), MAX_WHY) });
      return [];
    }
  };
  const own = attempt(cwd, () => [findLayout(cwd)]);
  const projects = new Map([...own, ...attempt(cwd, () => listProjects(env))].map(({ root, stateDir }) => [stateDir, root]));
  const places = [...projects].flatMap(([stateDir, root]) =>
    attempt(root, () =>
      listKnownRuns({ fs: nodeFileSystem, stateDir }).map((runId) => ({
        key: createHash('sha256').update(`${stateDir}\n${runId}`).digest('hex').slice(0, 20),
        root,
        runId,
        journal: toRunPaths(stateDir, runId).journal,
      })),
    ),
  );
  return { places, unread };
}

/** Brings a row up to date. That of a run whose process was not there stays as it is while its journal does. */
async function readEntry(entry: CatalogEntry, env: Environment): Promise<void> {
  const { place } = entry;
  const version = readVersion(place.journal);
  if (entry.row !== null && entry.read === null && entry.version === version) return;
  entry.version = version;
  try {
    const reader = openRun(place.root, place.runId, env);
    entry.read ??= { ...reader.shownRecords(), fold: createRunViewFold() };
    const { read, fold } = entry.read;
    for (let records = read(); records.length > 0; records = read()) {
      for (const record of records) fold.take(record);
      await breathe();
    }
    entry.row = toRow(place, reader, entry.read, env);
    // Also a run that is just beginning has a process.
    if (!reader.isAlive) entry.read = null;
  } catch {
    entry.read = null;
    entry.row = { ...toEmptyRow(place, env), state: 'damaged' };
  }
}

function toEmptyRow({ key, runId, root }: RunPlace, env: Environment): Omit<RunListRow, 'state'> {
  return {
    key,
    runId,
    folder: toShownFolder(root, env),
    title: '',
    attention: null,
    reason: null,
    startedAt: toStartOf(runId),
    at: toStartOf(runId),
    iterations: 0,
    maxIterations: null,
    costUsd: null,
    working: [],
  };
}

function toRow(place: RunPlace, reader: RunReader, { fold, seq }: ReadRun, env: Environment): RunListRow {
  const empty = toEmptyRow(place, env);
  const { isAlive, isUnseen } = reader;
  if (seq() === 0) return { ...empty, state: isAlive ? 'running' : 'gone' };
  return { ...empty, ...toListRow(fold.view(), { isAlive, isUnseen, now: Date.now(), live: reader.live(), isNewest: false }) };
}

/** The id of a run begins with its time in UTC: `20261121-223331-…`. */
function toStartOf(runId: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-/.exec(runId) ?? [];
  return Number(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))) || 0;
}

function toShownFolder(folder: string, { HOME: home = '' }: Environment): string {
  const isAtHome = home.length > 1 && (folder === home || folder.startsWith(join(home, sep)));
  return toPlainLine(isAtHome ? `~${folder.slice(home.length)}` : folder, 1000);
}

function readVersion(journal: string): string {
  try {
    const { size, mtimeMs, ino } = statSync(journal);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return 'none';
  }
}
