import { dirname } from 'node:path';
import { RalphError, toErrorCode, toWayBack } from '../core/index.ts';
import type { FileSystem } from './file-system.ts';
import { listRuns, type StateFolder, toRescuePaths, toRunPaths } from './run-folder.ts';
import { readRange, withHandle } from './whole-file.ts';

const PIECE_BYTES = 1 << 20;

/** The ids of all runs, those too of which only the rescued journal is left, oldest first. Throws the system error. */
export function listKnownRuns(state: StateFolder): readonly string[] {
  const rescued = listRescued(state).filter((runId) => state.fs.stat(toRescuePaths(state.stateDir, runId).journal) !== null);
  return [...new Set([...listRuns(state), ...rescued])].sort();
}

/** None where an agent put something else in the place of the folder: those in progress are to be seen all the same. */
function listRescued(state: StateFolder): readonly string[] {
  try {
    return listRuns(state, 'rescue');
  } catch (error) {
    if (toErrorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Whether the journal of a run was lost while it was on, and is not back: a rescued one is there, and the run's own does not begin with it. Throws the system error. */
export function isJournalLost({ fs, stateDir }: StateFolder, runId: string): boolean {
  const rescued = toRescuePaths(stateDir, runId).journal;
  return fs.stat(rescued) !== null && !beginsWith(fs, toRunPaths(stateDir, runId).journal, rescued);
}

/** @throws RalphError `journal-lost`, with the command that brings the journal back; the system error */
export function requireJournal(state: StateFolder, runId: string): void {
  if (!isJournalLost(state, runId)) return;
  const folder = dirname(toRescuePaths(state.stateDir, runId).journal);
  throw new RalphError({
    code: 'journal-lost',
    what: `The journal of the run ${runId} was removed, cut or exchanged while the run was on.`,
    why: `What it held is in ${folder}; what stands in its place now is not what happened.`,
    fix: toWayBack(folder, runId),
  });
}

function beginsWith(fs: FileSystem, path: string, beginning: string): boolean {
  const lengthBytes = fs.stat(beginning)?.sizeBytes ?? 0;
  if ((fs.stat(path)?.sizeBytes ?? -1) < lengthBytes) return false;
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
