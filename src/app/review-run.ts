import type { Settings } from '../config/index.ts';
import { type Json, mapTexts } from '../core/index.ts';
import { type RunPaths, toRunPaths } from '../journal/index.ts';
import { createRunViewFold, type Review, toReview } from '../views/index.ts';
import { collectSaid, createReviewCollector } from './collect-said.ts';
import { findLayout } from './layout.ts';
import { openRun } from './read-run.ts';
import type { RunReader } from './run-api.ts';
import { readRunFile } from './run-file.ts';

/**
 * A run for a person who decides what becomes of its work, whether it is under way or over.
 *
 * @param run an id or the beginning of one, or `last`; absent: the one that is under way in this folder, else the newest
 * @throws RalphError as `openRun` does, `run-not-begun`
 */
export async function reviewRun(cwd: string, run: string | undefined, env: Readonly<Record<string, string | undefined>>): Promise<Review> {
  const reader = openRun(cwd, run, env);
  const paths = toRunPaths(findLayout(cwd).stateDir, reader.runId);
  return reviewReader(reader, paths, { now: Date.now(), isNewest: isNewest(cwd, reader.runId, env) });
}

function isNewest(cwd: string, runId: string, env: Readonly<Record<string, string | undefined>>): boolean {
  try {
    return openRun(cwd, undefined, env).runId === runId;
  } catch {
    return true;
  }
}

/** The review of a run that is open for reading. */
export async function reviewReader(
  reader: RunReader,
  paths: RunPaths,
  { now, isNewest }: { readonly now: number; readonly isNewest: boolean },
): Promise<Review> {
  const settings = readKnownSettings(paths);
  const fold = createRunViewFold();
  const collector = createReviewCollector(settings);
  reader.replay((record) => {
    fold.take(record);
    collector.take(record);
  });
  const view = fold.view();
  const [facts, patch] = await Promise.all([reader.facts(view), reader.diff(null).catch(() => null)]);
  const textFile = (turn: string): string => reader.turnFile(turn, 'text.md');
  const said = collectSaid({ view, settings, textFile, patch, redact: reader.redact }, collector.events());
  const { isAlive, isUnseen, signalPid } = reader;
  const review = toReview(view, {
    facts,
    said,
    damage: reader.damage(),
    now,
    isNewest,
    isAlive,
    isUnseen,
    signalPid,
    live: reader.live(),
    left: reader.left(),
  });
  return mapTexts(review as unknown as Json, reader.redact) as unknown as Review;
}

function readKnownSettings(paths: RunPaths): Settings | null {
  try {
    return readRunFile(paths.settings).settings;
  } catch {
    return null;
  }
}
