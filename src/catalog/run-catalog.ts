import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { type AwayRun, findAllElsewhere, type JournalEnd } from '../fleet-runs/find-elsewhere.ts';
import type { RunSteering } from '../fleet-runs/steer-fleet.ts';
import { listKnownRuns } from '../journal/find-run.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import { findLayout } from '../runs/find-layout.ts';
import { listProjects } from '../runs/list-runs.ts';
import { toListRow } from '../views/frame/list-row.ts';
import type { FrameFacts, WatchedRun } from '../views/frame/watched-run.ts';
import { toElsewhereAttention, toElsewhereText } from '../views/report/elsewhere-report.ts';
import { toPlainLine } from '../views/text/plain-text.ts';
import type { RunList, RunListRow } from '../wire/run-list.ts';
import { ASK_EVERY_MS, openWatchedRun } from './watched-run.ts';

/** The runs of all folders that are known here, and of one more. A run that is over is read once, and again when its journal has changed. */
export interface RunCatalog {
  /**
   * All runs that have not ended, and of the others the newest {@link MAX_LISTED}. While it is read, others have their turn; what takes long to read for the first
   * time is in a later list, the newest runs in the first.
   */
  readonly list: () => Promise<Omit<RunList, 'canSteer'>>;
  /** The run with this key, with what the list has read of it; `null` where there is none. Reads no journal. Throws as {@link openWatchedRun}. */
  readonly open: (key: string) => WatchedRun | null;
}

/** How long something takes and is kept. */
export interface CatalogTimes {
  /** How long a list waits for runs that have not been read yet, once it has one. */
  readonly patienceMs: number;
  /** How long a run that is over is kept for whoever may open it from the list. */
  readonly keepMs: number;
}

type SteeringOf = (runId: string) => RunSteering;

const MAX_LISTED = 500;
const MAX_WHY = 300;
const TIMES: CatalogTimes = { patienceMs: 250, keepMs: 60_000 };
/** So long is a journal read before something else is looked after. */
const STEP_MS = 15;
/** Shorter ones are read again at once. */
const MIN_KEPT_INPUTS = 5000;
/** Of all that are kept. */
const MAX_KEPT_INPUTS = 150_000;

/**
 * @param cwd its runs are in the list, also where nobody has noted its folder
 * @param steeringOf of copies of runs, which are the only ones in the list then: by which a run itself is steered
 */
export function createRunCatalog(
  cwd: string,
  env: Environment,
  { patienceMs, keepMs }: CatalogTimes = TIMES,
  steeringOf?: SteeringOf,
): RunCatalog {
  const entries = new Map<string, CatalogEntry>();
  const scan = (): RunList['unread'] => {
    const { places, unread } = listPlaces(cwd, env, steeringOf !== undefined);
    const keys = new Set(places.map(({ key }) => key));
    for (const key of entries.keys()) if (!keys.has(key)) entries.delete(key);
    for (const place of places)
      if (!entries.has(place.key))
        entries.set(place.key, { place, version: '', row: null, read: null, isOver: false, isOnFleet: false, run: null });
    return unread.map(({ folder, why }) => ({ folder: toShownFolder(folder, env), why }));
  };
  let unread: RunList['unread'] = [];
  const read = async (onRow: () => void): Promise<void> => {
    unread = scan();
    // Ids begin with their time: the newest first.
    for (const entry of [...entries.values()].toSorted((left, right) => (left.place.runId < right.place.runId ? 1 : -1))) {
      if (await readEntry(entry, env, steeringOf)) keepForNow(entry, [...entries.values()], keepMs);
      onRow();
    }
  };
  let reading: ReturnType<typeof startReading> | null = null;
  const places = createAwayPlaces(env);
  const toList = (): Omit<RunList, 'canSteer'> => {
    const rows = [...entries.values()]
      .flatMap(({ row }) => (row === null ? [] : places.show(row)))
      .toSorted((left, right) => right.startedAt - left.startedAt);
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
      places.ask([...entries.values()]);
      return toList();
    },
    open: (key) => {
      if (!entries.has(key)) scan();
      const entry = entries.get(key);
      if (entry === undefined) return null;
      const run = entry.run ?? openPlace(entry.place, env, steeringOf);
      // One that is over is whoever's who opened it; one that the list is about to read is read once for both.
      if (entry.isOver) entry.run = null;
      else if (reading !== null) entry.run = run;
      return run;
    },
  };
}

