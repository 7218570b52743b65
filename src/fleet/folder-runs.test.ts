import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkReport } from '../ports/fleet.ts';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
import { createFolderReports, createFolderWords } from './folder-runs.ts';

let root: string;
let places: FolderPlaces;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-runs-'));
  places = toPlaces(root);
  for (const place of Object.values(places)) mkdirSync(place);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const toReport = (name: string): WorkReport => ({ run: 'r', name, worker: 'w', number: 1, body: null });

describe('reports of a run in a folder', () => {
  it.each([1, 2])('are heard anew from the first one on where %d were forgotten and as many were written at once', async (count) => {
    const reports = createFolderReports(places);
    const heard: string[] = [];
    const append = async (iteration: number): Promise<void> => {
      for (let turn = 1; turn <= count; turn += 1) await reports.append(toReport(`${iteration}.${turn}`));
    };
    await append(1);
    // It looks when it is told to, as where the system is slow.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const end = await reports.follow('r', ({ name }) => heard.push(name));
    await reports.forget('r');
    await append(2);
    vi.advanceTimersByTime(1000);
    expect(heard).toHaveLength(2 * count);
    await end();
    vi.useRealTimers();
  });
});

describe('words that a folder keeps', () => {
  const at = (second: number, id: string): string => join(places.words, 'r', `${String(second).padStart(15, '0')}.${id}`);
  const write = (path: string, id: string): void => writeFileSync(path, JSON.stringify({ id, body: 'said' }));
  const ids = async (words: ReturnType<typeof createFolderWords>): Promise<readonly string[]> =>
    (await words.list('r')).map(({ id }) => id);

  it('are plain files: a folder, a link, a pipe and what is far too long hold nobody up', async () => {
    const words = createFolderWords(places, () => undefined);
    await words.keep('r', { id: 'w1', body: 'said' });
    mkdirSync(at(1, 'folder'));
    write(join(root, 'elsewhere'), 'link');
    symlinkSync(join(root, 'elsewhere'), at(2, 'link'));
    execFileSync('mkfifo', [at(3, 'pipe')]);
    writeFileSync(at(4, 'long'), 'x'.repeat(1_000_000));
    expect(await ids(words)).toEqual(['w1']);
    for (const id of ['folder', 'link', 'pipe', 'w1']) await words.drop('r', id);
    expect(await ids(words)).toEqual([]);
    // In whose place something else stands is kept all the same.
    await words.keep('r', { id: 'folder', body: 'said' });
    expect(await ids(words)).toEqual(['folder']);
  });

  it('count once where two keep the same one at once, and are all forgotten', async () => {
    const words = createFolderWords(places, () => undefined);
    mkdirSync(join(places.words, 'r'));
    for (const second of [1, 2]) write(at(second, 'w1'), 'w1');
    expect(await ids(words)).toEqual(['w1']);
    await words.drop('r', 'w1');
    expect(readdirSync(join(places.words, 'r'))).toEqual([]);
  });

  it('are what their names say: one that says another name, and what is no word, goes and takes no place', async () => {
    const words = createFolderWords(places, () => undefined);
    mkdirSync(join(places.words, 'r'));
    for (let second = 1; second <= 1001; second += 1) writeFileSync(at(second, `x${second}`), 'no word');
    write(at(2000, 'w1'), 'w2');
    write(at(2001, 'w3'), 'w3');
    expect(await ids(words)).toEqual(['w3']);
    expect(readdirSync(join(places.words, 'r'))).toHaveLength(1);
  });
});
