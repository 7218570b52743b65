import { afterEach, describe, expect, test } from 'vitest';
import type { Fleet, WorkReport } from '../ports/fleet.ts';
import { type Connect, newRun, order, signal, worker } from './contract-parts-fixtures.ts';
import { describeOrders, describeRepeatedOrders } from './order-contract-fixtures.ts';

/**
 * What every kind of fleet keeps.
 *
 * @param open connects to one and the same fleet as before
 */
export function describeFleet(kind: string, open: Connect): void {
  describe(`a fleet on ${kind}`, () => {
    const opened: Fleet[] = [];
    const connect = async (): Promise<Fleet> => {
      const fleet = await open();
      opened.push(fleet);
      return fleet;
    };
    afterEach(async () => {
      for (const fleet of opened.splice(0)) await fleet.close();
    });
    for (const describePart of [
      describeOrders,
      describeRepeatedOrders,
      describeHolding,
      describeReports,
      describeFiles,
      describeNames,
      describeDraining,
      describeRuns,
      describeFollowing,
      describeSteering,
      describeKeptWords,
    ])
      describePart(connect);
  });
}

function describeHolding(connect: Connect): void {
  test('is the one that was connected to, for everybody', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    expect([await mine.check(), await theirs.check()]).toEqual(['same', 'same']);
  });

  test('loses no order that is offered while others are forgotten', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    for (let turn = 1; turn <= 150; turn += 1) {
      const next = theirs.queue.claim(worker('one', run), signal());
      await Promise.all([mine.queue.offer(order(run, `${turn}.1`, run)), mine.queue.forget({ run, name: `${turn - 1}.1` })]);
      const claim = await next;
      expect(claim?.order.name).toBe(`${turn}.1`);
      await claim?.end();
    }
  });

  test('shows by its beats that a worker lives, and fences one that was given up', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    await mine.queue.offer(order(run, '1.1', run));
    expect(await mine.queue.look({ run, name: '1.1' })).toEqual({ kind: 'offered' });
    const claim = await theirs.queue.claim(worker('one', run), signal());
    const before = await mine.queue.look({ run, name: '1.1' });
    expect(await claim?.beat()).toBe(true);
    const now = await mine.queue.look({ run, name: '1.1' });
    expect(now).not.toEqual(before);
    expect(await mine.queue.withdraw({ run, name: '1.1' }, before)).toBe(false);
    expect(await claim?.beat()).toBe(true);
    expect(await mine.queue.withdraw({ run, name: '1.1' }, await mine.queue.look({ run, name: '1.1' }))).toBe(true);
    expect([await claim?.beat(), await claim?.end(), await claim?.beat()]).toEqual([false, false, false]);
  });

  test('withdraws an order that nobody has taken, and one whoever holds it, and forgets both', async () => {
    const fleet = await connect();
    const run = newRun();
    await fleet.queue.offer(order(run, '1.1', run));
    expect(await fleet.queue.withdraw({ run, name: '1.1' })).toBe(true);
    expect(await fleet.queue.claim(worker('one', run), AbortSignal.timeout(300))).toBe(null);
    await fleet.queue.offer(order(run, '2.1', run));
    const claim = await fleet.queue.claim(worker('one', run), signal());
    expect(await fleet.queue.withdraw({ run, name: '2.1' })).toBe(true);
    expect(await claim?.end()).toBe(false);
    await fleet.queue.forget({ run, name: '2.1' });
    expect(await fleet.queue.look({ run, name: '2.1' })).toEqual({ kind: 'over' });
  });
}

