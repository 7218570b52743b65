/** Fleets that are away for a while, and fleets that are gone: another one is in their place. */
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { startServer } from './nats.ts';
import { findRun, RUN, setUpFleet } from './scene.ts';

interface Place {
  readonly url: string;
  readonly leave: () => Promise<unknown>;
  readonly comeBack: () => Promise<unknown>;
  /** What it kept is gone. */
  readonly empty: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function startFolder(): Promise<Place> {
  const home = mkdtempSync(join(tmpdir(), 'ralph-anew-'));
  const folder = join(home, 'fleet');
  return {
    url: `file:${folder}`,
    leave: async () => renameSync(folder, join(home, 'away')),
    comeBack: async () => renameSync(join(home, 'away'), folder),
    empty: async () => rmSync(folder, { recursive: true, maxRetries: 5 }),
    close: async () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function startNats(): Promise<Place> {
  const server = await startServer();
  return { ...server, leave: server.kill, comeBack: server.restart };
}

describe.each([
  ['in a folder', startFolder, "cannot be asked .the fleet's folder is gone."],
  ['on a server', startNats, 'has not answered for 3.'],
] as const)('a fleet %s', { timeout: 120_000 }, (_where, startOne, silence) => {
  const { server, env, makeProject, startWorker, onFleet } = setUpFleet<Place>(startOne);

  async function listWorkers(): Promise<readonly string[]> {
    const { stdout } = await ralph(tmpdir(), ['fleet', 'workers', '--format', 'json'], env());
    return readJsonLines<{ id: string }>(stdout).map(({ id }) => id);
  }

  test('that is away is told by its workers after some seconds, and when it answers again', async () => {
    const worker = await startWorker('patient');
    await server().leave();
    const from = Date.now();
    await expect
      .poll(worker.said, { timeout: 15_000, interval: 100 })
      .toMatch(new RegExp(`The fleet ${silence}.*: what is under way goes on`));
    expect(Date.now() - from).toBeLessThan(9000);
    await server().comeBack();
    await expect.poll(worker.said, { timeout: 15_000, interval: 100 }).toContain('The fleet answers again, after ');
    const { code, stdout, stderr } = await onFleet(makeProject());
    expect(code, stdout + stderr).toBe(0);
    expect(worker.said().match(/The fleet /g)).toHaveLength(2);
  });

  test('that is away keeps no worker that is told to end', async () => {
    const worker = await startWorker('leaves');
    await server().leave();
    await expect.poll(worker.said, { timeout: 15_000, interval: 100 }).toContain('The fleet ');
    const from = Date.now();
    await worker.end();
    const tookMs = Date.now() - from;
    await server().comeBack();
    expect(tookMs).toBeLessThan(9000);
  });

  test('that is another one by now is joined by workers that had the old one open, and they take turns there', async () => {
    const worker = await startWorker('joins');
    await server().empty();
    const { code, stdout, stderr } = await onFleet(makeProject());
    expect([code, worker.said()], stdout + stderr).toEqual([0, expect.stringContaining('The fleet was replaced')]);
    expect(await listWorkers()).toEqual(['joins']);
  });

  test('that is another one by now ends its runs, which say so; resumed, they go on on the one that is there', async () => {
    const folder = makeProject({ slow: '30' });
    const worker = await startWorker('given-up');
    const own = start(folder, [...RUN, '--fleet', server().url], env());
    await own.says('at work as builder');
    const from = Date.now();
    await server().empty();
    // Somebody makes it anew.
    const other = await onFleet(makeProject());
    expect(other.code, other.stdout + other.stderr).toBe(0);
    const ended = await own.done;
    expect(Date.now() - from).toBeLessThan(50_000);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([1, expect.stringContaining('its fleet was made anew')]);
    expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain('`ralph resume` goes on with it here');
    expect(worker.said()).toContain('given up after ');
    writeFileSync(join(folder, 'slow'), '0');
    const resumed = await ralph(folder, ['resume'], env());
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(readFileSync(join(folder, 'out.txt'), 'utf8').match(/^built/gm)).toHaveLength(2);
    const { stdout } = await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env());
    expect(readJsonLines<{ run: string; state: string }>(stdout)).toContainEqual(
      expect.objectContaining({ run: findRun(folder), state: 'ended' }),
    );
  });
});
