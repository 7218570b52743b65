import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
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
});
