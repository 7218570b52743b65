import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { fromBody, PROTOCOL, toBody } from '../fleet/messages.ts';
import { workForFleet } from './work-for-fleet.ts';

test('an order of a round that cannot be read is answered as a round that was not taken', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ralph-worker-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const fleet = createMemoryFleet();
  const reported: Json[] = [];
  await fleet.reports.follow('r1', (report) => void fromBody(fleet.blobs, report.body).then((words) => reported.push(words)));
  const [stop, kill] = [new AbortController(), new AbortController()];
  const own = { fleet, home, siblings: null, id: 'one', labels: ['custom'], slots: 1, standsInFor: 0, env: {}, tell: () => undefined };
  const done = workForFleet(own, stop.signal, kill.signal);
  const lease = { run: 'r1', epoch: 1, place: 'p', host: 'h', lostAfterMs: 60_000, title: 't', state: 'held' } as const;
  await fleet.leases.write(lease, 0);
  const body = await toBody(fleet.blobs, { task: { kind: 'round', agent: 'of another version' }, place: null, lostAfterMs: 60_000 });
  await fleet.queue.offer({ run: 'r1', name: '7.1.2.1', labels: ['custom'], protocol: PROTOCOL, body });
  await expect.poll(() => reported).toEqual([expect.objectContaining({ kind: 'round', changes: null, said: '' })]);
  expect(reported[0]).toMatchObject({
    result: {
      status: 'failed',
      failure: { class: 'transient', message: expect.stringMatching(/^the worker one is in trouble: .*cannot be read/) },
    },
  });
  stop.abort();
  await done;
});

test('a fleet that was replaced knows a worker again that spoke to it before it joined it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'ralph-worker-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const fleet = createMemoryFleet();
  const order = { id: 'one', labels: ['custom'], slots: 1 };
  await fleet.workers.tell({ ...order, token: 'mine', protocol: PROTOCOL, busy: [], isDraining: false });
  const own = { ...order, fleet, home, siblings: null, standsInFor: 0, env: {}, tell: () => undefined };
  const stop = AbortSignal.abort();
  await expect(workForFleet(own, stop, stop)).rejects.toMatchObject({ code: 'fleet-worker-name' });
  expect(await workForFleet({ ...own, token: 'mine' }, stop, stop)).toBeNull();
});
