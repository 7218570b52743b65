import { dirname } from 'node:path';
import { toWayBack } from '../core/text/shell-word.ts';
import { isRalphError, RalphError, toErrorCode } from '../core/values/errors.ts';
import { isJsonObject } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { type FileSystem, readRange, withHandle } from './file-system.ts';
import { findJournal, hasBegun } from './read-journal.ts';
import { listRunIds, type StateFolder, toRescuePaths, toRunPaths } from './run-folder.ts';
import { readSettings } from './run-settings.ts';

const MAX_SHOWN = 5;

/**
 * The id of the run that a person means: a whole id, its beginning (`20261121-22`), the end of it (`k7f2a`), or `last`.
 * `last` is the newest run that has begun: one that was killed before its first input has nothing to show and must not hide those before it, and neither
 * must one that only resolved a conflict for another.
 *
 * @throws RalphError `no-runs`, `run-unknown`, `run-ambiguous`; `journal-lost` with the command that brings its journal back; the system error.
 */
export function findRun(state: StateFolder, text: string): string {
  const runId = findRunId(state, text);
  requireJournal(state, runId);
  return runId;
}

/** The same, but also for a run whose journal was lost. Throws the other errors. */
export function findRunId(state: StateFolder, text: string): string {
  const runs = listKnownRuns(state);
  const last = runs.at(-1);
  if (last === undefined) throw toNoRunsError();
  const wanted = text.trim().toLowerCase();
  if (wanted === 'last')
    return runs.findLast((run) => (isJournalLost(state, run) || hasJournal(state, run)) && !servesAnother(state, run)) ?? last;
  if (runs.includes(wanted)) return wanted;
  const matches = wanted === '' ? [] : listMatches(runs, wanted);
  const [match] = matches;
  if (match === undefined) throw toUnknownError(text, rankBySharedStart(runs, wanted));
  if (matches.length > 1) throw toAmbiguousError(text, matches);
  return match;
}

/** One that cannot be read must not hide the runs before it: whoever means that run is told why. */
function hasJournal({ fs, stateDir }: StateFolder, runId: string): boolean {
  try {
    return hasBegun({ fs, path: toRunPaths(stateDir, runId).journal });
  } catch (error) {
    if (isRalphError(error)) return false;
    throw error;
  }
}

/** Whether the run only resolved a conflict when another one was landed: its settings name that one. */
function servesAnother({ fs, stateDir }: StateFolder, runId: string): boolean {
  return tryOr(() => {
    const settings = readSettings(fs, toRunPaths(stateDir, runId).settings);
    return isJsonObject(settings) && settings['resolves'] !== undefined;
  }, false);
}

/** Whether the run was ended before its first entry: nothing was asked of an agent. False where only its journal is gone, or where that cannot be told. */
export function hasNeverBegun(state: StateFolder, runId: string): boolean {
  const { journal, turns } = toRunPaths(state.stateDir, runId);
  try {
    if (hasBegun({ fs: state.fs, path: journal }) || isJournalLost(state, runId)) return false;
    return state.fs.stat(turns) === null || state.fs.list(turns).length === 0;
  } catch {
    return false;
  }
}

/** @throws RalphError `run-not-begun` for a run without a first entry */
export function requireBegun(state: StateFolder, runId: string, isAlive: boolean): void {
  if (!hasNeverBegun(state, runId)) return;
  throw new RalphError({
    code: 'run-not-begun',
    what: isAlive ? `Run ${runId} is just beginning.` : `Run ${runId} never began.`,
    why: isAlive ? 'Nothing of it is recorded yet.' : 'Its process was ended before the first entry of its journal: no agent was called.',
    fix: isAlive ? 'Try again in a moment.' : 'Start it again: ralph run\nRemove what is left of it: ralph clean',
  });
}

function listMatches(runs: readonly string[], wanted: string): readonly string[] {
  const starting = runs.filter((run) => run.startsWith(wanted));
  return starting.length > 0 ? starting : runs.filter((run) => run.endsWith(wanted));
}

