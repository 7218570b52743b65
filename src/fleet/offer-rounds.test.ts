import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../core/backends/usage.ts';
import type { ProgramNews } from '../core/run/run-record.ts';
import type { Json } from '../core/values/json.ts';
import type { WorkClaim } from '../ports/fleet.ts';
import { createMemoryFleet } from './fleet-fixtures.ts';
import { ROUND_PROTOCOL, toBody } from './messages.ts';
import { offerRounds, type RoundOffer } from './offer-rounds.ts';
import { ROUND_END } from './round-fixtures.ts';
import type { RoundControl } from './round-messages.ts';

const NAME = '7.1.2.1';
const END = { ...ROUND_END, said: 'Done' };

function setUp({
  lostAfterMs = 1000,
  steady = () => performance.now(),
  pack = async () => ({ task: { kind: 'round' }, place: null as Json }),
} = {}) {
  const fleet = createMemoryFleet();
  const news: Omit<ProgramNews, 'since'>[] = [];
  const rounds = offerRounds({
    ...{ fleet, run: 'r1', steady, tell: () => undefined, lostAfterMs },
    ...{ isOwn: () => true, see: (one) => void news.push(one) },
  });
  onTestFinished(rounds.close);
  const taken: string[] = [];
  const seen: BackendEvent[] = [];
  const offer: RoundOffer = {
    ...{ name: NAME, title: 'Agent blue', labels: ['custom'], pack, see: (event) => void seen.push(event) },
    take: async (words, worker) => void taken.push(`${worker} ${words.kind}`),
  };
  /** `waitMs`: short where none is expected. */
  const claim = async (protocol = ROUND_PROTOCOL, waitMs = protocol === ROUND_PROTOCOL ? 5000 : 300): Promise<WorkClaim | null> =>
    fleet.queue.claim({ id: 'one', labels: ['custom'], protocol }, AbortSignal.timeout(waitMs));
  const report = async (number: number, words: object, worker = 'one'): Promise<void> =>
    fleet.reports.append({ run: 'r1', name: NAME, worker, number, body: await toBody(fleet.blobs, words as Json) });
  const asked: Json[] = [];
  const answer = (): void => onTestFinished(fleet.wires.answer({ run: 'r1', name: NAME }, (words) => void asked.push(words)));
  return { fleet, rounds, offer, news, taken, seen, claim, report, asked, answer };
}

test('a round is an order for workers that know rounds, and what its worker reports is taken in order, to its end', async () => {
  const { rounds, offer, news, taken, seen, claim, report, fleet } = setUp();
  const round = rounds.start(offer);
  await expect.poll(async () => (await fleet.queue.look({ run: 'r1', name: NAME })).kind).toBe('offered');
  expect(await claim(ROUND_PROTOCOL - 1)).toBe(null);
  const order = await claim();
  expect([order?.order.name, order?.order.labels]).toEqual([NAME, ['custom']]);
  await report(1, { kind: 'round-told', event: { type: 'started' } });
  fleet.wires.show({ run: 'r1', name: NAME }, { event: { type: 'usage', usage: { ...UNKNOWN_USAGE } } });
  await expect.poll(() => seen).toEqual([{ type: 'usage', usage: UNKNOWN_USAGE }]);
  await report(2, { kind: 'round-hand-in', call: 1, handIn: { kind: 'vote', target: 'agent1', reason: '' }, changes: null });
  await report(3, { kind: 'nothing' });
  await report(4, END);
  await order?.end();
  expect(await round.result).toMatchObject({ kind: 'ended', end: { said: 'Done' } });
  expect(taken).toEqual(['one round-told', 'one round-hand-in']);
  await expect.poll(() => news.at(-1)).toEqual({ program: NAME, title: 'Agent blue', labels: ['custom'], worker: 'one', isOver: true });
  expect(news[0]).toMatchObject({ worker: null, isOver: false });
  expect(news).toContainEqual(expect.objectContaining({ worker: 'one', isOver: false }));
});

test('of a worker that says nothing any more the round is lost, and what it reports then counts for nothing', async () => {
  const { rounds, offer, taken, claim, report } = setUp({ lostAfterMs: 300 });
  const round = rounds.start(offer);
  const order = await claim();
  expect(await round.result).toEqual({ kind: 'lost', why: expect.stringMatching(/^the worker one was lost: it said nothing for/) });
  await report(1, { kind: 'round-told', event: { type: 'started' } });
  await report(2, END);
  expect([await order?.beat(), taken]).toEqual([false, []]);
});

