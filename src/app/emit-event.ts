import { join } from 'node:path';
import { EXTERNAL, RalphError, type RunState } from '../core/index.ts';
import { type EventWords, emitInto, toContractPath } from '../emit/index.ts';
import { findRun, nodeFileSystem, type RunPaths, readJournal, toRunPaths } from '../journal/index.ts';
import { createJournalFold } from '../loop/shell/index.ts';
import { toOutsideFile } from './assemble-run.ts';
import { findLivingRun } from './find-living-run.ts';
import { isInsideRun } from './is-inside-run.ts';
import { findLayout, type Layout } from './layout.ts';
import { readRunFile } from './run-file.ts';
import { findHolder } from './run-lock.ts';

/** What became of an event from outside. */
export interface OutsideEvent {
  readonly runId: string;
  /** False: the run reads it when it is resumed. */
  readonly isRunAlive: boolean;
}

/**
 * Appends an event that comes from a person or another program, to the run that is under way, else to the newest one.
 *
 * @throws RalphError `no-runs`, `emit-run-over`, and what {@link emitInto} throws
 */
export function emitFromOutside(cwd: string, words: EventWords): OutsideEvent {
  const layout = findLayout(cwd);
  const state = { fs: nodeFileSystem, stateDir: layout.stateDir };
  const living = findLivingRun(layout, cwd);
  const paths = toRunPaths(layout.stateDir, living ?? findRun(state, 'last'));
  if (living === null) refuseComplete(paths);
  const hat = findActiveHat(layout, paths);
  if (hat !== null) {
    const { workspace, settings } = readRunFile(paths.settings);
    const eventsFile = join(workspace, settings.prompts.eventsFile);
    emitInto(words, { eventsFile, hat, contractFile: toContractPath(paths.folder), root: workspace });
    return { runId: paths.runId, isRunAlive: true };
  }
  emitInto(words, { eventsFile: toOutsideFile(paths), hat: EXTERNAL, contractFile: toContractPath(paths.folder) });
  return { runId: paths.runId, isRunAlive: living !== null };
}

/**
 * The hat in whose turn this is called although its environment was cleared: an agent does not get the rights of a person by forgetting who it is.
 * `null` for a person.
 */
function findActiveHat(layout: Layout, paths: RunPaths): string | null {
  const holder = findHolder(layout, paths.runId)?.owner ?? null;
  if (holder === null || !isInsideRun(holder.pid)) return null;
  return readState(paths).activations[0]?.hat ?? null;
}

function readState(paths: RunPaths): RunState {
  const fold = createJournalFold();
  readJournal({ fs: nodeFileSystem, path: paths.journal }, (entry) => void fold.take(entry));
  return fold.run().state;
}

/** A run that is complete is never resumed, so nobody would ever read the event. */
function refuseComplete(paths: RunPaths): void {
  if (readState(paths).end?.reason !== 'completed') return;
  throw new RalphError({
    code: 'emit-run-over',
    what: `No run is under way, and the newest one (${paths.runId}) is complete; nothing was published.`,
    why: 'Events of earlier runs are never read by a later run.',
    fix: 'Start a run first: ralph run',
  });
}