function describeReports(connect: Connect): void {
  test('keeps reports in their order, each once, for whoever follows from the beginning or later', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const [run, other] = [newRun(), newRun()];
    const report = (number: number, name = '1.1', of = run): WorkReport => ({ run: of, name, worker: 'one', number, body: { number } });
    const early: WorkReport[] = [];
    const end = await mine.reports.follow(run, (one) => early.push(one));
    for (const one of [report(1), report(1), report(2), report(1, '1.1', other), report(1, '2.1'), report(2)])
      await theirs.reports.append(one);
    await expect.poll(() => early).toEqual([report(1), report(2), report(1, '2.1')]);
    const late: WorkReport[] = [];
    const endLate = await mine.reports.follow(run, (one) => late.push(one));
    await expect.poll(() => late).toEqual(early);
    await Promise.all([end(), endLate()]);
    await mine.reports.forget(run);
    const forgotten: WorkReport[] = [];
    await (await mine.reports.follow(run, (one) => forgotten.push(one)))();
    expect(forgotten).toEqual([]);
  });
}

function describeFiles(connect: Connect): void {
  test('loses no report of a run while those of another are forgotten', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const [run, other] = [newRun(), newRun()];
    const seen: number[] = [];
    const close = await mine.reports.follow(run, ({ number }) => seen.push(number));
    for (let number = 1; number <= 150; number += 1) {
      await theirs.reports.append({ run: other, name: '1.1', worker: 'two', number, body: null });
      await Promise.all([theirs.reports.append({ run, name: '1.1', worker: 'one', number, body: null }), mine.reports.forget(other)]);
    }
    await expect.poll(() => seen.length).toBe(150);
    await close();
  });

  test('keeps files by what they hold', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const bytes = new Uint8Array(3_000_000).map((_, index) => index * 7);
    const hash = await mine.blobs.put(bytes);
    expect(await mine.blobs.put(bytes)).toBe(hash);
    expect(Buffer.from((await theirs.blobs.get(hash)) ?? []).equals(Buffer.from(bytes))).toBe(true);
    expect([await theirs.blobs.get('0'.repeat(64)), await theirs.blobs.get('../x')]).toEqual([null, null]);
    expect(Buffer.from((await theirs.blobs.get(await mine.blobs.put(new Uint8Array()))) ?? [1])).toHaveLength(0);
    let told = 0;
    const counted = await theirs.blobs.get(hash, { maxBytes: bytes.length, onBytes: (some) => (told += some ?? 0) });
    expect([counted?.length, told]).toEqual([bytes.length, bytes.length]);
    await expect(theirs.blobs.get(hash, { signal: AbortSignal.abort() })).rejects.toThrow();
    await expect(theirs.blobs.get(hash, { maxBytes: bytes.length - 1 })).rejects.toMatchObject({ code: 'fleet-too-large' });
  });

  test('asks the worker of an order, and says where nobody answers; shows what passes by', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    const heard: unknown[] = [];
    const seen: unknown[] = [];
    expect(await mine.wires.ask({ run, name: '1.1' }, 'anybody')).toBe(false);
    const deaf = theirs.wires.answer({ run, name: '1.1' }, (words) => heard.push(words));
    await expect.poll(() => mine.wires.ask({ run, name: '1.1' }, { stop: true })).toBe(true);
    expect(heard.at(-1)).toEqual({ stop: true });
    deaf();
    await expect.poll(() => mine.wires.ask({ run, name: '1.1' }, 'gone')).toBe(false);
    const blind = mine.wires.watch(run, (name, live) => seen.push([name, live]));
    await expect
      .poll(() => {
        theirs.wires.show({ run, name: '2.1' }, { text: 'x' });
        return seen[0];
      })
      .toEqual(['2.1', { text: 'x' }]);
    blind();
  });
}

