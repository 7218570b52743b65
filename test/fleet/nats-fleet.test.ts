import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeFleet } from '../../src/fleet/fleet-contract-fixtures.ts';
import { connectFleet } from '../../src/fleet/index.ts';
import { startServer, type TestServer } from './nats.ts';
import { startProxy } from './proxy.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describeFleet('NATS JetStream', () => connectFleet({ url: server.url, env: {}, name: 'test' }));

test('what a fleet keeps is made once, however many come to a new server at the same moment', async () => {
  for (let round = 0; round < 20; round += 1) {
    const fresh = await startServer();
    try {
      const fleets = await Promise.all(Array.from({ length: 20 }, () => connectFleet({ url: fresh.url, env: {}, name: 'test' })));
      expect(await Promise.all(fleets.map(({ workers }) => workers.list()))).toEqual(fleets.map(() => []));
      await Promise.all(fleets.map((fleet) => fleet.close()));
    } finally {
      await fresh.close();
    }
  }
});

test('a fleet outlives the death of its server: what was kept is there, and what is asked meanwhile waits', async () => {
  const fleet = await connectFleet({ url: server.url, env: {}, name: 'test' });
  const run = `run-${Date.now()}`;
  await fleet.queue.offer({ run, name: '1.1', labels: [run], protocol: 1, body: 1 });
  await fleet.reports.append({ run, name: '1.1', worker: 'one', number: 1, body: 'before' });
  const seen: unknown[] = [];
  const end = await fleet.reports.follow(run, ({ body }) => seen.push(body));
  const claim = await fleet.queue.claim({ id: 'one', labels: [run], protocol: 1 }, AbortSignal.timeout(20_000));
  const state = { id: run, token: 't', labels: [run], protocol: 1, slots: 1, busy: [], isDraining: false };
  await fleet.workers.tell(state);
  await server.kill();
  const beat = claim?.beat();
  const report = fleet.reports.append({ run, name: '1.1', worker: 'one', number: 2, body: 'meanwhile' });
  await server.restart();
  expect(await beat).toBe(true);
  await report;
  expect(await fleet.workers.tell(state)).toBe(true);
  expect(await fleet.workers.list()).toContainEqual({ ...state, silentMs: expect.any(Number) });
  await expect.poll(() => seen).toEqual(['before', 'meanwhile']);
  await end();
  await fleet.close();
});

/** Changes what the server says of a file, and whether its parts are there. */
async function spoil(hash: string, change: (meta: string) => string, hasParts: boolean): Promise<void> {
  const connection = await connect({ servers: server.url });
  const { streams } = await jetstreamManager(connection);
  const subject = `$O.ralph_blobs.M.${Buffer.from(hash).toString('base64url')}==`;
  const meta = (await streams.getMessage('OBJ_ralph_blobs', { last_by_subj: subject }))?.string() ?? '';
  const { nuid } = JSON.parse(meta) as { readonly nuid: string };
  if (!hasParts) await streams.purge('OBJ_ralph_blobs', { filter: `$O.ralph_blobs.C.${nuid}` });
  await jetstream(connection).publish(subject, change(meta), { headers: rollUp() });
  await connection.close();
}

function rollUp() {
  const all = headers();
  all.set('Nats-Rollup', 'sub');
  return all;
}

test('a file whose parts are not there is given up where nobody wants it any more, and one that is another than is said is none', async () => {
  const fleet = await connectFleet({ url: server.url, env: {}, name: 'test' });
  const [lost, other] = [
    await fleet.blobs.put(Buffer.from(`lost ${Date.now()}`)),
    await fleet.blobs.put(Buffer.from(`other ${Date.now()}`)),
  ];
  await spoil(lost, (meta) => meta, false);
  await spoil(other, (meta) => meta.replace(/SHA-256=.{4}/, 'SHA-256=AAAA'), true);
  const startedAt = performance.now();
  await expect(fleet.blobs.get(lost, { signal: AbortSignal.timeout(1000) })).rejects.toThrow('aborted');
  expect(await fleet.blobs.get(other)).toBe(null);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await fleet.close();
});

test('no server is told as such, with the address and without its password', async () => {
  const lost = connectFleet({ url: 'nats://me:secret@127.0.0.1:1', env: {}, name: 'test' });
  await expect(lost).rejects.toMatchObject({ code: 'fleet-unreachable', message: expect.stringContaining('nats://127.0.0.1:1') });
  await expect(lost).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
});

