import { existsSync } from 'node:fs';
import { toSafeName } from '../core/text/file-name.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { toGitFix } from '../git/git.ts';
import { isOutsideGit } from '../git/git-places.ts';
import { type RunPaths, toRunPaths } from '../journal/run-folder.ts';
import { findLayout } from '../runs/find-layout.ts';
import type { Layout } from '../runs/layout.ts';
import { requireOutside } from '../runs/people.ts';
import { listLeft } from '../runs/processes.ts';
import { openRunReader } from '../runs/read-run.ts';
import type { RunReader } from '../runs/run-api.ts';
import { readEndCommit } from '../runs/run-facts.ts';
import { readUndoRecord, toRevertCommand, writeUndoRecord } from '../runs/run-fate.ts';
import { type RunFile, readRunFile, requireOwnWork } from '../runs/run-file.ts';
import { lockForUndo, lockRun, releaseLock } from '../runs/run-lock.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import { createRunViewFold } from '../views/fold/fold-run-view.ts';
import type { UndoRemark } from '../workspace/undo/plan-undo.ts';
import type { UndoRecord } from '../workspace/undo/undo-record.ts';
import { proposeUndo, type UndoProposal } from '../workspace/undo/undo-work.ts';
import { toWithoutGit } from './commit-left.ts';

export interface UndoRequest {
  /** An id or the beginning of one; absent: the newest. */
  readonly run: string | undefined;
  /** The iteration behind which the files shall be; 0: before the first; null: see `UndoSettings`. */
  readonly toTurn: number | null;
  /** Without it nothing is changed. */
  readonly isMeant: boolean;
  /** Also over files that were changed since, which the snapshot of the present holds. */
  readonly isForced: boolean;
}

