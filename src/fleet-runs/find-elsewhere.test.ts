import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Input } from '../core/run/inputs.ts';
import { makeSpec } from '../core/spec-fixtures.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { openJsonlJournal } from '../journal/jsonl-journal.ts';
import { nodeFileSystem as fs } from '../journal/node-file-system.ts';
import { findAllElsewhere, findAway, findElsewhere, type JournalEnd } from './find-elsewhere.ts';

const RUN = '20261121-101010-abcde';
const LEASE = { run: RUN, epoch: 2, place: 'elsewhere', worker: 'w', lostAfterMs: 1000, title: 'Fix it', state: 'held' } as const;

const WORKER = { id: 'w', token: 't', labels: ['custom'], protocol: 1, slots: 1, busy: [], isDraining: false };

/** A run that was begun on the fleet `own`, and addresses of fleets. */
async function setUp(at = Date.now()) {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'ralph-away-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, '.ralph/runs', RUN);
  mkdirSync(folder, { recursive: true });
  const toUrl = (name: string): string => `file:${join(root, name)}`;
  writeFileSync(
    join(folder, 'settings.json'),
    JSON.stringify({ version: 1, settings: { stateDir: '.ralph' }, workspace: root, fleet: toUrl('own') }),
  );
  const { journal } = openJsonlJournal({ fs, path: join(folder, 'journal.jsonl') });
  journal.append({ type: 'run-started', at, runId: RUN, spec: makeSpec({}), flags: [], inboxOffset: 0 } satisfies Input);
  journal.close();
  /** A fleet that is there; `host`: where it says that the run goes on. */
  const open = async (name: string, host?: string): Promise<string> => {
    const fleet = await connectFleet({ url: toUrl(name), env: {}, name: 'test' });
    if (host !== undefined) await fleet.leases.write({ ...LEASE, host }, 0);
    if (host !== undefined) await fleet.workers.tell(WORKER);
    await fleet.close();
    return toUrl(name);
  };
  const connect = async (name: string) => {
    const fleet = await connectFleet({ url: toUrl(name), env: {}, name: 'test' });
    onTestFinished(() => fleet.close());
    return fleet;
  };
  return {
    root,
    folder,
    toUrl,
    open,
    connect,
    find: (said?: string) => findElsewhere(root, RUN, said === undefined ? {} : { RALPH_FLEET: said }),
  };
}

