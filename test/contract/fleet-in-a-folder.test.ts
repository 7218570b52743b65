import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeFleet } from '../../src/fleet/fleet-contract-fixtures.ts';
import { findAfterRace, type Seen } from '../../src/fleet/folder-racer-fixtures.ts';
import { checkServer, connectFleet } from '../../src/fleet/index.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-fleet-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const toPlace = (name: string) => ({ url: `file:${join(folder, name)}`, env: {}, name: 'test' });

describeFleet('files', () => connectFleet(toPlace('fleet')));

describe('the folder of a fleet', () => {
  test('is made for its owner alone by who uses it, and said to be good; who only looks makes none', async () => {
    expect(await checkServer(toPlace('made'))).toMatchObject([
      { state: 'bad', text: expect.stringContaining('There is no fleet in the folder') },
    ]);
    expect(existsSync(join(folder, 'made'))).toBe(false);
    await (await connectFleet(toPlace('made'))).close();
    expect(await checkServer(toPlace('made'))).toEqual([{ state: 'good', text: expect.stringContaining(join(folder, 'made')) }]);
    expect(readdirSync(join(folder, 'made')).sort()).toEqual(
      ['blobs', 'drafts', 'peers', 'ralph-fleet.json', 'reports', 'runs', 'state', 'subjects', 'words'].sort(),
    );
  });

  test('is refused where others may look into it, where it holds something else, and where it is of another version', async () => {
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o755);
    mkdirSync(join(folder, 'used'), { mode: 0o700 });
    writeFileSync(join(folder, 'used', 'notes.txt'), 'mine');
    mkdirSync(join(folder, 'newer'), { mode: 0o700 });
    writeFileSync(join(folder, 'newer', 'ralph-fleet.json'), '{"v":2}\n');
    for (const [name, why] of [
      ['open', 'Others than you'],
      ['used', 'not empty'],
      ['newer', 'another version'],
    ] as const) {
      await expect(connectFleet(toPlace(name)), name).rejects.toMatchObject({
        code: 'fleet-folder',
        message: expect.stringContaining(why),
      });
    }
    expect(readdirSync(join(folder, 'used'))).toEqual(['notes.txt']);
  });

  test('is not made by who only looks, and not where nothing can be made', async () => {
    const missing = toPlace('a mistake in the path');
    await expect(connectFleet(missing, true)).rejects.toMatchObject({ code: 'fleet-folder', message: expect.stringContaining('no fleet') });
    expect(existsSync(join(folder, 'a mistake in the path'))).toBe(false);
    await expect(connectFleet({ ...missing, url: 'file:/proc/x' })).rejects.toMatchObject({ code: 'fleet-folder' });
  });

  test('is refused where it holds nothing but drafts that somebody wrote, and these stay', async () => {
    const drafts = join(folder, 'blog', 'drafts');
    mkdirSync(drafts, { recursive: true, mode: 0o700 });
    chmodSync(join(folder, 'blog'), 0o700);
    writeFileSync(join(drafts, 'post.md'), 'mine');
    utimesSync(join(drafts, 'post.md'), 0, 0);
    await expect(connectFleet(toPlace('blog'))).rejects.toMatchObject({
      code: 'fleet-folder',
      message: expect.stringContaining('not empty'),
    });
    expect([readdirSync(join(folder, 'blog')), readdirSync(drafts)]).toEqual([['drafts'], ['post.md']]);
  });

  test('is made where somebody was killed who had begun to make it', async () => {
    mkdirSync(join(folder, 'half', 'drafts'), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'half', 'drafts', randomUUID()), '{');
    await (await connectFleet(toPlace('half'))).close();
    expect(readdirSync(join(folder, 'half'))).toContain('ralph-fleet.json');
  });

  test('leaves nothing of a connection that was closed, and asks nobody who is gone', async () => {
    const [mine, theirs] = [await connectFleet(toPlace('post')), await connectFleet(toPlace('post'))];
    theirs.wires.answer({ run: 'r', name: '1.1' }, () => undefined);
    expect(await mine.wires.ask({ run: 'r', name: '1.1' }, 'x')).toBe(true);
    await theirs.close();
    const askedAt = performance.now();
    expect(await mine.wires.ask({ run: 'r', name: '1.1' }, 'x')).toBe(false);
    expect(performance.now() - askedAt).toBeLessThan(900);
    await mine.close();
    expect(['peers', 'subjects'].flatMap((name) => readdirSync(join(folder, 'post', name)))).toEqual([]);
  });
});