/** What was done, or would be. */
export interface UndoReport extends Omit<UndoProposal, 'perform' | 'index' | 'files'> {
  readonly runId: string;
  readonly workspace: string;
  /** The commit that the run began at. */
  readonly baseCommit: string | null;
  /** The branch that has its work as well, and what takes it out of there; null: it was not landed. */
  readonly landed: { readonly onto: string; readonly command: string } | null;
  readonly isDone: boolean;
  readonly comeBack: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Shows what takes back the work of a run, or brings it back after that; with `isMeant` does it. The journal stays as it is.
 *
 * @throws RalphError `undo-refused`, `undo-unknown`, `undo-failed`, `run-in-progress`, `person-refused`, and what `openRunReader` throws
 */
export async function undoRun(cwd: string, request: UndoRequest, env: Environment): Promise<UndoReport> {
  const layout = findLayout(cwd);
  if (request.isMeant) requireOutside(layout, env);
  const reader = openRunReader(cwd, request.run, env);
  const paths = toRunPaths(layout.stateDir, reader.runId);
  const file = readRunFile(paths.settings);
  requireOwnWork(paths, file);
  const order = { layout, runId: reader.runId, worktree: file.worktree, command: 'ralph undo' };
  const folderLock = await lockForUndo(order);
  try {
    const runLock = await lockRun(order);
    try {
      if (request.isMeant) requireNobodyLeft(reader.runId);
      return await undo({ layout, paths, file, env, turns: reader.turns(), endCommit: findEndCommit(reader, paths) }, request);
    } finally {
      releaseLock(runLock);
    }
  } finally {
    releaseLock(folderLock);
  }
}

/** Who has the lock of the run knows that nobody else of it may be at work. */
function requireNobodyLeft(runId: string): void {
  const left = listLeft(runId);
  if (left.length === 0) return;
  throw new RalphError({
    code: 'undo-refused',
    what: `Run ${runId} was not undone: what it began is still at work (${left.length === 1 ? 'process' : 'processes'} ${left.slice(0, SHOWN).join(', ')}).`,
    why: 'It would keep changing the files after the undo.',
    fix: `End it: ralph reap\nThen: ralph undo ${runId} --yes`,
  });
}

function findEndCommit(reader: RunReader, paths: RunPaths): string | null {
  const fold = createRunViewFold();
  try {
    reader.replay((record) => fold.take(record));
  } catch {
    return null;
  }
  return readEndCommit(paths, fold.view());
}

interface RunToUndo {
  readonly layout: Layout;
  readonly paths: RunPaths;
  readonly file: RunFile;
  readonly env: Environment;
  readonly turns: readonly string[];
  readonly endCommit: string | null;
}

async function undo(place: RunToUndo, request: UndoRequest): Promise<UndoReport> {
  const { paths, file } = place;
  const record = readUndoRecord(paths);
  const proposal = await propose(place, request, record);
  const report = toReport(place, proposal);
  if (!request.isMeant) return report;
  requireFree(paths.runId, proposal, request);
  if (proposal.files.length === 0 && proposal.action !== 'finish') return report;
  try {
    await proposal.perform((made) => writeUndoRecord(paths, made), Date.now());
  } catch (error) {
    throw toFailed(paths, file, error);
  }
  return { ...report, isDone: true };
}

async function propose(
  { paths, file, env, turns, endCommit }: RunToUndo,
  { toTurn }: UndoRequest,
  record: UndoRecord | null,
): Promise<UndoProposal> {
  const landed = toRevertCommand(paths);
  const isOutside = existsSync(file.workspace) && isOutsideGit(file.workspace);
  const unknown = (why: string, fix: string | null = null): RalphError =>
    new RalphError({
      code: 'undo-unknown',
      what: `Run ${paths.runId} cannot be undone: ${why}.`,
      why: 'An undo takes files back to what snapshots of git say that they were.',
      fix:
        fix ??
        (landed === null
          ? isOutside
            ? toWithoutGit(paths.runId)
            : `See what its turns changed: ralph show ${paths.runId}`
          : `It has landed on ${landed.onto}. Take it out of there: ${landed.command}`),
    });
  if (isOutside) throw unknown('the folder in which it worked is in no git repository');
  if (!existsSync(file.workspace)) throw unknown(`the folder in which it worked is gone (${file.workspace})`);
  const last = Number(turns.at(-1)?.split('.')[0] ?? 0);
  if (last === 0) throw unknown('it has had no turn');
  if (toTurn !== null && toTurn > last) throw unknown(`it has no turn ${toTurn}: its last is turn ${last}`);
  try {
    return await proposeUndo({
      cwd: file.workspace,
      env,
      stateDirs: toStateDirs(file.settings),
      programs: file.gitPrograms,
      runId: paths.runId,
      runFolder: paths.folder,
      turns,
      baseline: file.baseline,
      record,
      toTurn,
      baseCommit: file.base?.commit ?? null,
      endCommit,
    });
  } catch (error) {
    throw unknown(toErrorMessage(error), toGitFix(toErrorMessage(error)));
  }
}

function toReport({ paths, file }: RunToUndo, { perform: _, index: __, files, ...rest }: UndoProposal): UndoReport {
  const select = (isMeant: (was: string, will: string) => boolean): readonly string[] =>
    files.filter(({ was, will }) => isMeant(was, will)).map(({ path }) => path);
  return {
    ...rest,
    runId: paths.runId,
    workspace: file.workspace,
    baseCommit: file.base?.commit ?? null,
    landed: toRevertCommand(paths),
    isDone: false,
    comeBack: select((was) => was === 'absent'),
    changed: select((was, will) => was !== 'absent' && will !== 'absent'),
    removed: select((_was, will) => will === 'absent'),
  };
}

function requireFree(runId: string, { hindrances, changedSince }: UndoProposal, { isForced }: UndoRequest): void {
  if (hindrances.length > 0) {
    throw new RalphError({
      code: 'undo-refused',
      what: `Run ${runId} was not undone: ${toWords(hindrances)}.`,
      why: 'No file of yours is removed or overwritten.',
      fix: 'Move what is named out of the way, then try again.',
    });
  }
  if (changedSince.length === 0 || isForced) return;
  throw new RalphError({
    code: 'undo-refused',
    what: `Run ${runId} was not undone: ${toWords(changedSince)}.`,
    why: 'What was changed since may be yours.',
    fix: `Take these files back too (they are kept, and the next undo brings them back): ralph undo ${runId} --yes --force`,
  });
}

const SHOWN = 8;

function toWords(remarks: readonly UndoRemark[]): string {
  const shown = remarks.slice(0, SHOWN).map(({ path, why }) => `${toSafeName(path)} (${why})`);
  return `${shown.join(', ')}${remarks.length > SHOWN ? `, and ${remarks.length - SHOWN} more` : ''}`;
}

function toFailed({ runId }: RunPaths, { workspace }: RunFile, error: unknown): RalphError {
  return new RalphError({
    code: 'undo-failed',
    what: `The undo of run ${runId} stopped in the middle: ${toErrorMessage(error)}`,
    why: `Some files in ${workspace} are as they were, some as they will be; all that it takes is kept.`,
    fix: `Fix what is named, then finish it: ralph undo ${runId} --yes`,
    cause: error,
  });
}