/** Where runs are that are not here any more, as their fleets said last: a list does not wait for them. */
function createAwayPlaces(env: Environment) {
  let away: ReadonlyMap<string, AwayRun> = new Map();
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    ask: (entries: readonly CatalogEntry[]): void => {
      const asked = entries.filter(({ isOver, isOnFleet, row }) => isOver && isOnFleet && row !== null && isMaybeAway(row));
      if (performance.now() - askedAt < ASK_EVERY_MS || asked.length === 0) return;
      askedAt = performance.now();
      void findAllElsewhere(
        asked.map(({ place: { runId, root }, read }) => ({ runId, cwd: root, ...(read !== null && { read }) })),
        env,
      ).then(
        (found) => {
          away = found;
        },
        // The list stays as it is: it is asked again.
        () => undefined,
      );
    },
    show: (row: RunListRow): RunListRow => {
      const there = away.get(row.runId);
      const attention = there === undefined || !isMaybeAway(row) ? null : toElsewhereAttention(row, there);
      if (there === undefined || attention === null) return row;
      const isThere = there.state === 'held';
      return { ...row, attention, ...(isThere && { state: 'unseen', folder: `${row.folder}, goes on ${toElsewhereText(there)}` }) };
    },
  };
}

function isMaybeAway({ state, reason }: RunListRow): boolean {
  return state === 'gone' || (state === 'ended' && reason !== 'completed');
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
  /** Copied from a fleet: its folder is where the fleet has it. */
  readonly isCopy: boolean;
}

interface CatalogEntry {
  readonly place: RunPlace;
  /** Of the journal that the row was made from. */
  version: string;
  row: RunListRow | null;
  /** Of the same journal: whoever asks where the run is need not read it once more. */
  read: JournalEnd | null;
  /** Whether its process was not there when it was read. */
  isOver: boolean;
  isOnFleet: boolean;
  /** What is read on: a run whose process is there, or one that is kept for a while. */
  run: WatchedRun | null;
}

function openPlace({ root, runId }: RunPlace, env: Environment, steeringOf: SteeringOf | undefined): WatchedRun {
  return openWatchedRun(root, runId, env, 'page', steeringOf?.(runId));
}

/** A long run that is over is kept for a while: who sees it in the list may open it, and then it need not be read again. */
function keepForNow(entry: CatalogEntry, all: readonly CatalogEntry[], keepMs: number): void {
  const { run } = entry;
  if (run === null || !entry.isOver) return;
  const forget = (): void => {
    if (entry.run === run) entry.run = null;
  };
  const inputs = run.history.lastSeq();
  const others = all.flatMap((other) => (other.isOver && other !== entry ? (other.run?.history.lastSeq() ?? []) : []));
  const kept = others.reduce((sum, count) => sum + count, 0);
  // One is kept however long it is: that is the one that takes long to read.
  if (inputs < MIN_KEPT_INPUTS || (kept > 0 && kept + inputs > MAX_KEPT_INPUTS)) forget();
  else setTimeout(forget, keepMs).unref();
}

/** Where runs are; nothing of them is read. */
function listPlaces(
  cwd: string,
  env: Environment,
  isAlone: boolean,
): { readonly places: readonly RunPlace[]; readonly unread: RunList['unread'] } {
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
  const projects = new Map(
    [...own, ...(isAlone ? [] : attempt(cwd, () => listProjects(env)))].map(({ root, stateDir }) => [stateDir, root]),
  );
  const places = [...projects].flatMap(([stateDir, root]) =>
    attempt(root, () =>
      listKnownRuns({ fs: nodeFileSystem, stateDir }).map((runId) => ({
        key: createHash('sha256').update(`${stateDir}\n${runId}`).digest('hex').slice(0, 20),
        root,
        runId,
        isCopy: isAlone,
        journal: toRunPaths(stateDir, runId).journal,
      })),
    ),
  );
  return { places, unread };
}

/** Brings a row up to date; false where nothing is to be read: that of a run whose process was not there stays as it is while its journal does. */
async function readEntry(entry: CatalogEntry, env: Environment, steeringOf: SteeringOf | undefined): Promise<boolean> {
  const { place } = entry;
  const version = readVersion(place.journal);
  if (entry.isOver && entry.version === version) return false;
  if (entry.isOver) entry.run = null;
  Object.assign(entry, { version, isOver: false });
  try {
    entry.run ??= openPlace(place, env, steeringOf);
    const { run } = entry;
    while (run.refresh(STEP_MS)) await breathe();
    const facts = run.facts();
    entry.row = toRow(place, run, facts, env);
    const { end, at } = run.history.view();
    entry.read = { end, at };
    // Also a run that is just beginning has a process.
    entry.isOver = !facts.isAlive;
    entry.isOnFleet = !place.isCopy && facts.fleet != null;
  } catch {
    Object.assign(entry, { run: null, read: null, isOver: true, row: { ...toEmptyRow(place, env), state: 'damaged' } });
  }
  return true;
}

function toEmptyRow({ key, runId, root, isCopy }: RunPlace, env: Environment): Omit<RunListRow, 'state'> {
  return {
    key,
    runId,
    folder: isCopy ? 'on a fleet' : toShownFolder(root, env),
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

function toRow(place: RunPlace, { history }: WatchedRun, facts: FrameFacts, env: Environment): RunListRow {
  const empty = toEmptyRow(place, env);
  if (history.lastSeq() === 0) return { ...empty, state: facts.isAlive ? 'running' : 'gone' };
  return { ...empty, ...toListRow(history.view(), facts) };
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
