import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunLease } from '../ports/fleet.ts';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
import { readMoment } from './folder-post.ts';
import { createFolderLeases } from './folder-runs.ts';
import { type FolderState, openFolderState } from './folder-state.ts';
import { sweepFolder } from './folder-sweep.ts';

let root: string;
let places: FolderPlaces;
let state: FolderState;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-sweep-'));
  places = toPlaces(root);
  for (const place of Object.values(places)) mkdirSync(place);
  state = openFolderState(places);
});
afterEach(() => {
  state.close();
  rmSync(root, { recursive: true, force: true });
});

/** A draft that was written long ago. */
function leave(name: string): void {
  writeFileSync(join(places.drafts, name), 'x');
  utimesSync(join(places.drafts, name), 0, 0);
}

const DAY_MS = 24 * 3600 * 1000;

function toLease(run: string): RunLease {
  return { run, epoch: 1, place: 'p', host: 'h', state: 'held', lostAfterMs: 1000, title: 'Fix it' };
}

function toBeat(daysAgo: number) {
  return { since: { boot: 'before', at: 1 }, at: Date.now() - daysAgo * DAY_MS };
}

function toWorker(id: string) {
  return { id, token: 't', labels: ['any'], protocol: 1, slots: 1, busy: [], isDraining: false };
}

describe('what is old in the folder of a fleet', () => {
  it('is removed among the drafts, but for what no fleet has written there', async () => {
    leave(randomUUID());
    leave('post.md');
    await sweepFolder(places, state);
    expect(readdirSync(places.drafts).sort()).toEqual(['post.md', 'swept']);
  });

  it('is removed where it cannot be written that it was, as on a disk that is full', async () => {
    mkdirSync(join(places.drafts, 'swept'));
    utimesSync(join(places.drafts, 'swept'), 0, 0);
    leave(randomUUID());
    await sweepFolder(places, state);
    expect(readdirSync(places.drafts)).toEqual(['swept']);
  });

  it('is forgotten of runs that nobody has let go of, of their orders, and of workers, where they were killed', async () => {
    for (const [run, daysAgo] of [
      ['dead', 31],
      ['alive', 0],
      ['lately', 29],
    ] as const) {
      await state.change(`lease.${run}`, { ...toLease(run), ...toBeat(daysAgo) }, 0);
      await state.change(`work.${run}.1_1`, { kind: 'offered' }, 0);
    }
    await state.change('work.unknown.1_1', { kind: 'over' }, 0);
    await state.change('worker.dead', { worker: toWorker('dead'), since: { boot: 'before', at: 1 } }, 0);
    await state.change('worker.alive', { worker: toWorker('alive'), since: { ...readMoment() } }, 0);
    await sweepFolder(places, state);
    expect(state.list('').map(([key]) => key)).toEqual([
      'lease.alive',
      'work.alive.1_1',
      'lease.lately',
      'work.lately.1_1',
      'worker.alive',
    ]);
  });

  it('stays of a run that was renewed a moment ago by a clock that was wrong', async () => {
    await createFolderLeases(state).write(toLease('r'), 0);
    await sweepFolder(places, state, Date.now() + 400 * DAY_MS);
    expect(await createFolderLeases(state).look('r')).not.toBe(null);
  });
});
