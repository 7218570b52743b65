import { describe, expect, test, vi } from 'vitest';
import type { Input } from '../core/run/inputs.ts';
import type { Fleet, KeptLease, RunLease } from '../ports/fleet.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { toFolderGone } from './folder-files.ts';
import { keepRun, readKept, takeLease } from './keep-run.ts';
import type { KeptRecord } from './run-records.ts';

const steady = (): number => performance.now();
const wish = (place: string, lostAfterMs = 300) => ({ run: 'r1', place, host: `on-${place}`, title: 'Fix it', lostAfterMs });
const entry = (seq: number): KeptRecord => ({
  kind: 'entry',
  entry: { seq, input: { type: 'timer-fired', at: seq, timer: seq } satisfies Input },
});

async function startKeeper(fleet: Fleet, taken: KeptLease) {
  const keeper = keepRun({ fleet, taken });
  keeper.begin(await fleet.log.read('r1', () => undefined));
  return keeper;
}

async function begin(fleet: Fleet, place: string) {
  const taken = await takeLease(fleet, wish(place), steady);
  return startKeeper(fleet, taken);
}

async function readSeqs(fleet: Fleet): Promise<readonly number[]> {
  const seqs: number[] = [];
  await readKept(fleet, 'r1', ({ records }) => {
    for (const record of records) if (record.kind === 'entry') seqs.push(record.entry.seq);
  });
  return seqs;
}

describe('what is kept of a run', () => {
  test('has a record that nobody waits for with the next one, or at the end', async () => {
    const fleet = createMemoryFleet();
    let pieces = 0;
    const append: Fleet['log']['append'] = async (run, piece) => {
      pieces += 1;
      return fleet.log.append(run, piece);
    };
    const keeper = await begin({ ...fleet, log: { ...fleet.log, append } }, 'a');
    keeper.addLater(entry(1));
    await keeper.settled();
    expect([await readSeqs(fleet), pieces]).toEqual([[], 0]);
    keeper.add(entry(2));
    await keeper.settled();
    expect([await readSeqs(fleet), pieces]).toEqual([[1, 2], 1]);
    keeper.addLater(entry(3));
    await keeper.close({ state: 'free', title: 'Fix it' });
    expect([await readSeqs(fleet), pieces]).toEqual([[1, 2, 3], 2]);
  });
});

describe('a large piece of a run', () => {
  test('is kept although its content could not be put away at once', async () => {
    const fleet = createMemoryFleet();
    let tries = 0;
    const put: Fleet['blobs']['put'] = async (bytes) => {
      tries += 1;
      if (tries === 1) throw new Error('the disk is full');
      return fleet.blobs.put(bytes);
    };
    const keeper = await begin({ ...fleet, blobs: { ...fleet.blobs, put } }, 'a');
    const text = 'x'.repeat(300_000);
    keeper.add({ kind: 'entry', entry: { seq: 1, input: { type: 'timer-fired', at: 1, timer: 1, text } as Input } });
    await keeper.settled();
    expect([await readSeqs(fleet), tries]).toEqual([[1], 2]);
  });
});