function describeNames(connect: Connect): void {
  test('lists its workers, with what they hold, until they leave', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const id = newRun();
    const state = { ...worker(id, 'claude', 'gpu'), token: 'one', slots: 2, busy: [{ run: 'r', name: '1.1' }], isDraining: false };
    await theirs.workers.tell(state);
    expect((await mine.workers.list()).filter((one) => one.id === id)).toEqual([{ ...state, silentMs: expect.any(Number) }]);
    await theirs.workers.tell({ ...state, isDraining: true, busy: [] });
    expect((await mine.workers.list()).find((one) => one.id === id)).toMatchObject({ isDraining: true, busy: [] });
    await theirs.workers.leave(state);
    expect((await mine.workers.list()).filter((one) => one.id === id)).toEqual([]);
  });

  test('gives a name to one worker, and gives it back to the one that had it', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const id = newRun();
    const state = { ...worker(id, 'claude'), slots: 1, busy: [], isDraining: false };
    const told = await Promise.all([mine.workers.tell({ ...state, token: 'one' }), theirs.workers.tell({ ...state, token: 'two' })]);
    expect([...told].sort()).toEqual([false, true]);
    const [first, second] = told[0] ? ['one', 'two'] : ['two', 'one'];
    expect(await theirs.workers.tell({ ...state, token: first as string, slots: 3 })).toBe(true);
    expect(await mine.workers.tell({ ...state, token: second as string })).toBe(false);
    await mine.workers.leave({ id, token: second as string });
    expect((await mine.workers.list()).find((one) => one.id === id)).toMatchObject({ token: first, slots: 3 });
    await mine.workers.leave({ id, token: first as string });
    expect(await theirs.workers.tell({ ...state, token: second as string })).toBe(true);
    await theirs.workers.leave({ id, token: second as string });
  });

  test('refuses names that could mean something else to a server', async () => {
    const fleet = await connect();
    for (const run of ['', 'a.b', '*', '>', 'a b', '../x', 'x'.repeat(200)]) {
      await expect(fleet.queue.offer(order(run, '1.1', 'claude'))).rejects.toThrow('no part of a subject');
      await expect(fleet.queue.look({ run: 'ok', name: `${run}*` })).rejects.toThrow('no part of a subject');
    }
  });
}

function describeDraining(connect: Connect): void {
  test('tells one worker that it is to take no more, and says where there is none', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const id = newRun();
    expect(await mine.workers.drain(id)).toBe(false);
    let heard = 0;
    const end = theirs.workers.onDrain(id, () => {
      heard += 1;
    });
    await expect.poll(() => mine.workers.drain(id)).toBe(true);
    expect(heard).toBeGreaterThan(0);
    end();
  });
}

