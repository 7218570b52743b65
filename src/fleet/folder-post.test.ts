import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
import { type FolderPost, openFolderPost } from './folder-post.ts';

let root: string;
let places: FolderPlaces;
const opened: FolderPost[] = [];

function open(): FolderPost {
  const post = openFolderPost(places);
  opened.push(post);
  return post;
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ralph-post-'));
  places = toPlaces(root);
  for (const place of Object.values(places)) mkdirSync(place);
});
afterEach(() => {
  for (const post of opened.splice(0)) post.close();
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

describe('what processes say to each other through a folder', () => {
  it('is heard by who could not say at first that it listens, as on a full disk, as soon as it can', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const [mine, theirs] = [open(), open()];
    rmSync(places.subjects, { recursive: true });
    writeFileSync(places.subjects, 'no folder');
    theirs.listen('steer.r', (_, answer) => answer('heard'));
    rmSync(places.subjects);
    expect(await mine.ask('steer.r', null, 100)).toBe(undefined);
    vi.advanceTimersByTime(2000);
    vi.useRealTimers();
    expect(await mine.ask('steer.r', null, 5000)).toBe('heard');
  });

  it('is not taken for heard where the connection is closed before an answer', async () => {
    const [mine, theirs] = [open(), open()];
    theirs.listen('ask.r', () => undefined);
    const said = mine.ask('ask.r', null, 5000);
    mine.close();
    expect(await said).toBe(undefined);
  });

  it('leaves nothing of processes that were killed, when somebody comes after them', () => {
    const killed = randomUUID();
    mkdirSync(join(places.peers, killed));
    writeFileSync(join(places.peers, killed, 'alive'), JSON.stringify({ boot: 'before', at: 1 }));
    for (const [subject, peer] of [
      ['ask.r', killed],
      ['ask.s', randomUUID()],
    ] as const) {
      mkdirSync(join(places.subjects, subject));
      writeFileSync(join(places.subjects, subject, peer), '');
    }
    mkdirSync(join(places.subjects, 'ask.t'));
    const living = open();
    living.listen('ask.u', () => undefined);
    open();
    expect([readdirSync(places.peers).includes(killed), readdirSync(places.subjects)]).toEqual([false, ['ask.u']]);
  });
});