/** Takes connections, and says nothing; hears each that ends. */
async function startSilent(onLeft = (): void => undefined): Promise<string> {
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .on('close', onLeft)
        .resume(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `nats://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test('a run is where the fleet of the environment says, and where that does not know it, where its own says', async () => {
  const { open, find } = await setUp();
  const own = await open('own', 'desk');
  const [empty, other] = [await open('empty'), await open('other', 'rack')];
  expect(await find()).toMatchObject({ state: 'held', host: 'desk', url: own, fleet: own, option: `--fleet '${own}'` });
  expect(await find(empty)).toMatchObject({ host: 'desk', url: own, fleet: own, option: `--fleet '${own}'` });
  expect(await find(other)).toMatchObject({ host: 'rack', url: other, fleet: other, option: '--fleet' });
});

test('a run that its fleet does not know any more is here; of one whose fleet cannot be asked nobody knows', async () => {
  const { toUrl, open, find } = await setUp();
  const own = toUrl('own');
  const empty = await open('empty');
  expect(await find()).toMatchObject({ state: 'unasked', url: own, fleet: own });
  expect(await find(empty)).toMatchObject({ state: 'unasked', url: own, fleet: own, option: `--fleet '${own}'` });
  await open('own');
  expect([await find(), await find(empty), await find(toUrl('none'))]).toEqual([null, null, null]);
});

test('its own fleet is asked also where that of the environment says nothing', { timeout: 30_000 }, async () => {
  const { open, find } = await setUp();
  const own = await open('own', 'desk');
  expect(await find(await startSilent())).toMatchObject({ state: 'held', host: 'desk', url: own });
});

test('of all runs of a list each fleet is asked once, and none is waited for longer than two seconds', async () => {
  const { root, open } = await setUp();
  const own = await open('own', 'desk');
  const runs = [RUN, 'nobody-knows-it'].map((runId) => ({ runId, cwd: root }));
  const there = await findAllElsewhere(runs, {});
  expect([...there]).toEqual([[RUN, expect.objectContaining({ state: 'held', host: 'desk', worker: 'w', url: own })]]);
  const from = performance.now();
  // What the run's own fleet says counts where the other says nothing.
  const silent = await findAllElsewhere(runs, { RALPH_FLEET: await startSilent() });
  expect([performance.now() - from < 4000, silent.get(RUN)]).toEqual([true, expect.objectContaining({ host: 'desk' })]);
  rmSync(own.slice('file:'.length), { recursive: true });
  expect((await findAllElsewhere(runs, {})).get(RUN)).toMatchObject({ state: 'unasked', fleet: own });
});

test('a fleet that says nothing is left when the list is there: nothing of it keeps the process alive', async () => {
  const { root } = await setUp();
  let left = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    left = resolve;
  });
  await findAllElsewhere([{ runId: RUN, cwd: root }], { RALPH_FLEET: await startSilent(left) });
  const from = performance.now();
  await ended;
  expect(performance.now() - from).toBeLessThan(1000);
});

test('a fleet that says nothing is left at once where nobody waits for the answer any more', async () => {
  const { root, open } = await setUp();
  rmSync((await open('own', 'desk')).slice('file:'.length), { recursive: true });
  let left = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    left = resolve;
  });
  const leaving = new AbortController();
  const finding = findElsewhere(root, RUN, { RALPH_FLEET: await startSilent(left) }, leaving.signal);
  setTimeout(() => leaving.abort(), 200);
  const from = performance.now();
  await Promise.all([finding, ended]);
  expect(performance.now() - from).toBeLessThan(2000);
});

test('a journal that was read for the list is not read once more to find where its run is', async () => {
  const { root, open } = await setUp();
  await open('own', 'desk');
  const journal = join(root, '.ralph/runs', RUN, 'journal.jsonl');
  rmSync(journal);
  mkdirSync(journal);
  const find = async (read?: JournalEnd) => (await findAllElsewhere([{ runId: RUN, cwd: root, ...(read && { read }) }], {})).get(RUN);
  expect(await find()).toBeUndefined();
  expect(await find({ end: null, at: Date.now() })).toMatchObject({ host: 'desk' });
  expect(await find({ end: { reason: 'completed', detail: '' }, at: Date.now() })).toBeUndefined();
});

test('of a run of a list that left here long ago nobody is asked; of one that is meant the fleet is', async () => {
  const { root, open, find } = await setUp(Date.now() - 31 * 24 * 3600 * 1000);
  await open('own', 'desk');
  expect([...(await findAllElsewhere([{ runId: RUN, cwd: root }], {}))]).toEqual([]);
  expect(await find()).toMatchObject({ host: 'desk' });
});

test('a run whose folder is removed while its fleet is asked costs nobody the list, and asking writes nothing', async () => {
  const { root, open } = await setUp();
  const folder = join(root, '.ralph/runs', RUN);
  await open('own', 'desk');
  const before = readdirSync(folder);
  expect(await findElsewhere(root, RUN, {})).toMatchObject({ host: 'desk' });
  expect(readdirSync(folder)).toEqual(before);
  const [asked, silent] = [findAllElsewhere([{ runId: RUN, cwd: root }], {}), findElsewhere(root, RUN, {})];
  rmSync(folder, { recursive: true });
  expect((await asked).get(RUN)).toMatchObject({ host: 'desk' });
  expect(await silent).toMatchObject({ host: 'desk' });
});

test('a run whose worker is not there any more is lost, unless a process says that it has it; it may be taken where a worker is there', async () => {
  const { connect, open, find, root } = await setUp();
  await open('own', 'desk');
  const fleet = await connect('own');
  expect(await find()).toMatchObject({ state: 'held', worker: 'w', hasWorkers: true });
  await fleet.workers.leave(WORKER);
  expect(await find()).toMatchObject({ state: 'lost', worker: 'w', host: 'desk', lostAfterMs: 1000, hasWorkers: false });
  expect((await findAllElsewhere([{ runId: RUN, cwd: root }], {})).get(RUN)).toMatchObject({ state: 'lost' });
  await fleet.workers.tell({ ...WORKER, id: 'other' });
  expect(await find()).toMatchObject({ state: 'lost', hasWorkers: true });
  // Its process may outlive the worker.
  const asked = find();
  await pause(400);
  const kept = await fleet.leases.look(RUN);
  await fleet.leases.write({ ...LEASE, host: 'desk' }, kept?.beat ?? 0);
  expect(await asked).toMatchObject({ state: 'held', worker: 'w' });
});

test('a run that nobody had but the process here that is gone is said to be so while somebody may take it, whoever may speak to it', async () => {
  const { connect, find, folder, root } = await setUp();
  const fleet = await connect('own');
  writeFileSync(join(folder, 'place'), 'here\n');
  const own = { ...LEASE, place: 'here', host: 'desk', epoch: 1 };
  const beat = await fleet.leases.write(own, 0);
  expect(await find()).toMatchObject({ state: 'left', lostAfterMs: 1000, hasWorkers: false });
  expect([(await findAway(root, RUN, {}))?.isLeft, (await findAllElsewhere([{ runId: RUN, cwd: root }], {})).size]).toEqual([true, 0]);
  writeFileSync(join(folder, 'people.json'), JSON.stringify({ who: 'terminal', pidNamespace: null, isIsolated: false, tokens: [] }));
  expect([(await find())?.state, await findAway(root, RUN, {})]).toEqual(['left', null]);
  await fleet.leases.write({ ...own, state: 'free' }, beat ?? 0);
  expect(await find()).toBe(null);
});
