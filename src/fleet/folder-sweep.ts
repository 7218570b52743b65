import { randomUUID } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../core/values/json.ts';
import { WORKER_GONE_MS } from '../ports/fleet.ts';
import { dropDraft, type FolderPlaces, isDraftName, listFolderNames } from './folder-files.ts';
import { readMoment, secondsSince } from './folder-post.ts';
import type { FolderState } from './folder-state.ts';
import { parseLease } from './kept-states.ts';

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** What nobody has written to for so long is forgotten. */
const KEPT_MS = 30 * DAY_MS;

/** Forgets what is old, once a day at most. By the clock, for it is about days; what is younger by a clock that was wrong stays longer. What cannot be removed stays: it keeps nobody from the fleet. */
export async function sweepFolder(places: FolderPlaces, state: FolderState, now = Date.now()): Promise<void> {
  const swept = join(places.drafts, 'swept');
  if (now - changedAt(swept) < DAY_MS) return;
  try {
    await sweepDrafts(places, now);
    await sweepRuns(places, state, now);
    await sweepWorkers(state);
    await sweepBlobs(places, now);
    // Behind the rest, which makes room for it.
    writeFileSync(swept, '', { mode: 0o600 });
  } catch {
    // Whoever opens the fleet next tries again.
  }
}

async function sweepDrafts({ drafts }: FolderPlaces, now: number): Promise<void> {
  for (const name of listFolderNames(drafts)) {
    const path = join(drafts, name);
    if (isDraftName(name) && now - changedAt(path) > DAY_MS) await dropDraft(path);
  }
}

async function sweepRuns(places: FolderPlaces, state: FolderState, now: number): Promise<void> {
  for (const [key, { value, revision }] of state.list('lease.')) {
    const lease = parseLease(value);
    const run = lease === null ? null : join(places.runs, lease.run);
    // What is written of one that somebody has need not change for long.
    const isOver = lease?.state === 'held' ? isSilent(value, now) : run === null || now - changedAt(run) > KEPT_MS;
    if (isOver) await state.change(key, null, revision);
  }
  // Before the runs are: whoever offers an order has its run by then.
  const orders = state.list('work.');
  const kept = new Set(state.list('lease.').map(([key]) => key.slice('lease.'.length)));
  for (const [key, { revision }] of orders) if (!kept.has(key.split('.')[1] ?? '')) await state.change(key, null, revision);
  for (const folder of [places.runs, places.reports, places.words])
    for (const name of listFolderNames(folder)) if (!kept.has(name)) await forgetOld(places, join(folder, name), now);
}

/** Whether nobody has renewed it for days, by the clock; one that was renewed a moment ago by a clock that was wrong is somebody's. */
function isSilent(lease: Json, now: number): boolean {
  if (!isJsonObject(lease)) return true;
  const { at, since } = lease;
  return typeof at === 'number' && now - at > KEPT_MS && secondsSince(since, readMoment()) * 1000 > HOUR_MS;
}

/** One that says something again is there again. */
async function sweepWorkers(state: FolderState): Promise<void> {
  for (const [key, { value, revision }] of state.list('worker.')) {
    const since = isJsonObject(value) ? value['since'] : undefined;
    if (secondsSince(since, readMoment()) * 1000 > WORKER_GONE_MS) await state.change(key, null, revision);
  }
}

async function sweepBlobs(places: FolderPlaces, now: number): Promise<void> {
  for (const part of listFolderNames(places.blobs))
    for (const name of listFolderNames(join(places.blobs, part))) await forgetOld(places, join(places.blobs, part, name), now);
}

async function forgetOld({ drafts }: FolderPlaces, path: string, now: number): Promise<void> {
  if (now - changedAt(path) <= KEPT_MS) return;
  const away = join(drafts, randomUUID());
  await rename(path, away).catch(() => undefined);
  await dropDraft(away);
}

/** The beginning of all time where it is not there: it counts as old, and what is done about that finds nothing. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