test('a connection over which nothing comes any more, and which nobody closes, is given up: what is asked over it is asked over a new one', async () => {
  const proxy = await startProxy(server.url);
  const fleet = await connectFleet({ url: proxy.url, env: {}, name: 'test' });
  const run = `run-${Date.now()}`;
  try {
    const seen: unknown[] = [];
    const end = await fleet.reports.follow(run, ({ body }) => seen.push(body));
    await fleet.reports.append({ run, name: '1.1', worker: 'one', number: 1, body: 'before' });
    await expect.poll(() => seen).toEqual(['before']);
    proxy.lose();
    await fleet.reports.append({ run, name: '1.1', worker: 'one', number: 2, body: 'behind it' });
    await expect.poll(() => seen).toEqual(['before', 'behind it']);
    await end();
  } finally {
    await fleet.close();
    await proxy.close();
  }
});

test('of words for a run nobody has the oldest are given, whatever their names; what is no word, or that of another name, goes', async () => {
  const fleet = await connectFleet({ url: server.url, env: {}, name: 'test' });
  const plain = await connect({ servers: server.url });
  const run = `run-${Date.now()}`;
  try {
    plain.publish(`ralph.word.${run}.a`, 'no word');
    plain.publish(`ralph.word.${run}.b`, JSON.stringify({ id: 'c', body: null }));
    await plain.flush();
    await fleet.words.keep(run, { id: 'zz', body: 'first' });
    for (let number = 0; number < 1000; number += 1) {
      const id = `a${number}`;
      plain.publish(`ralph.word.${run}.${id}`, JSON.stringify({ id, body: null }));
    }
    await plain.flush();
    await expect.poll(async () => (await fleet.words.list(run)).length).toBe(1000);
    const ids = (await fleet.words.list(run)).map(({ id }) => id);
    expect([ids[0], ids[1], ids.at(-1), ids.includes('c')]).toEqual(['zz', 'a0', 'a998', false]);
  } finally {
    await fleet.words.forget(run);
    await plain.close();
    await fleet.close();
  }
});

test('a report and an order that the network gives twice are one', async () => {
  const fleet = await connectFleet({ url: server.url, env: {}, name: 'test' });
  const plain = await connect({ servers: server.url });
  const run = `run-${Date.now()}`;
  try {
    const seen: unknown[] = [];
    const end = await fleet.reports.follow(run, ({ number }) => seen.push(number));
    const report = JSON.stringify({ worker: 'one', number: 1, body: 'a report' });
    for (const _ of [1, 2]) plain.publish(`ralph.report.${run}.1_1`, report);
    await plain.flush();
    await fleet.reports.append({ run, name: '1.1', worker: 'one', number: 2, body: 'the next' });
    await expect.poll(() => seen).toEqual([1, 2]);
    await end();
    const order = { run, name: '1.1', labels: [run], protocol: 1, body: 1 };
    await fleet.queue.offer(order);
    const claim = await fleet.queue.claim({ id: 'one', labels: [run], protocol: 1 }, AbortSignal.timeout(20_000));
    plain.publish(`$KV.ralph_work.offer.${run}.1_1`, JSON.stringify({ kind: 'offered', order }));
    await plain.flush();
    expect(await fleet.queue.claim({ id: 'two', labels: [run], protocol: 1 }, AbortSignal.timeout(1000))).toBe(null);
    expect(await claim?.beat()).toBe(true);
  } finally {
    await plain.close();
    await fleet.close();
  }
});

test('a server that is away is asked for some times a second, and not without a pause', async () => {
  const own = await startServer();
  const fleet = await connectFleet({ url: own.url, env: {}, name: 'test' });
  await own.kill();
  let asked = 0;
  const nobody = createServer((socket) => {
    asked += 1;
    socket.destroy();
  });
  try {
    await new Promise<void>((resolve) => nobody.listen(Number(new URL(own.url).port), '127.0.0.1', resolve));
    await pause(3000);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(20);
  } finally {
    nobody.close();
    await fleet.close();
    await own.close();
  }
});

test('a clock that is put back an hour keeps nobody from a server that was away', async () => {
  const [fleet, theirs] = await Promise.all(['mine', 'theirs'].map((name) => connectFleet({ url: server.url, env: {}, name })));
  const run = `run-${Date.now()}`;
  const now = Date.now;
  try {
    const seen: unknown[] = [];
    const end = await fleet?.reports.follow(run, ({ body }) => seen.push(body));
    const next = theirs?.queue.claim({ id: 'one', labels: [run], protocol: 1 }, AbortSignal.timeout(20_000));
    Date.now = () => now() - 3600_000;
    await server.kill();
    const report = fleet?.reports.append({ run, name: '1.1', worker: 'one', number: 1, body: 'meanwhile' });
    await server.restart();
    await report;
    await expect.poll(() => seen).toEqual(['meanwhile']);
    await fleet?.queue.offer({ run, name: '1.1', labels: [run], protocol: 1, body: 1 });
    expect((await next)?.order.name).toBe('1.1');
    await end?.();
  } finally {
    Date.now = now;
    await Promise.all([fleet?.close(), theirs?.close()]);
  }
});
