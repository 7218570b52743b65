import { expect, test } from 'vitest';
import type { WorkerFacts, WorkOrder } from '../ports/fleet.ts';
import { type Connect, newRun, order, signal, worker } from './contract-parts-fixtures.ts';

/** Orders, and who gets them. */
export function describeOrders(connect: Connect): void {
  test('gives an order to one worker, of those that have all of its labels', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    const claims = [
      theirs.queue.claim(worker('plain', 'claude'), AbortSignal.timeout(1500)),
      ...['one', 'two', 'three'].map((id) => theirs.queue.claim(worker(id, 'claude', run), AbortSignal.timeout(1500))),
    ];
    await mine.queue.offer(order(run, '1.1', run, 'claude'));
    const taken = (await Promise.all(claims)).filter((claim) => claim !== null);
    expect(taken.map((claim) => claim.order)).toEqual([order(run, '1.1', run, 'claude')]);
    const [{ kind, worker: holder } = { kind: '', worker: '' }] = [await mine.queue.look({ run, name: '1.1' })].map((one) => ({
      worker: '',
      ...one,
    }));
    expect([kind, ['one', 'two', 'three'].includes(holder)]).toEqual(['held', true]);
  });

  test('gives orders in the order in which they were offered, also to a worker that comes later, and an order of a newer protocol to nobody', async () => {
    const fleet = await connect();
    const run = newRun();
    await fleet.queue.offer({ ...order(run, '0.1', run), protocol: 2 });
    for (const name of ['1.1', '2.1', '3.1']) await fleet.queue.offer(order(run, name, run));
    const names: string[] = [];
    for (let left = 3; left > 0; left -= 1) names.push((await fleet.queue.claim(worker('one', run), signal()))?.order.name ?? 'none');
    expect(names).toEqual(['1.1', '2.1', '3.1']);
    expect(await fleet.queue.claim(worker('one', run), AbortSignal.timeout(200))).toBe(null);
  });

  test('leaves an order alone as long as whoever claims does not accept it, and gives it others meanwhile', async () => {
    const [mine, theirs] = [await connect(), await connect()];
    const run = newRun();
    let isWanted = false;
    const waited: number[] = [];
    const accept = async ({ name }: WorkOrder, waitedMs: number): Promise<boolean> => {
      if (name !== '1.1') return true;
      waited.push(waitedMs);
      return isWanted;
    };
    await theirs.queue.claim(worker('one', run), AbortSignal.timeout(300), accept);
    const first = theirs.queue.claim(worker('one', run), signal(), accept);
    await mine.queue.offer(order(run, '1.1', run));
    await expect.poll(() => waited.length).toBeGreaterThan(0);
    await mine.queue.offer(order(run, '2.1', run));
    expect((await first)?.order.name).toBe('2.1');
    expect(await mine.queue.look({ run, name: '1.1' })).toEqual({ kind: 'offered' });
    const second = theirs.queue.claim(worker('one', run), signal(), accept);
    await expect.poll(() => waited.length, { timeout: 3000 }).toBeGreaterThan(2);
    isWanted = true;
    expect((await second)?.order.name).toBe('1.1');
    expect([(waited[0] ?? 0) < 300, (waited.at(-1) ?? 0) > (waited[0] ?? 0)]).toEqual([true, true]);
  });
}

export function describeRepeatedOrders(connect: Connect): void {
  test('gives a worker also the orders of older protocols, and gates as well as turns', async () => {
    const fleet = await connect();
    const run = newRun();
    const newer: WorkerFacts = { ...worker('newer', run), protocol: 2 };
    await fleet.queue.offer(order(run, '1.1', run));
    await fleet.queue.offer({ ...order(run, 'gate3', run), protocol: 2 });
    expect((await fleet.queue.claim(newer, signal()))?.order.name).toBe('1.1');
    expect((await fleet.queue.claim(newer, signal()))?.order.name).toBe('gate3');
  });

  test('gives an order that was forgotten again under its name, and takes its reports for others', async () => {
    const fleet = await connect();
    const run = newRun();
    for (const number of [100, 200]) {
      await fleet.queue.offer(order(run, 'gate1', run));
      const claim = await fleet.queue.claim(worker('one', run), signal());
      await fleet.reports.append({ run, name: 'gate1', worker: 'one', number, body: number });
      await claim?.end();
      await fleet.queue.forget({ run, name: 'gate1' });
    }
    const seen: unknown[] = [];
    const end = await fleet.reports.follow(run, ({ body }) => seen.push(body));
    await expect.poll(() => seen).toEqual([100, 200]);
    await end();
  });

  test('takes the same order once, also after it was held', async () => {
    const fleet = await connect();
    const run = newRun();
    await fleet.queue.offer(order(run, '1.1', run));
    await fleet.queue.offer(order(run, '1.1', run));
    await fleet.queue.remind({ run, name: '1.1' });
    const claim = await fleet.queue.claim(worker('one', run), signal());
    await fleet.queue.offer(order(run, '1.1', run));
    await fleet.queue.remind({ run, name: '1.1' });
    expect(await claim?.beat()).toBe(true);
    expect(await claim?.end()).toBe(true);
    await fleet.queue.remind({ run, name: '1.1' });
    await fleet.queue.offer(order(run, '1.1', run));
    expect(await fleet.queue.claim(worker('two', run), AbortSignal.timeout(300))).toBe(null);
    expect(await fleet.queue.look({ run, name: '1.1' })).toEqual({ kind: 'over', worker: 'one' });
  });
}
