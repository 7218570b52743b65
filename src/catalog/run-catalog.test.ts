import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Input } from '../core/run/inputs.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { openJsonlJournal } from '../journal/jsonl-journal.ts';
import { nodeFileSystem as fs } from '../journal/node-file-system.ts';
import { toLayout } from '../runs/layout.ts';
import { noteProject } from '../runs/list-runs.ts';
import { toRunFrame } from '../views/frame/run-frame.ts';
import { createRunCatalog } from './run-catalog.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-catalog-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const toEnv = () => ({ HOME: home, XDG_STATE_HOME: join(home, 'state') });
const IDS = ['20261121-101010-abcde', '20261122-101010-abcde', '20261123-101010-abcde'] as const;
const AT = Date.UTC(2026, 10, 21);

/** Writes the journal of a run that was stopped, in a folder that is known. */
function writeRun(folder: string, runId: string, objective: string, day = 0): string {
  const root = join(home, folder);
  const path = join(root, '.ralph/runs', runId, 'journal.jsonl');
  mkdirSync(join(path, '..'), { recursive: true });
  noteProject(toLayout(root), toEnv());
  const { journal } = openJsonlJournal({ fs, path });
  const at = AT + day * 86_400_000;
  journal.append({ type: 'run-started', at, runId, spec: makeSpec({ objective }), flags: [], inboxOffset: 0 });
  journal.append({ type: 'stop-requested', at: at + 5000, how: 'kill', by: 'test' } as Input);
  journal.close();
  return path;
}

it('the runs of all folders are one list, the newest first, each with a key that stays', async () => {
  writeRun('site', IDS[0], 'Build the site.\nAll of it.', 0);
  writeRun('shop', IDS[1], 'Mend the shop.', 1);
  const list = await createRunCatalog(home, toEnv()).list();
  expect(list.runs.map(({ folder, title, startedAt }) => [folder, title, startedAt])).toEqual([
    ['~/shop', 'Mend the shop.', AT + 86_400_000],
    ['~/site', 'Build the site. (+1 line)', AT],
  ]);
  expect(list.runs[0]).toMatchObject({ runId: IDS[1], iterations: 0, costUsd: null, working: [] });
  const again = await createRunCatalog(home, toEnv()).list();
  expect(again.runs.map(({ key }) => key)).toEqual(list.runs.map(({ key }) => key));
  expect(new Set(list.runs.map(({ key }) => key)).size).toBe(2);
  for (const { key } of list.runs) expect(key).toMatch(/^[a-z0-9]{1,64}$/);
});

it('a secret in a task is in no title', async () => {
  writeRun('site', IDS[0], 'Use verysecretvalue123456.');
  const env = { ...toEnv(), MY_API_TOKEN: 'verysecretvalue123456' };
  expect((await createRunCatalog(home, env).list()).runs.map(({ title }) => title)).toEqual(['Use [redacted: MY_API_TOKEN].']);
});

it('a key is found before anything was read, and nothing else is', async () => {
  writeRun('site', IDS[0], 'x');
  const [row] = (await createRunCatalog(home, toEnv()).list()).runs;
  const fresh = createRunCatalog(home, toEnv());
  const run = fresh.open(row?.key ?? '');
  expect(run).toMatchObject({ root: join(home, 'site'), runId: IDS[0] });
  expect(run?.history.lastSeq()).toBe(0);
  expect(fresh.open(IDS[0])).toBeNull();
  expect(fresh.open('../../etc')).toBeNull();
});

it('a run that is over is read once, and again when its journal has changed', async () => {
  const path = writeRun('site', IDS[0], 'First words.');
  utimesSync(path, AT / 1000, AT / 1000);
  const catalog = createRunCatalog(home, toEnv());
  const titles = async () => (await catalog.list()).runs.map(({ title }) => title);
  expect(await titles()).toEqual(['First words.']);
  const { size } = statSync(path);
  // The same file by size and time: nobody looks into it.
  writeFileSync(path, 'x'.repeat(size));
  utimesSync(path, AT / 1000, AT / 1000);
  expect(await titles()).toEqual(['First words.']);
  rmSync(path);
  writeRun('site', IDS[0], 'Other words.');
  expect(await titles()).toEqual(['Other words.']);
});

it('runs come and go while it is looked at', async () => {
  writeRun('site', IDS[0], 'one');
  const catalog = createRunCatalog(home, toEnv());
  const ids = async () => (await catalog.list()).runs.map(({ runId }) => runId);
  expect(await ids()).toEqual([IDS[0]]);
  writeRun('site', IDS[1], 'two', 1);
  expect(await ids()).toEqual([IDS[1], IDS[0]]);
  rmSync(join(home, 'site/.ralph/runs', IDS[0]), { recursive: true });
  expect(await ids()).toEqual([IDS[1]]);
});

it('the runs of the folder in which it is called are listed, also where nobody noted it', async () => {
  writeRun('site', IDS[0], 'x');
  rmSync(join(home, 'state'), { recursive: true });
  expect((await createRunCatalog(join(home, 'site'), toEnv()).list()).runs).toHaveLength(1);
});

it('a folder or a journal that cannot be read hides none of the others', async () => {
  writeRun('site', IDS[0], 'x');
  const scribbled = writeRun('site', IDS[1], 'y', 1);
  writeFileSync(scribbled, 'scribble\n');
  writeRun('broken', IDS[2], 'z');
  rmSync(join(home, 'broken/.ralph/runs'), { recursive: true });
  writeFileSync(join(home, 'broken/.ralph/runs'), 'no folder');
  const { runs, unread } = await createRunCatalog(home, toEnv()).list();
  expect(runs.map(({ runId, state }) => [runId, state])).toEqual([
    [IDS[1], 'gone'],
    [IDS[0], 'gone'],
  ]);
  expect(unread).toEqual([{ folder: '~/broken', why: expect.stringMatching(/runs/) }]);
});

