import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, type TestContext, test } from 'vitest';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { Input } from '../core/run/inputs.ts';
import type { RunState } from '../core/run/state.ts';
import type { Json } from '../core/values/json.ts';
import type { Fleet, WorkClaim } from '../ports/fleet.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { toBody } from './messages.ts';
import { offerTurns } from './offer-turns.ts';

const ORDER: IterationStart = {
  ...{ type: 'iteration-start', iteration: 7, attempt: 1, hat: 'builder', backend: 0, events: [], feedback: [], fallback: null },
  ...{ timeoutMs: 0, idleTimeoutMs: 0 },
};
const SPAWNED = {
  ...{ type: 'iteration-spawned', at: 5, iteration: 7, attempt: 1, pid: 41, processStart: '3', backend: 'custom', argv: ['./agent.sh'] },
  ...{ promptHash: '', promptTokens: 1 },
};

function setUp({ onTestFinished }: TestContext, fleet = createMemoryFleet(), stepMs = 1000) {
  const told: string[] = [];
  const posted: Input[] = [];
  // So that nobody waits for long: each look at the clock is a second later, or as told.
  let clock = 0;
  const turns = offerTurns({
    ...{ fleet, run: 'r1', tell: (text) => told.push(text), lostAfterMs: 60_000, isOwn: () => true, labelsOf: () => ['custom'] },
    pack: async () => ({ tree: 't' }),
    homecoming: { bringTo: () => Promise.reject(), bringIn: () => Promise.reject() },
    steady: () => {
      clock += stepMs;
      return clock;
    },
  });
  onTestFinished(turns.close);
  const watch = { prompt: () => undefined, post: (input: Input) => posted.push(input), live: () => undefined };
  const turn = turns.start({ order: ORDER, state: {} as RunState, isAlone: true }, watch);
  // Before the others are waited for: the last one that is named comes first.
  onTestFinished(() => turn.kill());
  const claim = async (id: string): Promise<WorkClaim> => {
    const taken = await fleet.queue.claim({ id, labels: ['custom'], protocol: 3 }, AbortSignal.timeout(5000));
    if (taken === null) throw new Error('there is nothing to take');
    return taken;
  };
  const report = async (worker: string, words: Json): Promise<void> =>
    fleet.reports.append({ run: 'r1', name: '7.1', worker, number: Math.random(), body: await toBody(fleet.blobs, words) });
  return { fleet, told, posted, claim, report, result: turn.result };
}

const ENDED = {
  ...{ type: 'iteration-ended', at: 9, iteration: 7, attempt: 1, inboxOffset: 0, outcome: { status: 'succeeded' }, exitCode: 0 },
  ...{ durationMs: 1, producedOutput: true, sessionId: null, toolCalls: null, treeChanged: null, leftovers: 0 },
  ...{ usage: UNKNOWN_USAGE, finalText: 'x'.repeat(300_000), signals: [], problems: [] },
};

/** A fleet over a line on which what is fetched comes as told. */
function fetchBy(get: (bytes: Uint8Array | null, onBytes: (bytes?: number) => void) => Promise<Uint8Array | null>): Fleet {
  const fleet = createMemoryFleet();
  const slow: Fleet['blobs']['get'] = async (hash, reading) => get(await fleet.blobs.get(hash), reading?.onBytes ?? (() => undefined));
  return { ...fleet, blobs: { ...fleet.blobs, get: slow } };
}

describe.concurrent('a turn that is offered', () => {
  test('begins with the name of its worker, as its report has it and whatever it wrote inside', async (context) => {
    const { posted, claim, report } = setUp(context);
    await claim('one');
    await report('one', { kind: 'input', input: { ...SPAWNED, worker: 'another' } });
    await expect.poll(() => posted).toEqual([{ ...SPAWNED, pid: null, processStart: null, worker: 'one' }]);
  });

  test('takes no report of what can be no name of a worker', async (context) => {
    const { posted, claim, report } = setUp(context);
    await claim('one');
    await report('one \u001b[31m', { kind: 'input', input: SPAWNED });
    await report('one', { kind: 'input', input: SPAWNED });
    await expect.poll(() => posted).toHaveLength(1);
    expect(posted).toMatchObject([{ worker: 'one' }]);
  });
});

