import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { isJsonObject } from '../core/values/json.ts';
import type { Fleet, WorkClaim } from '../ports/fleet.ts';
import type { AwayGateOrder } from '../ports/gate-runner.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { fromBody, parseGateTask, toBody } from './messages.ts';
import { offerPrograms } from './offer-programs.ts';
import { toGateProgram } from './program-kinds.ts';

const ORDER: AwayGateOrder = { gate: 2, command: 'exit 0', spec: { on: [], run: 'exit 0', timeoutMs: 1000, name: 'all', runsOn: ['gpu'] } };
const SHOWN = {
  ...{ passed: true, exitCode: 0, timedOut: false, durationMs: 5, outputTail: 'fine', isCut: false },
  attempts: [{ exitCode: 0, timedOut: false, durationMs: 5 }],
};

function setUp({ onTestFinished }: TestContext, fleet = createMemoryFleet(), { steady = () => performance.now(), lostAfterMs = 300 } = {}) {
  const told: string[] = [];
  const programs = offerPrograms({
    ...{ fleet, run: 'r1', steady, tell: (text) => told.push(text), lostAfterMs },
    ...{ isOwn: () => true, confirm: async () => undefined, cwd: '/home/of/the/run' },
  });
  onTestFinished(programs.close);
  const stop = new AbortController();
  const ask = (order = ORDER) => programs.run(toGateProgram(order, fleet.blobs), async () => ({ tree: 't' }), stop.signal);
  const claim = async (id: string): Promise<WorkClaim> => {
    const taken = await fleet.queue.claim({ id, labels: ['gpu'], protocol: 3 }, AbortSignal.timeout(5000));
    if (taken === null) throw new Error('there is nothing to take');
    return taken;
  };
  const report = async (taken: WorkClaim, more: object = {}): Promise<void> => {
    const body = await fromBody(fleet.blobs, taken.order.body);
    const task = parseGateTask(isJsonObject(body) ? (body['task'] ?? null) : null);
    const words = { kind: 'gate', offer: task?.offer ?? '', shown: SHOWN, log: null, trouble: '', ...more };
    await fleet.reports.append({ run: 'r1', name: 'gate3', worker: 'one', number: Math.random(), body: await toBody(fleet.blobs, words) });
    await taken.end();
  };
  return { fleet, told, ask, claim, report, stop };
}

/** So that nobody waits for long: each look at the clock is a second later. */
function createFastClock(): () => number {
  let clock = 0;
  return () => {
    clock += 1000;
    return clock;
  };
}

describe.concurrent('a gate that is offered', () => {
  test('is one order, for workers that have its labels and know gates, with what it is run on', async (context) => {
    const { fleet, ask, claim, report } = setUp(context);
    const asked = ask();
    expect(await fleet.queue.claim({ id: 'old', labels: ['gpu'], protocol: 2 }, AbortSignal.timeout(300))).toBe(null);
    const taken = await claim('one');
    expect([taken.order.name, taken.order.labels]).toEqual(['gate3', ['gpu']]);
    expect(await fromBody(fleet.blobs, taken.order.body)).toMatchObject({ place: { tree: 't' }, task: { cwd: '/home/of/the/run' } });
    await report(taken, { log: await fleet.blobs.put(Buffer.from('all of it')) });
    const result = await asked;
    expect(result).toMatchObject({ kind: 'ran', worker: 'one', shown: SHOWN });
    expect(result.kind === 'ran' && Buffer.from(result.log ?? []).toString()).toBe('all of it');
  });

  test('is offered anew where its worker is lost or has trouble, so often and no more', async (context) => {
    const { told, ask, claim, report } = setUp(context);
    const asked = ask({ ...ORDER, spec: { ...ORDER.spec, retries: 0 } });
    await claim('dead');
    await report(await claim('one'), { shown: null, trouble: 'no room' });
    await report(await claim('one'), { shown: { passed: true } });
    expect(await asked).toEqual({ kind: 'lost', why: expect.stringMatching(/3 times.*what it reported cannot be read/) });
    expect(told).toEqual([
      expect.stringMatching(/^Gate all: the worker dead was lost: it said nothing for \d+ s; it is offered anew\.$/),
      'Gate all: the worker one could not run it: no room; it is offered anew.',
    ]);
  });

  test('has its report waited for as long as some of it comes', async (context) => {
    const fleet = createMemoryFleet();

    const get: Fleet['blobs']['get'] = async (hash, reading) => {
      for (let part = 0; part < 30; part += 1) {
        await pause(100);
        reading?.onBytes?.(100_000);
      }
      return fleet.blobs.get(hash, reading);
    };
    const scene = setUp(context, { ...fleet, blobs: { ...fleet.blobs, get } }, { steady: createFastClock(), lostAfterMs: 60_000 });
    const asked = scene.ask();
    await scene.report(await scene.claim('one'), { padding: 'x'.repeat(300_000) });
    expect([await asked, scene.told]).toMatchObject([{ kind: 'ran', shown: SHOWN }, []]);
  });

  test('takes no report of an offer before it', async (context) => {
    const { ask, claim, report } = setUp(context);
    const asked = ask();
    const before = await claim('before');
    await report(before, { shown: null, trouble: 'no room' });
    const now = await claim('one');
    await report(before, { shown: { ...SHOWN, outputTail: 'of long ago' } });
    await pause(50);
    await report(now);
    expect(await asked).toMatchObject({ kind: 'ran', shown: { outputTail: 'fine' } });
  });

  test('ends what a process before this one offered under its name', async (context) => {
    const { fleet, ask, claim, report } = setUp(context);
    await fleet.queue.offer({ run: 'r1', name: 'gate3', labels: ['gpu'], protocol: 3, body: null });
    const before = await claim('before');
    const heard: unknown[] = [];
    const unhear = fleet.wires.answer({ run: 'r1', name: 'gate3' }, (words) => heard.push(words));
    const asked = ask();
    const now = await claim('one');
    unhear();
    expect([heard, await before.beat()]).toEqual([[{ kind: 'kill' }], false]);
    await report(now);
    expect((await asked).kind).toBe('ran');
  });

  test('is taken back when the run stops, also from the worker that has it', async (context) => {
    const { fleet, ask, claim, stop } = setUp(context);
    const asked = ask();
    const taken = await claim('one');
    const heard: unknown[] = [];
    fleet.wires.answer({ run: 'r1', name: 'gate3' }, (words) => heard.push(words));
    stop.abort();
    expect(await asked).toEqual({ kind: 'stopped' });
    expect([heard, await taken.beat()]).toEqual([[{ kind: 'kill' }], false]);
    expect(await ask()).toEqual({ kind: 'stopped' });
  });
});
