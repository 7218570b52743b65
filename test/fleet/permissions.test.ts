/** Accounts with the rights of the guide: what each can do with them, and what it is refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectFleet } from '../../src/fleet/index.ts';
import type { Fleet } from '../../src/ports/fleet.ts';
import { ralph, start, withFolder } from '../e2e/ralph.ts';
import { startServer, type TestServer } from './nats.ts';
import { commitAll } from './scene.ts';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/guide/fleet.md', import.meta.url)), 'utf8');
const PASSWORDS = { owner: 'OWNER-PASSWORD', person: 'PERSON-PASSWORD', w1: 'WORKER-PASSWORD' } as const;

let server: TestServer;

beforeAll(async () => {
  const config = /## Accounts with few rights[\s\S]*?```\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';
  server = await startServer(config.replace(/^jetstream .*$/m, ''));
  // What a fleet keeps is made by the first that may.
  const early = await ralph(tmpdir(), ['fleet'], { RALPH_FLEET: addressOf('person') });
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('ralph fleet')]);
  expect((await ralph(tmpdir(), ['fleet'], { RALPH_FLEET: addressOf('owner') })).code).toBe(0);
});
afterAll(() => server.close());

const addressOf = (user: keyof typeof PASSWORDS): string => server.url.replace('//', `//${user}:${PASSWORDS[user]}@`);

async function as(user: keyof typeof PASSWORDS, act: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await connectFleet({ url: addressOf(user), env: {}, name: 'test' });
  try {
    await act(fleet);
  } finally {
    await fleet.close();
  }
}

const refused = (doing: Promise<unknown>) => expect(doing).rejects.toThrow(/permissions violation/i);

const ORDER = { run: 'r1', name: '1.1', labels: ['custom'], protocol: 1, body: null } as const;
const STATE = { token: 't', labels: ['custom'], protocol: 1, slots: 1, busy: [], isDraining: false } as const;
const LEASE = { run: 'r1', epoch: 1, place: 'p', host: 'h', state: 'held', lostAfterMs: 1000, title: 't' } as const;

const AGENT = '#!/bin/sh\ncat > /dev/null\necho made > made.txt\necho LOOP_COMPLETE\n';
const CONFIG = 'cli: {backend: custom, command: ./agent.sh}\nevent_loop: {max_iterations: 3}\n';

describe('accounts with the rights of the guide', { timeout: 60_000 }, () => {
  test('are enough for a run of the owner whose turn the worker takes, and for a person who looks and drains', async () => {
    await withFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT }, async (folder) => {
      commitAll(folder);
      writeFileSync(join(folder, 'mine.txt'), 'x'.repeat(300_000));
      const worker = start(
        tmpdir(),
        ['worker', '--name', 'w1', '--home', join(folder, '.worker'), '--labels', 'custom', '--stand-in', '0'],
        {
          RALPH_FLEET: addressOf('w1'),
        },
      );
      const run = await ralph(folder, ['run', '--no-tui', '-p', 'Make it', '--fleet'], { RALPH_FLEET: addressOf('owner') });
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
      const person = { RALPH_FLEET: addressOf('person') };
      expect((await ralph(folder, ['fleet'], person)).stdout).toMatch(/w1 +idle[\s\S]*complete/);
      expect((await ralph(folder, ['fleet', 'drain', 'w1'], person)).code).toBe(0);
      expect((await worker.done).code).toBe(0);
      expect((await ralph(folder, ['fleet', 'workers'], person)).stderr).toContain('No worker is there');
      const dry = await ralph(folder, ['clean', '--keep', '0', '--dry-run']);
      expect(dry.stderr).toContain('stays there for 30 days');
      expect((await ralph(folder, ['fleet', 'runs'], person)).stdout).toContain('complete');
      const cleaned = await ralph(folder, ['clean', '--keep', '0'], { RALPH_FLEET: addressOf('owner') });
      expect([cleaned.code, cleaned.stderr]).toEqual([0, expect.stringContaining('is forgotten by the fleet')]);
      expect((await ralph(folder, ['fleet', 'runs'], person)).stderr).toContain('keeps no run');
    });
  });

  test('are enough for a person who watches a run and stops it', async () => {
    await withFolder({ 'ralph.yml': CONFIG, 'agent.sh': '#!/bin/sh\ncat > /dev/null\necho working\nsleep 60\n' }, async (folder) => {
      commitAll(folder);
      const args = ['worker', '--name', 'w1', '--home', join(folder, '.worker'), '--labels', 'custom', '--stand-in', '0'];
      const worker = start(tmpdir(), args, { RALPH_FLEET: addressOf('w1') });
      const run = start(folder, ['run', '--no-tui', '-p', 'Make it', '--fleet'], { RALPH_FLEET: addressOf('owner') });
      const person = { RALPH_FLEET: addressOf('person') };
      const look = (): ReturnType<typeof ralph> => ralph(tmpdir(), ['events', '--fleet'], person);
      await expect
        .poll(async () => {
          const l = await look();
          return l.stdout + l.stderr;
        })
        .toContain('Make it');
      const stopped = await ralph(tmpdir(), ['stop', '--now', '--fleet'], person);
      expect(stopped.code, stopped.stderr).toBe(0);
      expect((await run.done).stdout).toContain('ralph stop');
      expect((await ralph(tmpdir(), ['fleet', 'drain', 'w1'], person)).code).toBe(0);
      expect((await worker.done).code).toBe(0);
    });
  });

  test('let a worker offer no turn, drain no other, bear no other name, take no run and write no journal', async () => {
    await as('w1', async ({ queue, workers, leases, log, reports, steer, words }) => {
      await refused(queue.offer(ORDER));
      await refused(workers.tell({ ...STATE, id: 'w2' }));
      await refused(leases.write(LEASE, 0));
      await refused(log.append('r1', { behind: 0, name: 'a', body: 1 }));
      await refused(reports.forget('r1'));
      await expect(steer.ask('r1', { id: 'x', body: null })).rejects.toThrow('may not steer');
      await expect(words.keep('r1', { id: 'x', body: null })).rejects.toThrow('may not steer');
      expect(await workers.tell({ ...STATE, id: 'w1' })).toBe(true);
      await workers.leave({ ...STATE, id: 'w1' });
    });
    let heard = 0;
    const other = await connectFleet({ url: addressOf('w1'), env: {}, name: 'test' });
    other.workers.onDrain('w1', () => {
      heard += 1;
    });
    await as('w1', async ({ workers }) => expect(await workers.drain('w1')).toBe(false));
    await as('owner', async ({ workers }) => expect(await workers.drain('w1')).toBe(false));
    expect(heard).toBe(0);
    await as('person', async ({ workers }) => expect(await workers.drain('w1')).toBe(true));
    await other.close();
  });

  test('let a person and the owner keep a word for a run that nobody has; the owner hears it, and has it forgotten', async () => {
    await as('owner', async ({ leases }) => void (await leases.write({ ...LEASE, run: 'r2', state: 'free' }, 0)));
    const told = await ralph(tmpdir(), ['tell', 'r2', 'use the old API', '--fleet'], { RALPH_FLEET: addressOf('person') });
    expect([told.code, told.stdout], told.stderr).toEqual([0, expect.stringContaining('Kept for r2 on its fleet')]);
    await as('owner', async ({ words, steer }) => {
      expect(await steer.ask('r2', { id: 'x', body: null })).toBe(null);
      await words.keep('r2', { id: 'second', body: 2 });
      const [first, second] = await words.list('r2');
      expect([first?.body, second]).toEqual([expect.objectContaining({ text: 'use the old API' }), { id: 'second', body: 2 }]);
      await words.drop('r2', 'second');
      expect(await words.list('r2')).toHaveLength(1);
      await words.forget('r2');
      expect(await words.list('r2')).toEqual([]);
    });
  });

  test('let a person who looks and steers start nothing and write no files', async () => {
    await as('person', async ({ queue, leases, blobs, workers }) => {
      await refused(queue.offer(ORDER));
      await refused(leases.write(LEASE, 0));
      await refused(blobs.put(new Uint8Array([1])));
      await refused(workers.tell({ ...STATE, id: 'w1' }));
    });
  });
});