it('what an agent wrote as a task or a folder is named is shown without what a terminal obeys', async () => {
  writeRun('a\u001b[2Jb', IDS[0], '\u001b]0;title\u0007Task\u202e');
  const [row] = (await createRunCatalog(home, toEnv()).list()).runs;
  expect([row?.folder, row?.title]).toEqual(['~/ab', 'Task']);
});

it('what takes long to read is in a later list: the newest come first', async () => {
  for (let index = 0; index < 3; index += 1) writeRun(`f${index}`, IDS[index] ?? '', `run ${index}`, index);
  const catalog = createRunCatalog(home, toEnv(), { patienceMs: 0, keepMs: 0 });
  const [one, two] = await Promise.all([catalog.list(), catalog.list()]);
  expect(one.runs[0]?.runId).toBe(IDS[2]);
  expect(two.runs).toEqual(one.runs);
  const counts = [one.runs.length];
  while (counts.at(-1) !== 3 && counts.length < 1000) counts.push((await catalog.list()).runs.length);
  expect(counts.at(-1)).toBe(3);
  expect(counts).toEqual(counts.toSorted());
});

/** Long enough to be kept for a while. */
function writeLongRun(folder: string, runId: string): void {
  const path = writeRun(folder, runId, 'Long.');
  const { journal } = openJsonlJournal({ fs: { ...fs, sync: () => undefined }, path });
  for (let count = 0; count < 5000; count += 1) journal.append({ type: 'stop-requested', at: AT + 6000, how: 'kill', by: 'test' } as Input);
  journal.close();
}

it('a long run that is opened from the list is not read again, and is then of whoever opened it', async () => {
  writeLongRun('site', IDS[0]);
  writeRun('shop', IDS[1], 'Short.');
  const catalog = createRunCatalog(home, toEnv());
  let { runs } = await catalog.list();
  while (runs.length < 2) ({ runs } = await catalog.list());
  const keys = new Map(runs.map(({ runId, key }) => [runId, key]));
  const open = (runId: string) => catalog.open(keys.get(runId) ?? '');
  const run = open(IDS[0]);
  expect(run?.history.lastSeq()).toBe(5002);
  expect(run?.refresh()).toBe(false);
  expect(open(IDS[0])?.history.lastSeq()).toBe(0);
  expect(open(IDS[1])?.history.lastSeq()).toBe(0);
});

it('a long run that nobody opens from the list is forgotten', async () => {
  writeLongRun('site', IDS[0]);
  const catalog = createRunCatalog(home, toEnv(), { patienceMs: 250, keepMs: 0 });
  const [row] = (await catalog.list()).runs;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(catalog.open(row?.key ?? '')?.history.lastSeq()).toBe(0);
  expect((await catalog.list()).runs).toEqual([row]);
});

it('a run that is opened while the list is read is read once for both', async () => {
  writeLongRun('site', IDS[0]);
  const [row] = (await createRunCatalog(home, toEnv()).list()).runs;
  const catalog = createRunCatalog(home, toEnv());
  const list = catalog.list();
  const run = catalog.open(row?.key ?? '');
  await list;
  expect(run?.history.lastSeq()).toBe(5002);
});

it('a run that goes on elsewhere, as its fleet says, is one that is at work, with where; a list waits for no fleet', async () => {
  const url = `file:${join(home, 'fleet')}`;
  const runId = `${new Date().toISOString().slice(0, 19).replaceAll('-', '').replace('T', '-').replaceAll(':', '')}-abcde`;
  const journal = writeRun('site', runId, 'Build it.', (Date.now() - AT) / 86_400_000);
  writeFileSync(
    join(journal, '..', 'settings.json'),
    JSON.stringify({ version: 1, settings: { stateDir: '.ralph' }, workspace: join(home, 'site'), fleet: url }),
  );
  const fleet = await connectFleet({ url, env: {}, name: 'test' });
  const lease = { run: runId, epoch: 2, place: 'there', host: 'desk', worker: 'w', lostAfterMs: 1000, title: 'x', state: 'held' } as const;
  const beat = await fleet.leases.write(lease, 0);
  await fleet.workers.tell({ id: 'w', token: 't', labels: ['custom'], protocol: 1, slots: 1, busy: [], isDraining: false });
  const catalog = createRunCatalog(home, toEnv());
  expect((await catalog.list()).runs).toMatchObject([{ folder: '~/site' }]);
  await expect
    .poll(async () => (await catalog.list()).runs)
    .toMatchObject([
      {
        state: 'unseen',
        folder: '~/site, goes on with the worker w on desk',
        attention: { state: 'working', evidence: 'It goes on with the worker w on desk.' },
      },
    ]);
  // Who has it open is told by itself, also of what comes later.
  const run = catalog.open((await catalog.list()).runs[0]?.key ?? '');
  if (run === null) throw new Error('it is in the list');
  while (run.refresh());
  const toShown = (): readonly string[] => {
    const { state, word, attention, next } = toRunFrame(run.history, run.facts());
    return [state, word, attention.evidence, next];
  };
  expect(toShown().slice(0, 3)).toEqual(['gone', 'died', 'It has not ended, but its process is gone.']);
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = run.onChange(() => undefined);
  await expect.poll(toShown).toEqual(['unseen', 'goes on elsewhere', 'It goes on with the worker w on desk.', '']);
  await fleet.leases.write({ ...lease, worker: 'x', state: 'free' }, beat ?? 0);
  vi.advanceTimersByTime(15_000);
  await expect.poll(() => toShown()[2]).toBe('It went on with the worker x on desk, and was stopped there.');
  stop();
  await fleet.close();
});
