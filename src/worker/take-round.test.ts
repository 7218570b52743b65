import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { readChanges } from '../fleet/run-records.ts';
import { createTestRepository, open, removeFolders } from '../fleet-runs/place-tree-fixtures.ts';
import { openWorkspace } from '../panel/share/open-workspace.ts';
import { snapshotWork } from '../panel/share/snapshot-work.ts';
import { createCollector } from './take-round.ts';

afterEach(removeFolders);

/** The folder of an agent on a worker, beside what it was as the round began. */
async function setUp() {
  const repo = createTestRepository({ 'a.txt': 'a\n', 'gone.txt': 'a\n', '.gitignore': 'out/\n.env\n' });
  const [top, fleet] = [join(repo.path, '.ralph', 'round'), createMemoryFleet()];
  const [cwd, before] = [join(top, 'work'), join(top, 'before')];
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  mkdirSync(top, { recursive: true });
  await openWorkspace({ from: repo.path, to: cwd, links: [], skipped: ['.ralph'] });
  await snapshotWork(cwd, before);
  const settings = { stateDir: '.ralph', worktreeLinks: ['linked'] };
  const place = { file: { settings }, repository: await open(repo) } as unknown as Parameters<typeof createCollector>[1];
  const collect = createCollector({ fleet }, place, { top, cwd, before });
  const read = async (body: Json): Promise<readonly string[]> =>
    body === null ? [] : (await readChanges(fleet.blobs, body)).map(({ path, mode }) => `${path} ${mode ?? 'gone'}`);
  return { fleet, cwd, write, collect: async () => read(await collect()) };
}

test('of an agent’s folder is sent what changed since it was sent last: nothing twice, nothing that git ignores or that is no work', async () => {
  const { cwd, write, collect } = await setUp();
  expect(await collect()).toEqual([]);
  for (const path of ['new.txt', 'out/made', '.env', 'linked/x', '.ralph/x', 'node_modules/m/i.js', '.agent/notes.md']) write(path, 'x\n');
  write('a.txt', 'b\n');
  rmSync(join(cwd, 'gone.txt'));
  expect(await collect()).toEqual(['a.txt 100644', 'gone.txt gone', 'new.txt 100644']);
  expect(await collect()).toEqual([]);
  write('a.txt', 'c\n');
  expect(await collect()).toEqual(['a.txt 100644']);
});

test('what could not be sent is sent with the next one, and of several at once each sends what is new', async () => {
  const { fleet, write, collect } = await setUp();
  const { put } = fleet.blobs;
  Object.assign(fleet.blobs, { put: () => Promise.reject(new Error('away')) });
  write('large.txt', 'x'.repeat(20_000));
  await expect(collect()).rejects.toThrow('away');
  Object.assign(fleet.blobs, { put });
  expect(await Promise.all([collect(), collect()])).toEqual([['large.txt 100644'], []]);
});

test('rules of the agent’s own count: what it has git ignore is not sent', async () => {
  const { write, collect } = await setUp();
  write('.gitignore', 'out/\nmine/\n');
  write('mine/x', 'x\n');
  expect(await collect()).toEqual(['.gitignore 100644']);
});
