import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Answered } from '../core/run/inputs.ts';
import type { Json } from '../core/values/json.ts';
import { createMemoryFleet } from '../fleet/fleet-fixtures.ts';
import { toBody } from '../fleet/messages.ts';
import { openJsonlJournal } from '../journal/jsonl-journal.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import type { RunLease, SteerWord } from '../ports/fleet.ts';
import { toLayout } from '../runs/layout.ts';
import { writePeople } from '../runs/people.ts';
import { steerFromFleet } from '../runs/steer-run.ts';
import { hearFleet, leaveKept } from './hear-fleet.ts';
import { askWhatWasSaid, createFleetSteering, findFleetRun } from './steer-fleet.ts';

const BASE = mkdtempSync(join(tmpdir(), 'ralph-steer-fleet-'));
afterAll(() => rmSync(BASE, { recursive: true, force: true }));

const RUN = '20261127-101010-abcde';

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
  const after: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of after.splice(0)) await end();
  });
  const open = async (state: RunLease['state'], confirm: () => Promise<void>) => {
    const layout = toLayout(mkdtempSync(join(BASE, 'run-')));
    const paths = toRunPaths(layout.stateDir, RUN);
    mkdirSync(join(paths.turns, '1.1'), { recursive: true });
    writePeople(paths, { who: 'open', isIsolated: false, env: {} });
    const fleet = await makeFleet([RUN, state]);
    const keeper = { confirm } as Parameters<typeof hearFleet>[0]['keeper'];
    after.push(hearFleet({ fleet, keeper }, paths, steerFromFleet(layout, paths), () => undefined));
    return { fleet, paths, there: createFleetSteering(fleet, RUN, {}) };
  };

  it('is left where the local command leaves it, with who said it', async () => {
    const { there, paths } = await open('held', async () => undefined);
    await there.stop('now', 'page');
    const [wish, sender = '', face] = readFileSync(join(paths.folder, 'stop'), 'utf8').split('\n');
    expect([wish, JSON.parse(sender), face]).toEqual([
      'now',
      { pid: process.pid, user: expect.stringContaining('@'), how: 'fleet' },
      'page',
    ]);
  });

  it('is not heard by a process that was frozen while another took its run', async () => {
    const { there, paths } = await open('free', () => Promise.reject(new Error('another process goes on with this run')));
    await expect(there.stop('now')).rejects.toMatchObject({ code: 'fleet-run-silent', fix: expect.stringContaining('ralph resume') });
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
    const there = createFleetSteering(fleet, RUN, {});
    reply = { v: 1, refused: { code: 'Bad Code', what: 'no\u001b[2J', why: 7, fix: 'x'.repeat(9000), exitCode: 99 } };
    await expect(there.tell({ text: 'x' }, 0)).rejects.toMatchObject({ code: 'fleet-steer-failed', message: 'no', exitCode: 1 });
    reply = { v: 1, done: { tell: { seq: 'seven' }, question: { id: 'q1', answer: 'yes' } } };
    expect(await there.tell({ text: 'x' }, 0)).toMatchObject({ tell: null, question: null });
    reply = { v: 1, done: { question: { id: 'q\u001b]0;x\u0007', answer: { choice: 'y\u001b[1mes' } } } };
    expect((await there.answer({ choice: 'yes' })).question).toMatchObject({ id: 'q', answer: { choice: 'yes' } });
  });
});

