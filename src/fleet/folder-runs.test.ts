import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkReport } from '../ports/fleet.ts';
import { type FolderPlaces, toPlaces } from './folder-files.ts';
import { createFolderReports } from './folder-runs.ts';

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