describe.concurrent('the report of a turn that has ended', () => {
  const end = async ({ claim, report }: ReturnType<typeof setUp>): Promise<void> => {
    const taken = await claim('one');
    await report('one', { kind: 'ended', input: ENDED, home: null } as unknown as Json);
    await taken.end();
  };

  test('is waited for as long as some of it comes', async (context) => {
    const scene = setUp(
      context,
      fetchBy(async (bytes, onBytes) => {
        for (let part = 0; part < 30; part += 1) {
          await pause(100);
          onBytes(10_000);
        }
        return bytes;
      }),
    );
    await end(scene);
    expect(await scene.result).toMatchObject({ kind: 'ended' });
  });

  test('is lost where it comes in drops', async (context) => {
    const scene = setUp(
      context,
      fetchBy(async (_, onBytes) => {
        for (let part = 0; part < 200; part += 1) {
          await pause(100);
          onBytes(1);
        }
        return null;
      }),
    );
    await end(scene);
    expect(await scene.result).toMatchObject({
      kind: 'lost',
      failure: { message: expect.stringMatching(/came too slowly: 0 KB in \d+ s/) },
    });
  });

  test('is lost where the same of it comes again and again, and then breaks', async (context) => {
    const scene = setUp(
      context,
      fetchBy(async (_, onBytes) => {
        onBytes(300_000);
        throw new Error('received a corrupt object');
      }),
    );
    await end(scene);
    expect(await scene.result).toMatchObject({
      kind: 'lost',
      failure: { message: expect.stringContaining('nothing of its report came for') },
    });
  });

  test('is lost where nothing of it comes any more', async (context) => {
    const scene = setUp(
      context,
      fetchBy(() => new Promise(() => undefined)),
    );
    await end(scene);
    expect(await scene.result).toMatchObject({
      kind: 'lost',
      failure: { message: expect.stringContaining('nothing of its report came for') },
    });
  });

  test('is fetched again where that failed', async (context) => {
    let fails = 2;
    const scene = setUp(
      context,
      fetchBy(async (bytes) => {
        fails -= 1;
        if (fails >= 0) throw new Error('the line broke');
        return bytes;
      }),
    );
    await end(scene);
    expect(await scene.result).toMatchObject({ kind: 'ended' });
  });

  test('is refused where it is larger than it may be, with what to do', async (context) => {
    const fleet = createMemoryFleet();
    const get: Fleet['blobs']['get'] = (hash, reading) =>
      fleet.blobs.get(hash, { ...reading, maxBytes: (reading?.maxBytes ?? 1e9) / 1024 });
    const scene = setUp(context, { ...fleet, blobs: { ...fleet.blobs, get } });
    await end(scene);
    expect(await scene.result).toMatchObject({
      kind: 'lost',
      failure: { class: 'agent', message: expect.stringMatching(/larger than .* \[fleet-too-large\].*\.gitignore/) },
    });
  });
});

describe('a turn of a fleet that is away', () => {
  test('is lost after a minute, and says for how long the fleet could not be asked', async (context) => {
    const fleet = createMemoryFleet();
    const look: Fleet['queue']['look'] = () => Promise.reject(new Error('away'));
    const { result } = setUp(context, { ...fleet, queue: { ...fleet.queue, look } }, 20_000);
    expect(await result).toMatchObject({
      kind: 'lost',
      failure: { class: 'transient', message: expect.stringMatching(/^the fleet could not be asked for \d+ s$/) },
    });
  });
});

describe.concurrent('a turn that nobody takes', () => {
  test('is told of with the line that starts a worker, and again when it is taken after all', async (context) => {
    const { told, claim } = setUp(context);
    await expect
      .poll(() => told, { timeout: 5000 })
      .toEqual([
        'Iteration 7 (builder) waits for a worker with custom, and there is none. Start one where RALPH_FLEET is set: ralph worker --labels custom',
      ]);
    await claim('late');
    await expect.poll(() => told[1], { timeout: 5000 }).toMatch(/^Iteration 7 \(builder\) is taken by worker late, after \d+ s\.$/);
  });

  test('says which of its labels no worker has, where there are workers', async (context) => {
    const { fleet, told } = setUp(context);
    await fleet.workers.tell({ id: 'one', token: 't', labels: ['claude', 'gpu'], protocol: 9, slots: 1, busy: [], isDraining: false });
    await expect
      .poll(() => told[0], { timeout: 5000 })
      .toContain('there is none (none has custom; those there have claude,gpu). Start one');
  });
});