function describeRuns(connect: Connect): void {
  test('keeps what is written of a run, in order, and refuses whoever does not write behind the last one', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    const first = await mine.log.append(run, { behind: 0, name: 'a.1', body: { one: 1 } });
    const second = await mine.log.append(run, { behind: first ?? 0, name: 'a.2', body: { two: 2 } });
    expect([first, second].every((place) => typeof place === 'number' && place > 0)).toBe(true);
    expect(await theirs.log.append(run, { behind: first ?? 0, name: 'b.1', body: 'late' })).toBe(null);
    expect(await theirs.log.append(run, { behind: 0, name: 'b.2', body: 'late' })).toBe(null);
    const seen: unknown[] = [];
    expect(await theirs.log.read(run, (body) => seen.push(body))).toBe(second);
    expect(seen).toEqual([{ one: 1 }, { two: 2 }]);
  });

  test('takes a writing once that is tried again under its name', async () => {
    const fleet = await connect();
    const run = newRun();
    const first = await fleet.log.append(run, { behind: 0, name: 'a.1', body: 1 });
    expect(await fleet.log.append(run, { behind: 0, name: 'a.1', body: 1 })).toBe(first);
    const second = await fleet.log.append(run, { behind: first ?? 0, name: 'a.2', body: 2 });
    expect(await fleet.log.append(run, { behind: first ?? 0, name: 'a.2', body: 2 })).toBe(second);
    expect(await fleet.log.append(run, { behind: first ?? 0, name: 'b.1', body: 2 })).toBe(null);
    const seen: unknown[] = [];
    await fleet.log.read(run, (body) => seen.push(body));
    expect(seen).toEqual([1, 2]);
  });

  test('forgets a run: who has it, what was written of it and its orders, unless somebody has taken it meanwhile', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const [run, other] = [newRun(), newRun()];
    const lease = { run, epoch: 1, place: 'one', host: 'a', state: 'free', lostAfterMs: 1000, title: 'Fix it' } as const;
    const beat = (await mine.leases.write(lease, 0)) ?? 0;
    for (const one of [run, other]) {
      await mine.log.append(one, { behind: 0, name: 'a.1', body: 1 });
      await mine.queue.offer(order(one, '1.1', run));
    }
    const taken = (await theirs.leases.write({ ...lease, epoch: 2, state: 'held' }, beat)) ?? 0;
    expect(await mine.leases.forget(run, beat)).toBe(false);
    expect(await mine.leases.forget(run, taken)).toBe(true);
    expect(await theirs.leases.look(run)).toBe(null);
    await mine.log.forget(run);
    await mine.queue.forgetRun(run);
    expect([await theirs.log.read(run, () => undefined), (await theirs.log.read(other, () => undefined)) > 0]).toEqual([0, true]);
    const claim = await theirs.queue.claim(worker('one', run), signal());
    expect(claim?.order.run).toBe(other);
    expect(await theirs.queue.claim(worker('one', run), AbortSignal.timeout(300))).toBe(null);
    expect(await mine.leases.write(lease, 0)).not.toBe(null);
  });

  test('gives a run to one process: of two who saw the same lease one gets it', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    const lease = { run, epoch: 1, place: 'one', host: 'a', worker: 'w1', state: 'held', lostAfterMs: 1000, title: 'Fix it' } as const;
    expect(await mine.leases.look(run)).toBe(null);
    const beats = await Promise.all([mine.leases.write(lease, 0), theirs.leases.write({ ...lease, place: 'two' }, 0)]);
    expect(beats.filter((beat) => beat === null)).toHaveLength(1);
    const kept = await theirs.leases.look(run);
    expect([kept?.beat, kept?.lease.place]).toEqual([beats.find((beat) => beat !== null), beats[0] === null ? 'two' : 'one']);
    const again = await mine.leases.write({ ...lease, epoch: 2 }, kept?.beat ?? 0);
    expect(again).not.toBe(null);
    expect(await theirs.leases.write({ ...lease, epoch: 3 }, kept?.beat ?? 0)).toBe(null);
    expect((await theirs.leases.list()).filter((one) => one.lease.run === run)).toEqual([{ lease: { ...lease, epoch: 2 }, beat: again }]);
  });
}

function describeFollowing(connect: Connect): void {
  test('has nothing of a run of which nothing was written', async () => {
    const fleet = await connect();
    const seen: unknown[] = [];
    expect([await fleet.log.read(newRun(), (body) => seen.push(body)), seen]).toEqual([0, []]);
  });

  test('gives what is kept of a run from the first on, and then each writing as it comes, to several who follow', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const [run, other] = [newRun(), newRun()];
    const first = await mine.log.append(run, { behind: 0, name: 'a.1', body: { one: 1 } });
    const second = await mine.log.append(run, { behind: first ?? 0, name: 'a.2', body: { two: 2 } });
    await mine.log.append(other, { behind: 0, name: 'b.1', body: 'of another run' });
    const seen: unknown[] = [];
    const end = await theirs.log.follow(run, (body) => seen.push(body));
    expect(seen).toEqual([{ one: 1 }, { two: 2 }]);
    await mine.log.append(run, { behind: second ?? 0, name: 'a.3', body: { three: 3 } });
    await expect.poll(() => seen).toEqual([{ one: 1 }, { two: 2 }, { three: 3 }]);
    await end();
    const late: unknown[] = [];
    const endLate = await mine.log.follow(run, (body) => late.push(body));
    expect(late).toEqual(seen);
    await endLate();
  });

  test('follows a run of which nothing was written yet', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    const seen: unknown[] = [];
    const end = await theirs.log.follow(run, (body) => seen.push(body));
    await mine.log.append(run, { behind: 0, name: 'a.1', body: 1 });
    await expect.poll(() => seen).toEqual([1]);
    await end();
  });
}

