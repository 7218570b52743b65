import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import type { RunLease } from '../ports/fleet.ts';
import { toLayout } from '../runs/layout.ts';
import { writePeople } from '../runs/people.ts';
import { steerFromFleet } from '../runs/steer-run.ts';
import { hearFleet } from './hear-fleet.ts';
import { askWhatWasSaid, createFleetVoice, findFleetRun } from './steer-fleet.ts';

const BASE = mkdtempSync(join(tmpdir(), 'ralph-steer-fleet-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const toLease = (run: string, state: RunLease['state']): RunLease => ({
  ...{ run, state, epoch: 1, place: 'here', host: 'desk', lostAfterMs: 1000, title: 'Build it' },
});

async function makeFleet(...leases: readonly (readonly [string, RunLease['state']])[]) {
  const fleet = createMemoryFleet();
  for (const [run, state] of leases) await fleet.leases.write(toLease(run, state), 0);
  return fleet;
}

describe('the run of a fleet that is meant', () => {
  it('is the only one that has not ended, else the newest', async () => {
    expect((await findFleetRun(await makeFleet(['run-1', 'held'], ['run-2', 'ended']))).run).toBe('run-1');
    expect((await findFleetRun(await makeFleet(['run-2', 'free'], ['run-1', 'ended']))).run).toBe('run-2');
  });

  it('is named by its id, or the beginning or end of one that no other has', async () => {
    const fleet = await makeFleet(['run-1', 'ended'], ['run-12', 'held'], ['run-34', 'held']);
    for (const [wanted, run] of [
      ['run-1', 'run-1'],
      ['run-3', 'run-34'],
      ['12', 'run-12'],
    ] as const)
      expect((await findFleetRun(fleet, wanted)).run).toBe(run);
  });

  it('is asked for where it could be several, and told where there is none', async () => {
    const fleet = await makeFleet(['run-1', 'held'], ['run-2', 'held']);
    const several = expect.objectContaining({ code: 'run-ambiguous', fix: expect.stringContaining('run-2  Build it (desk)') });
    await expect(findFleetRun(fleet)).rejects.toEqual(several);
    await expect(findFleetRun(fleet, 'run')).rejects.toEqual(several);
    await expect(findFleetRun(fleet, '*')).rejects.toMatchObject({ code: 'fleet-run-unknown' });
    await expect(findFleetRun(await makeFleet())).rejects.toMatchObject({ code: 'fleet-run-unknown' });
  });
});

describe('what is said to a run', () => {
  const RUN = '20261127-101010-abcde';
  const open = async (state: RunLease['state'], confirm: () => Promise<void>) => {
    const layout = toLayout(mkdtempSync(join(BASE, 'run-')));
    const paths = toRunPaths(layout.stateDir, RUN);
    mkdirSync(join(paths.turns, '1.1'), { recursive: true });
    writePeople(paths, { who: 'open', isIsolated: false, env: {} });
    const fleet = await makeFleet([RUN, state]);
    const keeper = { confirm } as Parameters<typeof hearFleet>[0]['keeper'];
    hearFleet({ fleet, keeper }, paths, steerFromFleet(layout, paths));
    return { fleet, paths, voice: createFleetVoice(fleet, RUN, {}) };
  };

  it('is left where the local command leaves it, with who said it', async () => {
    const { voice, paths } = await open('held', async () => undefined);
    await voice.stop('now', 'page');
    const [wish, sender = '', face] = readFileSync(join(paths.folder, 'stop'), 'utf8').split('\n');
    expect([wish, JSON.parse(sender), face]).toEqual([
      'now',
      { pid: process.pid, user: expect.stringContaining('@'), how: 'fleet' },
      'page',
    ]);
  });

  it('is not heard by a process that was frozen while another took its run', async () => {
    const { voice, paths } = await open('free', () => Promise.reject(new Error('another process goes on with this run')));
    await expect(voice.stop('now')).rejects.toMatchObject({ code: 'fleet-run-silent', fix: expect.stringContaining('ralph resume') });
    expect(() => readFileSync(join(paths.folder, 'stop'))).toThrow();
  });

  it.each<Json>([null, 'x', {}, { v: 2, kind: 'stop' }, { v: 1, kind: 'stop' }, { v: 1, kind: 'other', who: { pid: 1, user: 'u' } }])(
    'is refused where it is no word that this version knows (%j)',
    async (body) => {
      const { fleet } = await open('held', async () => undefined);
      expect(await fleet.steer.ask(RUN, { id: 'w1', body })).toMatchObject({ refused: { code: 'fleet-steer-failed' } });
    },
  );

  it('reads no file but that of a turn', async () => {
    const { fleet } = await open('held', async () => undefined);
    for (const turn of ['../..', '1.1/../../people', '']) expect(await askWhatWasSaid(fleet, RUN, turn)).toBe(null);
  });

  it('brings back nothing that steers a terminal, whoever answers', async () => {
    const fleet = await makeFleet([RUN, 'held']);
    let reply: Json = null;
    fleet.steer.answer(RUN, async () => reply);
    const voice = createFleetVoice(fleet, RUN, {});
    reply = { v: 1, refused: { code: 'Bad Code', what: 'no\u001b[2J', why: 7, fix: 'x'.repeat(9000), exitCode: 99 } };
    await expect(voice.tell({ text: 'x' }, 0)).rejects.toMatchObject({ code: 'fleet-steer-failed', message: 'no', exitCode: 1 });
    reply = { v: 1, done: { tell: { seq: 'seven' }, question: { id: 'q1', answer: 'yes' } } };
    expect(await voice.tell({ text: 'x' }, 0)).toMatchObject({ tell: null, question: null });
    reply = { v: 1, done: { question: { id: 'q\u001b]0;x\u0007', answer: { choice: 'y\u001b[1mes' } } } };
    expect((await voice.answer({ choice: 'yes' })).question).toMatchObject({ id: 'q', answer: { choice: 'yes' } });
  });
});