test('what is said reaches the worker as soon as there is one, and one that is killed is told at once', async () => {
  const { rounds, offer, claim, asked, answer } = setUp();
  const round = rounds.start(offer);
  const word = { type: 'round-reply', call: 1, isAccepted: true, text: 'taken' } as const;
  round.say(async () => word);
  const order = await claim();
  answer();
  await expect.poll(() => asked).toEqual([{ kind: 'effect', effect: word }]);
  round.kill();
  expect(await round.result).toEqual({ kind: 'killed' });
  expect([asked.at(-1), await order?.beat()]).toEqual([{ kind: 'kill' }, false]);
});

test.each<RoundControl>([{ type: 'round-stop', graceMs: 10 }, { type: 'round-finish' }])(
  'a round that is to end and that nobody has taken is taken back (%j)',
  async (word) => {
    const { rounds, offer, fleet, claim } = setUp();
    const round = rounds.start(offer);
    await expect.poll(async () => (await fleet.queue.look({ run: 'r1', name: NAME })).kind).toBe('offered');
    round.say(async () => word);
    expect(await round.result).toEqual({ kind: 'killed' });
    expect(await claim(ROUND_PROTOCOL, 300)).toBe(null);
    expect((await fleet.queue.look({ run: 'r1', name: NAME })).kind).toBe('over');
  },
);

test('one that cannot be sent is lost, and one that a process before this one offered is withdrawn', async () => {
  const { rounds, offer, claim, fleet, asked, answer } = setUp({ pack: () => Promise.reject(new Error('no room')) });
  expect(await rounds.start(offer).result).toEqual({ kind: 'lost', why: 'it could not be sent: no room' });
  await fleet.queue.offer({ run: 'r1', name: NAME, labels: ['custom'], protocol: ROUND_PROTOCOL, body: null });
  const order = await claim();
  answer();
  await rounds.withdraw([NAME]);
  expect([await order?.beat(), asked]).toEqual([false, [{ kind: 'kill' }]]);
});

test('what a worker reports of a round that another one has counts for nothing, whether it comes before that one has it or later', async () => {
  const { rounds, offer, taken, claim, report } = setUp();
  const round = rounds.start(offer);
  await report(1, END, 'evil');
  const order = await claim();
  await report(2, { kind: 'round-hand-in', call: 1, handIn: { kind: 'vote', target: 'agent1', reason: '' }, changes: null }, 'evil');
  await report(1, { kind: 'round-told', event: { type: 'started' } });
  await report(3, { ...END, said: 'I won' }, 'evil');
  await report(2, END);
  await order?.end();
  expect(await round.result).toMatchObject({ kind: 'ended', end: { said: 'Done' } });
  expect(taken).toEqual(['one round-told']);
});

test('the end of a round that stands behind work which takes minutes to come home is waited for', async () => {
  let clock = 0;
  const { rounds, offer, claim, report } = setUp({ steady: () => clock });
  let bring: () => void = () => undefined;
  const isHome = new Promise<void>((resolve) => {
    bring = resolve;
  });
  const round = rounds.start({ ...offer, take: () => isHome });
  const order = await claim();
  await report(1, { kind: 'round-hand-in', call: 1, handIn: { kind: 'answer', content: 'Mine' }, changes: null });
  await report(2, END);
  await order?.end();
  // It is seen to have ended.
  await pause(1200);
  clock += 200_000;
  await pause(1200);
  bring();
  expect(await round.result).toMatchObject({ kind: 'ended', end: { said: 'Done' } });
});

test('of a round that ends while it is asked who has it nothing is said any more', async () => {
  const { rounds, offer, fleet, news, claim, report } = setUp();
  const round = rounds.start(offer);
  const order = await claim();
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { look } = fleet.queue;
  let asked = 0;
  const lookOnceLate: typeof look = async (id) => {
    const standing = await look(id);
    asked += 1;
    if (asked === 1) await held;
    return standing;
  };
  Object.assign(fleet.queue, { look: lookOnceLate });
  await report(1, { kind: 'round-told', event: { type: 'started' } });
  await expect.poll(() => asked).toBe(1);
  round.kill();
  expect(await round.result).toEqual({ kind: 'killed' });
  await expect.poll(() => news.at(-1)?.isOver).toBe(true);
  answer();
  await pause(100);
  expect([news.at(-1)?.isOver, await order?.beat()]).toEqual([true, false]);
});

test('whoever reports of a round that nobody took and that is taken back does not count as the one who had it', async () => {
  const { rounds, offer, fleet, news, report } = setUp();
  const round = rounds.start(offer);
  await expect.poll(() => news.length).toBe(1);
  let asked = false;
  const askLate = async (): Promise<boolean> => {
    asked = true;
    await pause(700);
    return false;
  };
  Object.assign(fleet.wires, { ask: askLate });
  round.kill();
  await expect.poll(() => asked).toBe(true);
  await report(1, END, 'evil');
  expect(await round.result).toEqual({ kind: 'killed' });
});