describe('a lease of a run', () => {
  test('is said once at a time where the server takes long to answer, so that a run that ends waits for one answer alone', async () => {
    const fleet = createMemoryFleet();
    const taken = await takeLease(fleet, wish('a'), steady);
    const write: Fleet['leases']['write'] = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return fleet.leases.write(...given);
    };
    const keeper = keepRun({ fleet: { ...fleet, leases: { ...fleet.leases, write } }, taken });
    await new Promise((resolve) => setTimeout(resolve, 750));
    const from = performance.now();
    await keeper.close({ state: 'free', title: 'Fix it' });
    expect(performance.now() - from).toBeLessThan(1300);
  });

  test('tells once that the server does not answer, and when it does again; what takes less than three seconds is no news', async () => {
    vi.useFakeTimers();
    try {
      const fleet = createMemoryFleet();
      const taken = await takeLease(fleet, wish('a', 20_000), () => performance.now());
      let waitMs = 0;
      const write: Fleet['leases']['write'] = async (...given) => {
        if (waitMs < 0) return new Promise((_, refuse) => setTimeout(() => refuse(new Error('away')), -waitMs));
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        return fleet.leases.write(...given);
      };
      const keeper = keepRun({ fleet: { ...fleet, leases: { ...fleet.leases, write } }, taken });
      const heard: unknown[] = [];
      keeper.onAway((isAway, forMs) => heard.push([isAway, Math.round(forMs / 1000)]));
      waitMs = 2500;
      await vi.advanceTimersByTimeAsync(12_000);
      expect(heard).toEqual([]);
      // It gives up asking, and asks anew: nobody has answered meanwhile.
      waitMs = -15_000;
      await vi.advanceTimersByTimeAsync(40_000);
      expect(heard).toEqual([[true, 3]]);
      waitMs = 0;
      await vi.advanceTimersByTimeAsync(21_000);
      expect(heard).toEqual([
        [true, 3],
        [false, expect.any(Number)],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    [
      'at once, where the folder of the fleet is gone',
      toFolderGone('/f/drafts'),
      [true, 0, "the fleet's folder is gone: there is no /f/drafts"],
      5000,
    ],
    [
      'after some seconds, where it cannot be asked for another reason',
      new Error('connection refused'),
      [true, 5, 'connection refused'],
      10_000,
    ],
  ])('tells that every beat is refused %s', async (_, why, told, withinMs) => {
    vi.useFakeTimers();
    try {
      const fleet = createMemoryFleet();
      const taken = await takeLease(fleet, wish('a', 20_000), () => performance.now());
      const write: Fleet['leases']['write'] = () => Promise.reject(why);
      const keeper = keepRun({ fleet: { ...fleet, leases: { ...fleet.leases, write } }, taken });
      const heard: unknown[] = [];
      keeper.onAway((isAway, forMs, reason) => heard.push([isAway, Math.round(forMs / 1000), reason]));
      await vi.advanceTimersByTimeAsync(withinMs + 100);
      expect(heard).toEqual([told]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends at once where another fleet is in the place of its own, or an empty one, and what was to be written is not tried for long', async () => {
    vi.useFakeTimers();
    try {
      const fleet = createMemoryFleet();
      const taken = await takeLease(fleet, wish('a', 20_000), () => performance.now());
      const refuse = () => Promise.reject(new Error('no responders'));
      const keeper = keepRun({
        fleet: { ...fleet, check: async () => 'other', leases: { ...fleet.leases, write: refuse }, log: { ...fleet.log, append: refuse } },
        taken,
      });
      keeper.begin(0);
      keeper.add({ kind: 'entry', entry: { seq: 1, input: { type: 'timer-fired', at: 1, timer: 1 } as Input } });
      const settled = keeper.settled().catch((error: unknown) => String(error));
      await vi.advanceTimersByTimeAsync(6000);
      expect([await keeper.lost, keeper.isOwn(), await settled]).toEqual([
        'its fleet was made anew: what it kept of this run is gone',
        false,
        'Error: its fleet was made anew: what it kept of this run is gone',
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is not said to be with somebody else where nobody has it in the fleet that is there by now', async () => {
    const fleet = createMemoryFleet();
    const taken = await takeLease(fleet, wish('a'), steady);
    const write: Fleet['leases']['write'] = async () => null;
    const look: Fleet['leases']['look'] = async () => null;
    const keeper = keepRun({ fleet: { ...fleet, check: async () => 'other', leases: { ...fleet.leases, write, look } }, taken });
    await expect(keeper.confirm()).rejects.toThrow('its fleet was made anew');
  });

  test('says whether the fleet heard that the run was let go of', async () => {
    const fleet = createMemoryFleet();
    const how = { state: 'free', title: 'Fix it' } as const;
    expect(await (await begin(fleet, 'a')).close(how)).toBe(true);
    const taken = await takeLease(fleet, wish('a'), steady);
    const write: Fleet['leases']['write'] = () => Promise.reject(new Error('away'));
    expect(await keepRun({ fleet: { ...fleet, leases: { ...fleet.leases, write } }, taken }).close(how)).toBe(false);
  });

  test('is taken where nobody has it, where it was let go of, and at once by the folder that had it', async () => {
    const fleet = createMemoryFleet();
    expect((await takeLease(fleet, wish('a'), steady)).lease).toMatchObject({ epoch: 1, place: 'a', state: 'held' });
    expect((await takeLease(fleet, wish('a'), steady)).lease.epoch).toBe(2);
    const keeper = await begin(fleet, 'a');
    await keeper.close({ state: 'free', title: 'Fix it (interrupted)' });
    expect((await takeLease(fleet, wish('b'), steady)).lease).toMatchObject({ epoch: 4, place: 'b' });
  });

  test('is refused while whoever has it says that it lives', async () => {
    const fleet = createMemoryFleet();
    const keeper = await begin(fleet, 'a');
    await expect(takeLease(fleet, wish('b', 2000), steady)).rejects.toMatchObject({
      code: 'fleet-run-held',
      message: expect.stringContaining('on-a'),
    });
    await keeper.close({ state: 'ended', title: 'Fix it' });
  });

  test('is taken from whoever has said nothing for as long as the lease says, by one of two', async () => {
    const fleet = createMemoryFleet();
    const lease: RunLease = { ...wish('dead'), epoch: 7, state: 'held' };
    await fleet.leases.write(lease, 0);
    const from = performance.now();
    const taken = await Promise.allSettled([takeLease(fleet, wish('b'), steady), takeLease(fleet, wish('c'), steady)]);
    expect(performance.now() - from).toBeGreaterThan(300);
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await fleet.leases.look('r1'))?.lease.epoch).toBe(8);
  });
});

describe('what is kept of a run', () => {
  test('is there when it has settled, in order, in pieces that a message can hold', async () => {
    const fleet = createMemoryFleet();
    const keeper = await begin(fleet, 'a');
    const long = 'x'.repeat(120_000);
    for (let seq = 1; seq <= 5; seq += 1)
      keeper.add({ kind: 'entry', entry: { seq, input: { type: 'stop-requested', at: seq, how: 'kill', by: long } } });
    await keeper.settled();
    expect(await readSeqs(fleet)).toEqual([1, 2, 3, 4, 5]);
    await keeper.close({ state: 'ended', title: 'Fix it' });
    expect((await fleet.leases.look('r1'))?.lease.state).toBe('ended');
  });

  test('takes nothing from a process that another one has taken the run from: it is told, and what it adds is not there', async () => {
    const fleet = createMemoryFleet();
    const frozen = await begin(fleet, 'a');
    frozen.add(entry(1));
    await frozen.settled();
    const stale = await fleet.leases.look('r1');
    const taken = await takeLease(fleet, wish('b'), steady, stale ?? undefined);
    const next = await startKeeper(fleet, taken);
    next.add(entry(2));
    await next.settled();
    frozen.add({ ...entry(2) });
    await expect(frozen.settled()).rejects.toThrow('another process goes on with this run');
    expect(await frozen.lost).toContain('another process goes on');
    expect([frozen.isOwn(), next.isOwn()]).toEqual([false, true]);
    await expect(frozen.confirm()).rejects.toThrow('another process');
    await frozen.close({ state: 'ended', title: 'mine' });
    expect((await fleet.leases.look('r1'))?.lease).toMatchObject({ place: 'b', state: 'held' });
    expect(await readSeqs(fleet)).toEqual([1, 2]);
    await next.close({ state: 'ended', title: 'Fix it' });
  });

  test('notices within a few beats that the run is another one’s, without writing anything', async () => {
    const fleet = createMemoryFleet();
    const frozen = await begin(fleet, 'a');
    await takeLease(fleet, wish('b'), steady, (await fleet.leases.look('r1')) ?? undefined);
    await vi.waitFor(() => expect(frozen.isOwn()).toBe(false), { timeout: 5000 });
  });

  test('is not given up for a beat whose answer was lost on the way', async () => {
    const fleet = createMemoryFleet();
    const taken = await takeLease(fleet, wish('a', 400), steady);
    let lost = 0;
    const leases: Fleet['leases'] = {
      ...fleet.leases,
      write: async (lease, beat) => {
        const written = await fleet.leases.write(lease, beat);
        lost += 1;
        return lost % 2 === 1 ? null : written;
      },
    };
    const keeper = await startKeeper({ ...fleet, leases }, taken);
    await vi.waitFor(() => expect(lost).toBeGreaterThan(4), { timeout: 5000 });
    await keeper.confirm();
    expect(keeper.isOwn()).toBe(true);
    await keeper.close({ state: 'ended', title: 'Fix it' });
    expect((await fleet.leases.look('r1'))?.lease.state).toBe('ended');
  });

  test('is refused to read where a piece is none', async () => {
    const fleet = createMemoryFleet();
    await fleet.log.append('r1', { behind: 0, name: 'x', body: { value: { v: 2, records: [] } } });
    await expect(readKept(fleet, 'r1', () => undefined)).rejects.toThrow('cannot be read');
  });
});