const RACERS = 3;
const RACE_MS = 12_000;

/** The racer as a program that plain node runs. */
async function buildRacer(): Promise<string> {
  const file = join(folder, 'racer.mjs');
  const bundle = await rolldown({ input: fileURLToPath(new URL('./folder-racer.ts', import.meta.url)), platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  return file;
}

test('processes that make the same fleet at the same moment, and come and go, all find it good', { timeout: 60_000 }, async () => {
  const racer = await buildRacer();
  for (let round = 1; round <= 5; round += 1) {
    const root = join(folder, `same${round}`);
    await Promise.all(Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [racer, root])));
    expect(readdirSync(join(root, 'peers'))).toEqual([]);
  }
});

test('a process that may write no more, as where the disk is full, leaves nothing of what it began', { timeout: 60_000 }, async () => {
  const root = join(folder, 'full');
  const limited = ['-c', 'ulimit -f 16 && exec "$@"', 'limited', process.execPath, await buildRacer(), root, 'full'];
  const { stdout } = await promisify(execFile)('bash', limited);
  expect(JSON.parse(stdout)).toEqual([true, true, true, true, true]);
  expect(readdirSync(join(root, 'drafts'))).toEqual(['swept']);
});

describe(`${RACERS} processes that change a fleet in a folder, and are killed and frozen again and again`, () => {
  test('are told nothing that is not so: each change that one was told of is there, and nobody else was told of the same', {
    timeout: 60_000,
  }, async () => {
    const racer = await buildRacer();
    const root = join(folder, 'race');
    const seenFile = join(folder, 'seen');
    const errors: string[] = [];
    let started = 0;
    const start = (): ChildProcess => {
      started += 1;
      const child = spawn(process.execPath, [racer, root, `racer${started}`, seenFile], { stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr?.on('data', (text) => errors.push(String(text)));
      return child;
    };
    const living = Array.from({ length: RACERS }, start);
    const until = performance.now() + RACE_MS;
    while (performance.now() < until) {
      const index = Math.floor(Math.random() * RACERS);
      await pause(150 + Math.random() * 300);
      const child = living[index] as ChildProcess;
      if (Math.random() < 0.4) {
        child.kill('SIGSTOP');
        setTimeout(() => child.kill('SIGCONT'), 1000);
      } else {
        child.kill('SIGKILL');
        living[index] = start();
      }
    }
    await Promise.all(
      living.map((child) => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return child.exitCode === null && child.signalCode === null ? ended : undefined;
      }),
    );
    const seen = readFileSync(seenFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Seen);
    const listSeen = (kind: Seen['kind']) => seen.filter((one) => one.kind === kind).map(({ at }) => at);
    const found = await findAfterRace(root);
    expect(errors).toEqual([]);
    for (const kind of ['counted', 'written', 'claimed', 'reported'] as const) {
      expect(listSeen(kind).length, kind).toBeGreaterThan(10);
      expect(new Set(listSeen(kind)).size, kind).toBe(listSeen(kind).length);
    }
    // One that was killed before it could say so may have made each change more.
    const counted = Math.max(...listSeen('counted').map(Number));
    expect(Number(found.n)).toBeGreaterThanOrEqual(counted);
    expect(Number(found.n) - listSeen('counted').length).toBeLessThanOrEqual(started);
    expect(found.written.length).toBeGreaterThanOrEqual(Math.max(...listSeen('written').map(Number)));
    expect(new Set(found.written).size).toBe(found.written.length);
    expect(new Set(found.reported).size).toBe(found.reported.length);
    expect(found.reported).toEqual(expect.arrayContaining(listSeen('reported')));
    expect(existsSync(join(root, 'state', '2'))).toBe(true);
  });
});