function describeSteering(connect: Connect): void {
  test('asks the process that has a run, gives its answer, and says where nobody has it', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    expect(await mine.steer.ask(run, { id: 'w1', body: 'anybody' })).toBe(null);
    const deaf = theirs.steer.answer(run, async ({ body }) => ({ said: body }));
    await expect.poll(() => mine.steer.ask(run, { id: 'w2', body: { tell: 'x' } })).toEqual({ said: { tell: 'x' } });
    expect(await mine.steer.ask(newRun(), { id: 'w3', body: 'of another run' })).toBe(null);
    deaf();
    await expect.poll(() => mine.steer.ask(run, { id: 'w4', body: 'gone' })).toBe(null);
  });

  test('lets the same word be heard once, however often it is asked, and answers it the same', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    let heard = 0;
    theirs.steer.answer(run, async () => {
      heard += 1;
      return { count: heard };
    });
    await expect.poll(() => mine.steer.ask(run, { id: 'w1', body: 'once' })).toEqual({ count: 1 });
    const word = { id: 'w2', body: 'twice' };
    expect(await Promise.all([mine.steer.ask(run, word), mine.steer.ask(run, word)])).toEqual([{ count: 2 }, { count: 2 }]);
    expect(await mine.steer.ask(run, word)).toEqual({ count: 2 });
  });

  test('refuses the name of a run that could mean several', async () => {
    const fleet = await connect();
    for (const run of ['', 'a.b', '*', '>', '../x']) {
      await expect(fleet.steer.ask(run, { id: 'w1', body: null })).rejects.toThrow('no part of a subject');
      await expect(fleet.log.follow(`${run}>`, () => undefined)).rejects.toThrow('no part of a subject');
    }
  });
}

function describeKeptWords(connect: Connect): void {
  test('keeps what is said to a run that nobody has, each word once and in order, until it was heard', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    expect(await theirs.words.list(run)).toEqual([]);
    for (const id of ['w2', 'w1', 'w2', 'w3']) await mine.words.keep(run, { id, body: { said: id } });
    await mine.words.keep(`${run}x`, { id: 'w1', body: 'of another run' });
    const kept = ['w2', 'w1', 'w3'].map((id) => ({ id, body: { said: id } }));
    await expect.poll(() => theirs.words.list(run)).toEqual(kept);
    await theirs.words.drop(run, 'w1');
    await theirs.words.drop(run, 'w1');
    expect((await theirs.words.list(run)).map(({ id }) => id)).toEqual(['w2', 'w3']);
    await mine.words.keep(run, { id: 'w1', body: 'again' });
    expect((await theirs.words.list(run)).map(({ id }) => id)).toEqual(['w2', 'w3', 'w1']);
    await theirs.words.forget(run);
    await theirs.words.forget(run);
    expect([await theirs.words.list(run), (await theirs.words.list(`${run}x`)).length]).toEqual([[], 1]);
  });

  test('keeps no word under a name that could mean several', async () => {
    const fleet = await connect();
    for (const name of ['', 'a.b', '*', '>', '../x']) {
      await expect(fleet.words.keep(name, { id: 'w1', body: null })).rejects.toThrow('no part of a subject');
      await expect(fleet.words.keep(newRun(), { id: name, body: null })).rejects.toThrow('no part of a subject');
      await expect(fleet.words.drop(newRun(), name)).rejects.toThrow('no part of a subject');
      await expect(fleet.words.list(name)).rejects.toThrow('no part of a subject');
      await expect(fleet.words.forget(name)).rejects.toThrow('no part of a subject');
    }
  });
}
