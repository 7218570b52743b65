import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
import { type FolderState, openFolderState } from './folder-state.ts';

let root: string;
let places: FolderPlaces;
const opened: FolderState[] = [];

/** Three changes to a segment, so that several pass by. */
function open(): FolderState {
  const state = openFolderState(places, 3);
  opened.push(state);
  return state;
}

const listSegment = (segment: number): readonly string[] => readdirSync(join(places.state, String(segment))).sort();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-state-'));
  places = toPlaces(root);
  for (const place of Object.values(places)) mkdirSync(place);
});
afterEach(() => {
  for (const state of opened.splice(0)) state.close();
  rmSync(root, { recursive: true, force: true });
});

async function count(state: FolderState, key: string, times: number): Promise<void> {
  for (let left = times; left > 0; ) {
    const kept = state.get(key);
    const value = (typeof kept?.value === 'number' ? kept.value : 0) + 1;
    if ((await state.change(key, value, kept?.revision ?? 0)) !== null) left -= 1;
  }
}

describe('values in a folder', () => {
  it('lose no change of several who count at the same time, over many segments, and are the same for whoever comes later', async () => {
    const states = [open(), open(), open()];
    await Promise.all(states.map((state) => count(state, 'n', 8)));
    expect([...states, open()].map((state) => state.get('n')?.value)).toEqual([24, 24, 24, 24]);
    expect(new Set([...states, open()].map((state) => state.get('n')?.revision)).size).toBe(1);
  });

  it('are not changed by who saw them before somebody else changed them, nor made anew by who saw none', async () => {
    const [mine, theirs] = [open(), open()];
    const first = (await mine.change('a', 1, 0)) ?? 0;
    expect(await theirs.change('a', 2, first)).toBeGreaterThan(first);
    expect(await mine.change('a', 3, first)).toBe(null);
    expect(await mine.change('a', 3, 0)).toBe(null);
    const kept = theirs.get('a');
    expect(await mine.change('a', null, kept?.revision ?? 0)).not.toBe(null);
    expect([theirs.get('a'), await theirs.change('a', 4, kept?.revision ?? 0)]).toEqual([null, null]);
    expect(await theirs.change('a', 4, 0)).toBeGreaterThan(kept?.revision ?? 0);
  });

  it('keep the changes of the newest segments alone, and of the others that they are gone', async () => {
    const state = open();
    await count(state, 'n', 11);
    expect([1, 2, 3, 4].map(listSegment)).toEqual([['gone'], ['gone'], ['0', '1', '2', '3'], ['0', '1', '2']]);
  });

  it('do not hear of a number that somebody makes in a segment that is gone, as one does that was frozen for long', async () => {
    const [frozen, living] = [open(), open()];
    await count(living, 'n', 2);
    expect(frozen.get('n')?.value).toBe(2);
    const seen = frozen.get('n')?.revision ?? 0;
    frozen.close();
    await count(living, 'n', 9);
    // What it had begun to write, in the moment in which it was frozen.
    const draft = join(places.drafts, 'late');
    writeFileSync(draft, JSON.stringify({ key: 'n', value: 'late' }));
    linkSync(draft, join(places.state, '1', '3'));
    expect([frozen.get('n')?.value, living.get('n')?.value, open().get('n')?.value]).toEqual([11, 11, 11]);
    expect(await frozen.change('n', 'late', seen)).toBe(null);
  });

  it('cannot be asked for when the folder was removed', async () => {
    const state = open();
    await state.change('a', 1, 0);
    rmSync(root, { recursive: true });
    expect(() => state.get('a')).toThrow("the fleet's folder is gone");
    await expect(state.change('a', 2, 1)).rejects.toThrow();
  });

  it('are whole where somebody was killed while a segment was made, or while one was removed', async () => {
    const state = open();
    await count(state, 'n', 3);
    // Full, and the next one has not been made; what was begun of it lies about.
    mkdirSync(join(places.drafts, 'half'));
    const other = open();
    await count(other, 'n', 6);
    // The removal of the first segment ended after its mark.
    writeFileSync(join(places.state, '1', '2'), JSON.stringify({ key: 'n', value: 'old' }));
    await count(state, 'n', 5);
    expect([state.get('n')?.value, other.get('n')?.value, open().get('n')?.value]).toEqual([14, 14, 14]);
    expect(listSegment(1)).toEqual(['gone']);
  });

  it('are read anew by who stands at the end of a segment that was left whole, where the next one is gone', async () => {
    const [frozen, living] = [open(), open()];
    await count(living, 'n', 3);
    expect(frozen.get('n')?.value).toBe(3);
    frozen.close();
    cpSync(join(places.state, '1'), join(root, 'whole'), { recursive: true });
    await count(living, 'n', 7);
    expect(listSegment(2)).toEqual(['gone']);
    // Whoever was to empty the first one was killed before that.
    rmSync(join(places.state, '1'), { recursive: true });
    renameSync(join(root, 'whole'), join(places.state, '1'));
    expect(frozen.get('n')?.value).toBe(10);
    await count(frozen, 'n', 1);
    expect(living.get('n')?.value).toBe(11);
  });

  it('are emptied from the oldest segment on, so that none is left whole before one that is gone', async () => {
    const state = open();
    await count(state, 'n', 7);
    // The first one cannot be marked.
    rmSync(join(places.state, '1', 'gone'));
    symlinkSync(join(root, 'nowhere', 'gone'), join(places.state, '1', 'gone'));
    writeFileSync(join(places.state, '1', '0'), '[]');
    await expect(count(state, 'n', 5)).rejects.toThrow();
    expect([1, 2].map(listSegment)).toEqual([
      ['0', 'gone'],
      ['0', '1', '2', '3'],
    ]);
  });

  it('take no half-written change: what is no change changes nothing', async () => {
    const state = open();
    await count(state, 'n', 1);
    writeFileSync(join(places.state, '1', '2'), '{"key":"n","va');
    expect(state.get('n')?.value).toBe(1);
    await count(state, 'n', 2);
    expect(open().get('n')?.value).toBe(3);
  });
});
