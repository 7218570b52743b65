import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeFleet } from '../../src/fleet/fleet-contract-fixtures.ts';
import { connectFleet } from '../../src/fleet/index.ts';
import { startServer, type TestServer } from './nats.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describeFleet('NATS JetStream', () => connectFleet({ url: server.url, env: {}, name: 'test' }));

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
  expect(await fleet.workers.list()).toContainEqual(state);
  await expect.poll(() => seen).toEqual(['before', 'meanwhile']);
  await end();
  await fleet.close();
});

test('no server is told as such, with the address and without its password', async () => {
  const lost = connectFleet({ url: 'nats://me:secret@127.0.0.1:1', env: {}, name: 'test' });
  await expect(lost).rejects.toMatchObject({ code: 'fleet-unreachable', message: expect.stringContaining('nats://127.0.0.1:1') });
  await expect(lost).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
});