/** The likeliest first: those that begin alike, else the newest. */
function rankBySharedStart(runs: readonly string[], wanted: string): readonly string[] {
  return [...runs].reverse().sort((a, b) => countSharedStart(b, wanted) - countSharedStart(a, wanted));
}

function countSharedStart(run: string, wanted: string): number {
  let count = 0;
  while (count < wanted.length && run[count] === wanted[count]) count += 1;
  return count;
}

function toList(runs: readonly string[]): string {
  const more = runs.length > MAX_SHOWN ? [`  … and ${runs.length - MAX_SHOWN} more`] : [];
  return [...runs.slice(0, MAX_SHOWN).map((run) => `  ${run}`), ...more].join('\n');
}

function toNoRunsError(): RalphError {
  return new RalphError({
    code: 'no-runs',
    what: 'There is no run in this folder yet.',
    fix: 'Start one: ralph run -p "what is to be done"',
  });
}

function toUnknownError(text: string, near: readonly string[]): RalphError {
  const what = `No run is called ${JSON.stringify(text)}.`;
  return new RalphError({
    code: 'run-unknown',
    what,
    fix: `Did you mean one of these? (all of them: ralph runs)\n${toList(near)}`,
    exitCode: 2,
  });
}

function toAmbiguousError(text: string, matches: readonly string[]): RalphError {
  const what = `${JSON.stringify(text)} fits ${matches.length} runs.`;
  return new RalphError({
    code: 'run-ambiguous',
    what,
    fix: `Write more of the one you mean:\n${toList([...matches].reverse())}`,
    exitCode: 2,
  });
}

const PIECE_BYTES = 1 << 20;

/** The ids of all runs, those too of which only the rescued journal is left, oldest first. Throws the system error. */
export function listKnownRuns(state: StateFolder): readonly string[] {
  const rescued = listRescued(state).filter((runId) => state.fs.stat(toRescuePaths(state.stateDir, runId).journal) !== null);
  return [...new Set([...listRunIds(state), ...rescued])].sort();
}

/** None where an agent put something else in the place of the folder: the other runs are to be seen all the same. */
function listRescued(state: StateFolder): readonly string[] {
  try {
    return listRunIds(state, 'rescue');
  } catch (error) {
    if (toErrorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Whether the journal of a run was lost while it was on, and is not back: a rescued one is there, and the run's own does not begin with it. Throws the system error. */
function isJournalLost({ fs, stateDir }: StateFolder, runId: string): boolean {
  const rescued = toRescuePaths(stateDir, runId).journal;
  return fs.stat(rescued) !== null && !beginsWith(fs, toRunPaths(stateDir, runId).journal, rescued);
}

/** @throws RalphError `journal-lost`, with the command that brings the journal back; the system error */
function requireJournal(state: StateFolder, runId: string): void {
  if (!isJournalLost(state, runId)) return;
  const folder = dirname(toRescuePaths(state.stateDir, runId).journal);
  throw new RalphError({
    code: 'journal-lost',
    what: `The journal of the run ${runId} was removed, cut or exchanged while the run was on.`,
    why: `What it held is in ${folder}; what is there now is not what happened.`,
    fix: toWayBack(folder, runId),
  });
}

function beginsWith(fs: FileSystem, path: string, beginning: string): boolean {
  const lengthBytes = fs.stat(beginning)?.sizeBytes ?? 0;
  if ((findJournal({ fs, path })?.sizeBytes ?? -1) < lengthBytes) return false;
  return withHandle(fs, fs.open(path, 'read'), (left) =>
    withHandle(fs, fs.open(beginning, 'read'), (right) => {
      for (let from = 0; from < lengthBytes; from += PIECE_BYTES)
        if (
          !readRange(fs, left, from, Math.min(PIECE_BYTES, lengthBytes - from)).equals(
            readRange(fs, right, from, Math.min(PIECE_BYTES, lengthBytes - from)),
          )
        )
          return false;
      return true;
    }),
  );
}
