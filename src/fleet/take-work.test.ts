import { describe, expect, test } from 'vitest';
import type { Fleet, RunLease } from '../ports/fleet.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { acceptLiving, type Job, takeWork } from './take-work.ts';

const ORDER = { run: 'r1', name: '1.1', labels: ['claude'], protocol: 1, body: null } as const;
const LEASE: RunLease = { run: 'r1', epoch: 1, place: 'p', host: 'h', state: 'held', lostAfterMs: 1000, title: 'Fix it' };

/** A run whose lease can be written, and a clock that is set by hand. */
function begin() {
  const fleet = createMemoryFleet();
  const clock = { ms: 5000 };
  let beat = 0;
  const write = async (changes: Partial<RunLease> = {}): Promise<void> => {
    beat = (await fleet.leases.write({ ...LEASE, ...changes }, beat)) ?? 0;
  };
  return { fleet, clock, write, accept: acceptLiving(fleet, () => clock.ms) };
}

const OLD = Number.POSITIVE_INFINITY;

describe('an order of a run', () => {
  test('is taken at once where it is new and the run is in the hands of a process', async () => {
    const { write, accept } = begin();
    await write();
    expect(await accept(ORDER, 10)).toBe(true);
  });

  test.each(['free', 'ended'] as const)(
    'is left alone where the run is %s, however new it is, and taken when somebody goes on',
    async (state) => {
      const { write, accept } = begin();
      await write({ state });
      expect(await accept(ORDER, 10)).toBe(false);
      await write({ epoch: 2 });
      expect(await accept(ORDER, OLD)).toBe(true);
    },
  );

  test('is left alone where nothing is kept of the run', async () => {
    expect(await begin().accept(ORDER, 10)).toBe(false);
  });

  test('that has waited for long is taken when the run is heard of, and left alone when it has said nothing for too long', async () => {
    const { clock, write, accept } = begin();
    await write();
    expect(await accept(ORDER, OLD)).toBe(false);
    clock.ms += 5000;
    expect(await accept(ORDER, OLD)).toBe(false);
    await write();
    expect(await accept(ORDER, OLD)).toBe(true);
    clock.ms += 999;
    expect(await accept(ORDER, OLD)).toBe(true);
    clock.ms += 2;
    expect(await accept(ORDER, OLD)).toBe(false);
    // Somebody else goes on with the run.
    await write({ epoch: 2, place: 'q' });
    expect(await accept(ORDER, OLD)).toBe(true);
  });

  test('is taken where the fleet cannot be asked: the claim asks it once more', async () => {
    const leases = { look: () => Promise.reject(new Error('away')) } as unknown as Fleet['leases'];
    expect(await acceptLiving({ leases }, () => 0)(ORDER, OLD)).toBe(true);
  });
});

describe('a worker', () => {
  const WORDS = { kind: 'gate', offer: 'o', shown: null, log: null, trouble: 'none' } as const;

  /** Has an order worked on. The bodies of what was reported of it. */
  async function workOn(
    perform: (job: Job) => Promise<void>,
    fleet = createMemoryFleet(),
    tell: (text: string) => void = () => undefined,
  ): Promise<readonly unknown[]> {
    const reported: unknown[] = [];
    await fleet.leases.write(LEASE, 0);
    await fleet.reports.follow('r1', ({ body }) => reported.push(body));
    await fleet.queue.offer(ORDER);
    const drain = new AbortController();
    const worker = { id: 'w', token: 't', labels: ['claude'], protocol: 4 };
    const settings = { fleet, worker, slots: 1, tell, onNameLost: () => undefined };
    const once = async (job: Job): Promise<void> => {
      await perform(job);
      drain.abort();
    };
    await takeWork({ ...settings, perform: once }, drain.signal, new AbortController().signal);
    return reported;
  }

  test('reports the end of an order once, whatever goes wrong behind it', async () => {
    const seen: boolean[] = [];
    const reported = await workOn(async (job) => {
      seen.push(job.hasEnded());
      await job.report(WORDS);
      seen.push(job.hasEnded());
      await job.report({ ...WORDS, trouble: 'the folder is gone' });
    });
    expect([reported, seen]).toEqual([[{ value: WORDS }], [false, true]]);
  });

  test('gives an order up that it cannot listen to, says so, and goes on', async () => {
    const fleet = createMemoryFleet();
    const told: string[] = [];
    let tries = 0;
    const answer: Fleet['wires']['answer'] = (...given) => {
      tries += 1;
      if (tries === 1) throw new Error('the disk is full');
      return fleet.wires.answer(...given);
    };
    const again = async (): Promise<void> => {
      while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await fleet.queue.offer({ ...ORDER, name: '2.1' });
    };
    const [reported] = await Promise.all([
      workOn(
        (job) => job.report(WORDS),
        { ...fleet, wires: { ...fleet.wires, answer } },
        (text) => told.push(text),
      ),
      again(),
    ]);
    expect([told, reported]).toEqual([['Iteration 1 of run r1 could not be worked on: the disk is full.'], [{ value: WORDS }]]);
    expect(await fleet.queue.look(ORDER)).toEqual({ kind: 'over', worker: 'w' });
  });

  test('says that the fleet cannot be asked, and why, and asks it again', async () => {
    const fleet = createMemoryFleet();
    const told: string[] = [];
    const claim: Fleet['queue']['claim'] = (worker, signal) =>
      told.length === 0 ? Promise.reject(new Error('the disk is full')) : fleet.queue.claim(worker, signal);
    const work = (job: Job): Promise<void> => job.report(WORDS);
    const reported = await workOn(work, { ...fleet, queue: { ...fleet.queue, claim } }, (text) => told.push(text));
    expect([told, reported]).toEqual([['The fleet cannot be asked: the disk is full.'], [{ value: WORDS }]]);
  });
});
