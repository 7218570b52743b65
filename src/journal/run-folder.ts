import { join } from 'node:path';
import { toErrorCode } from '../core/values/errors.ts';
import { type FileSystem, makeFolders } from './file-system.ts';

/** Where the parts of a run are: everything under `.ralph/runs/<run-id>/`. */
export interface RunPaths {
  readonly runId: string;
  readonly folder: string;
  readonly journal: string;
  readonly lock: string;
  readonly settings: string;
  /** Holds one folder per turn. */
  readonly turns: string;
}

export interface StateFolder {
  readonly fs: FileSystem;
  /** Absolute path of `.ralph`. */
  readonly stateDir: string;
}

export interface RunRemoval extends StateFolder {
  /** Removes a folder with everything in it, however deep and under whatever names, and follows no link. Throws the system error. */
  readonly removeTree: (folder: string) => void;
}

const REMOVED_PREFIX = '.removed-';
/** What a removal that was cut short leaves: the run under its other name, or what `removeTree` had moved beside it. */
const LEFTOVERS = [REMOVED_PREFIX, '.removing-'];

export function toRunPaths(stateDir: string, runId: string): RunPaths {
  return toPaths(join(toRunsFolder(stateDir), runId), runId);
}

/** @param folder as `join` makes it */
function toPaths(folder: string, runId: string): RunPaths {
  return {
    runId,
    folder,
    journal: `${folder}/journal.jsonl`,
    lock: `${folder}/lock`,
    settings: `${folder}/settings.json`,
    turns: `${folder}/turns`,
  };
}

/** Where a run whose files are lost under it is put together anew: beside `runs`. */
export function toRescuePaths(stateDir: string, runId: string): RunPaths {
  return toPaths(join(stateDir, 'rescue', runId), runId);
}

function toRunsFolder(stateDir: string): string {
  return join(stateDir, 'runs');
}

/** Makes the folder of a new run. Throws the system error: `EEXIST` when there is a run of that id. */
export function createRunFolder({ fs, stateDir }: StateFolder, runId: string): RunPaths {
  const paths = toRunPaths(stateDir, runId);
  makeFolders(fs, toRunsFolder(stateDir));
  // For its owner alone: prompts, and what agents print, may hold secrets.
  fs.makeFolder(paths.folder, 0o700);
  fs.syncFolder(toRunsFolder(stateDir));
  makeFolders(fs, paths.turns);
  return paths;
}

/** The ids of all runs that have a folder, oldest first; or of those that were rescued. Throws the system error. */
export function listRunIds({ fs, stateDir }: StateFolder, where: 'runs' | 'rescue' = 'runs'): readonly string[] {
  const items = listIfThere(fs, join(stateDir, where));
  return items.flatMap(({ name, kind }) => (kind === 'folder' && isRunId(name) ? [name] : [])).sort();
}

/** What could not be removed. */
export interface LeftBehind {
  readonly path: string;
  /** The system error. */
  readonly problem: unknown;
}

/**
 * Removes a run with everything it kept. The caller has made sure that it is not running. From the first step on the run is not listed any more;
 * what a crash leaves of it is removed with the next run. Throws the system error where the run stays.
 *
 * @returns what is left of this run or of others
 */
export function removeRun(removal: RunRemoval, runId: string): readonly LeftBehind[] {
  const { fs, stateDir } = removal;
  const runs = toRunsFolder(stateDir);
  if (!isRunId(runId)) throw new TypeError(`not a run id: ${runId}`);
  fs.rename(join(runs, runId), join(runs, REMOVED_PREFIX + runId));
  const rescued = toRescuePaths(stateDir, runId).folder;
  if (fs.stat(rescued) !== null) fs.rename(rescued, join(runs, `${REMOVED_PREFIX}${runId}.rescued`));
  return removeLeftovers(removal);
}

/** Removes what removals that did not come to their end have left; returns what stays all the same. */
export function removeLeftovers({ fs, stateDir, removeTree }: RunRemoval): readonly LeftBehind[] {
  const runs = toRunsFolder(stateDir);
  const list = (): readonly string[] =>
    listIfThere(fs, runs).flatMap(({ name }) => (LEFTOVERS.some((prefix) => name.startsWith(prefix)) ? [join(runs, name)] : []));
  const problems = new Map(list().map((path) => [path, tryTo(() => removeTree(path))]));
  const [any] = [...problems.values()].filter((problem) => problem !== null);
  // What could not be removed may have been moved.
  return list().map((path) => ({ path, problem: problems.get(path) ?? any }));
}

function tryTo(step: () => void): unknown {
  try {
    step();
    return null;
  } catch (error) {
    return error;
  }
}

function listIfThere(fs: FileSystem, folder: string): ReturnType<FileSystem['list']> {
  try {
    return fs.list(folder);
  } catch (error) {
    if (toErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Digits and small letters in ASCII order, without those that are easily mistaken for others (i, l, o, u). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 3;

const RUN_ID = /^\d{8}-\d{6}-[0-9a-hjkmnp-tv-z]{5}$/;

/**
 * A name for a run: `20261121-223331-k7f2a`. Date and time are UTC; the first two characters of the last part are the milliseconds, so that
 * ids sort by time as text; the other three are random.
 *
 * @param now epoch milliseconds.
 * @param random a number from 0 to below 1, as `Math.random`.
 */
export function createRunId(now: number, random: () => number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split(/[TZ.]/);
  const milliseconds = Math.floor(now) % 1000;
  const tail = Array.from({ length: RANDOM_CHARACTERS }, () => toCharacter(random() * ALPHABET.length));
  return [
    date.replaceAll('-', ''),
    time.replaceAll(':', ''),
    toCharacter(milliseconds / 32) + toCharacter(milliseconds % 32) + tail.join(''),
  ].join('-');
}

function toCharacter(value: number): string {
  return ALPHABET.charAt(Math.floor(value));
}

/** True for what {@link createRunId} makes. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}