describe('what is said to a run that nobody has', () => {
  /** A run of which nothing is here but a folder, as where it is gone on with. */
  const open = async (state: RunLease['state'] = 'held') => {
    const layout = toLayout(mkdtempSync(join(BASE, 'left-')));
    const paths = toRunPaths(layout.stateDir, RUN);
    mkdirSync(paths.turns, { recursive: true });
    writePeople(paths, { who: 'open', isIsolated: false, env: {} });
    const fleet = await makeFleet([RUN, state]);
    const steering = (): readonly Json[] =>
      existsSync(join(paths.folder, 'steering.jsonl'))
        ? readFileSync(join(paths.folder, 'steering.jsonl'), 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Json)
        : [];
    const leave = (isStandIn: boolean) => leaveKept({ fleet }, paths, steerFromFleet(layout, paths, 0), isStandIn);
    return {
      fleet,
      layout,
      paths,
      leave,
      steering,
      stop: join(paths.folder, 'stop'),
      there: createFleetSteering(fleet, RUN, {}, { patienceMs: 0 }),
    };
  };

  it('is kept, and left for the run before it goes on: a word for a hat that is not there for whoever works', async () => {
    const { there, leave, steering, fleet } = await open('free');
    expect(await there.tell({ command: 'c1', text: 'use the old API', to: 'nobody' }, 0)).toMatchObject({
      kept: { unansweredMs: null },
      tell: null,
    });
    expect(await there.tell({ command: 'c1', text: 'use the old API' }, 0)).toMatchObject({ kept: { unansweredMs: null } });
    await expect(there.tell({ text: ' ' }, 0)).rejects.toMatchObject({ code: 'tell-words' });
    await leave(true);
    expect(steering()).toMatchObject([{ kind: 'tell', id: 'c1', text: 'use the old API', to: null, sender: { how: 'fleet' } }]);
    // Not before the journal has it.
    expect(await fleet.words.list(RUN)).toHaveLength(1);
  });

  it('is there before whoever takes the run looks for it, and is asked again of them: a dead process counts as one that listens for some seconds', async () => {
    const { fleet } = await open();
    let tries = 0;
    let found = 0;
    const steer = {
      ...fleet.steer,
      ask: async (): Promise<Json> => {
        tries += 1;
        if (tries > 1) return { v: 1, done: { tell: { seq: 7, to: null, given: null } } };
        await pause(1500);
        const dead = await fleet.leases.look(RUN);
        await fleet.leases.write({ ...toLease(RUN, 'held'), epoch: 2 }, dead?.beat ?? 0);
        found = (await fleet.words.list(RUN)).length;
        return null;
      },
    };
    const heard = await createFleetSteering({ ...fleet, steer }, RUN, {}, { patienceMs: 0 }).tell({ text: 'use the old API' }, 0);
    expect([heard.tell?.seq, found, tries]).toEqual([7, 1, 2]);
    // What was answered need not be kept.
    expect(await fleet.words.list(RUN)).toEqual([]);
  });

  it('is told apart from what a process that lives does not answer', async () => {
    const { fleet } = await open();
    // Hears nothing, and renews its lease all the same.
    const steer = {
      ...fleet.steer,
      ask: async (): Promise<Json> => {
        const kept = await fleet.leases.look(RUN);
        await fleet.leases.write(toLease(RUN, 'held'), kept?.beat ?? 0);
        await pause(300);
        return null;
      },
    };
    const there = createFleetSteering({ ...fleet, steer }, RUN, {}, { patienceMs: 0, longestMs: 1000 });
    const told = await there.tell({ text: 'use the old API' }, 0);
    expect(told).toMatchObject({ isRunAlive: true, tell: null, kept: { unansweredMs: expect.any(Number) } });
    expect(told.kept?.unansweredMs).toBeGreaterThanOrEqual(1000);
    expect(await fleet.words.list(RUN)).toHaveLength(1);
  });

  it.each(['free', 'ended'] as const)('is a stop that has worked where the run is %s since, and does not stay', async (state) => {
    const { fleet } = await open();
    const words = {
      ...fleet.words,
      keep: async (run: string, word: SteerWord): Promise<void> => {
        await fleet.words.keep(run, word);
        await fleet.leases.write(toLease(RUN, state), (await fleet.leases.look(RUN))?.beat ?? 0);
      },
    };
    expect(await createFleetSteering({ ...fleet, words }, RUN, {}).stop('now')).toBeNull();
    expect(await fleet.words.list(RUN)).toEqual([]);
  });

  it('does not stay where the run is complete before anybody could be asked', async () => {
    const { fleet } = await open();
    const words = {
      ...fleet.words,
      keep: async (run: string, word: SteerWord): Promise<void> => {
        await fleet.words.keep(run, word);
        await fleet.leases.write(toLease(RUN, 'ended'), (await fleet.leases.look(RUN))?.beat ?? 0);
      },
    };
    const told = createFleetSteering({ ...fleet, words }, RUN, {}).tell({ text: 'x' }, 0);
    await expect(told).rejects.toMatchObject({
      code: 'run-complete',
      message: expect.stringContaining('complete before your message was heard'),
    });
    expect(await fleet.words.list(RUN)).toEqual([]);
  });

  it('is said to have been heard where the journal that is kept has it, though the run completed before it could answer', async () => {
    const { fleet } = await open();
    const told = {
      type: 'told',
      at: 1,
      id: 'c9',
      text: 'x',
      to: null,
      when: 'now',
      steeringOffset: 0,
      sender: { pid: 1, user: 'u', how: 'fleet' },
    };
    const records = [{ kind: 'entry', entry: { seq: 1, input: told } }];
    const words = {
      ...fleet.words,
      keep: async (run: string, word: SteerWord): Promise<void> => {
        await fleet.words.keep(run, word);
        const body = await toBody(fleet.blobs, { v: 2, place: 'there', records } as Json);
        await fleet.log.append(run, { behind: 0, name: 'p1', body });
        await fleet.leases.write(toLease(RUN, 'ended'), (await fleet.leases.look(RUN))?.beat ?? 0);
      },
    };
    const there = createFleetSteering({ ...fleet, words }, RUN, {});
    await expect(there.tell({ command: 'c9', text: 'x' }, 0)).rejects.toMatchObject({
      code: 'run-complete',
      message: expect.stringContaining('has heard this (#1 in its journal)'),
    });
  });

  it('is one answer to a question: another one is refused, and the first counts, whoever gave it', async () => {
    const { there, fleet } = await open('free');
    await there.answer({ command: 'a1', choice: 'red', question: 'q1' });
    await expect(there.answer({ command: 'a2', choice: 'blue', question: 'q1' })).rejects.toMatchObject({
      code: 'answer-late',
      message: 'The answer to q1 comes too late: a person answered before, and "red" counts.',
    });
    await expect(there.answer({ command: 'a3', choice: 'blue' })).rejects.toMatchObject({ code: 'answer-late' });
    await there.answer({ command: 'a4', choice: 'Red', question: 'q1' });
    await there.answer({ command: 'a5', choice: 'blue', question: 'q2' });
    expect((await fleet.words.list(RUN)).map(({ id }) => id)).toEqual(['a1', 'a4', 'a5']);
  });

  it('is a stop for a worker that goes on with it by itself, and not for a person who resumes it', async () => {
    const { there, leave, fleet, stop } = await open();
    expect(await there.stop('now')).toEqual({ unansweredMs: null });
    await leave(true);
    expect(readFileSync(stop, 'utf8')).toMatch(/^now\n/);
    rmSync(stop);
    await leave(false);
    expect([existsSync(stop), await fleet.words.list(RUN)]).toEqual([false, []]);
  });

  it('is forgotten where it is heard, and told where it counts for nothing', async () => {
    const { there, fleet, layout, paths, stop } = await open();
    await there.stop('after');
    await there.answer({ command: 'c2', choice: 'yes', question: 'q9' });
    const said: string[] = [];
    const keeper = { confirm: async () => undefined, settled: async () => undefined };
    const end = hearFleet({ fleet, keeper }, paths, steerFromFleet(layout, paths), (text) => said.push(text));
    await expect.poll(() => fleet.words.list(RUN)).toEqual([]);
    await end();
    expect(readFileSync(stop, 'utf8')).toMatch(/^after\n/);
    expect(said).toEqual([expect.stringMatching(/said while nobody had the run counts for nothing: No question q9 is open/)]);
  });

  it('counts and is told once where the fleet cannot be made to forget it', async () => {
    const { there, fleet, layout, paths } = await open();
    await there.answer({ command: 'c3', choice: 'yes', question: 'q9' });
    let tries = 0;
    const words = {
      ...fleet.words,
      drop: () => {
        tries += 1;
        return Promise.reject(new Error('the account may not'));
      },
    };
    const said: string[] = [];
    const keeper = { confirm: async () => undefined, settled: async () => undefined };
    const end = hearFleet({ fleet: { ...fleet, words }, keeper }, paths, steerFromFleet(layout, paths), (text) => said.push(text));
    await expect.poll(() => tries, { timeout: 5000 }).toBe(2);
    await end();
    expect(said).toHaveLength(1);
  });

  it('stays where the process that would hear it has lost the run', async () => {
    const { there, fleet, layout, paths, stop } = await open();
    await there.stop('now');
    let asked = 0;
    const confirm = (): Promise<void> => {
      asked += 1;
      return Promise.reject(new Error('another process goes on with this run'));
    };
    const end = hearFleet({ fleet, keeper: { confirm, settled: confirm } }, paths, steerFromFleet(layout, paths), () => undefined);
    await expect.poll(() => asked).toBeGreaterThan(0);
    await end();
    expect([existsSync(stop), (await fleet.words.list(RUN)).length]).toEqual([false, 1]);
  });

  const heardBy = (keep: () => void = () => undefined) => ({ confirm: async () => keep(), settled: async () => undefined });
  const toAnswered = (id: string): Answered => ({
    ...{ type: 'answered', at: 1, id, question: 'q9', choice: 'yes', steeringOffset: 0 },
    sender: { pid: 1, user: 'u', how: 'fleet' },
  });

  it('is done with, and nothing is told, where the journal has it', async () => {
    const { there, fleet, layout, paths, leave, steering } = await open();
    await there.answer({ command: 'c4', choice: 'yes', question: 'q9' });
    const { journal } = openJsonlJournal({ fs: nodeFileSystem, path: paths.journal });
    journal.append(toAnswered('c4'));
    journal.close();
    expect((await leave(true)).written).toEqual(new Set());
    const said: string[] = [];
    const end = hearFleet({ fleet, keeper: heardBy() }, paths, steerFromFleet(layout, paths), (text) => said.push(text));
    await expect.poll(() => fleet.words.list(RUN)).toEqual([]);
    await end();
    expect([said, steering()]).toEqual([[], []]);
  });

  it('is written down once by a process, however often it looks for it', async () => {
    const { there, fleet, layout, paths, leave, steering } = await open();
    await there.tell({ command: 'c5', text: 'use the old API' }, 0);
    const left = await leave(true);
    let looks = 0;
    const keeper = heardBy(() => {
      looks += 1;
    });
    const end = hearFleet({ fleet, keeper }, paths, steerFromFleet(layout, paths, 0), () => undefined, left);
    await expect.poll(() => looks, { timeout: 5000 }).toBe(2);
    await end();
    expect([steering().length, (await fleet.words.list(RUN)).length]).toEqual([1, 1]);
  });

  it('keeps no run from going on where it makes trouble: a stop that cannot be forgotten is not obeyed', async () => {
    const { there, fleet, layout, paths, stop } = await open();
    await there.stop('now');
    let drops = 0;
    const drop = (): Promise<void> => {
      drops += 1;
      return Promise.reject(new Error('the account may not'));
    };
    const stuck = { ...fleet, words: { ...fleet.words, drop } };
    const left = await leaveKept({ fleet: stuck }, paths, steerFromFleet(layout, paths, 0), false);
    expect(left.problems).toEqual([expect.stringContaining('the account may not')]);
    const end = hearFleet({ fleet: stuck, keeper: heardBy() }, paths, steerFromFleet(layout, paths), () => undefined, left);
    await expect.poll(() => drops).toBe(2);
    await end();
    expect(existsSync(stop)).toBe(false);
    const list = (): Promise<never> => Promise.reject(new Error('no answer'));
    const silent = { ...fleet, words: { ...fleet.words, list } };
    const { problems } = await leaveKept({ fleet: silent }, paths, steerFromFleet(layout, paths, 0), true);
    expect(problems).toEqual([expect.stringContaining('no answer')]);
  });

  it('is waited for at the end while it is in hand', async () => {
    const { there, fleet, layout, paths } = await open();
    await there.stop('now');
    let isForgotten = false;
    const drop = async (): Promise<void> => {
      await pause(300);
      isForgotten = true;
    };
    const end = hearFleet(
      { fleet: { ...fleet, words: { ...fleet.words, drop } }, keeper: heardBy() },
      paths,
      steerFromFleet(layout, paths),
      () => undefined,
    );
    await expect.poll(() => existsSync(join(paths.folder, 'stop'))).toBe(true);
    await end();
    expect(isForgotten).toBe(true);
  });
});
