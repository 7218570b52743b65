import { afterEach, expect, it } from 'vitest';
import { closeServers, KEY, openServer, type TestStream, until } from './fixtures.ts';
import { createFakeRun } from './run-fixtures.ts';

afterEach(closeServers);

/** Of the last frame that has come whole; large ones are not parsed each time that is asked. */
function lastSeq(stream: TestStream): number {
  const text = stream.text();
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 1);
  return Number(/^event: frame\nid: (\d+)\n/.exec(whole.slice(whole.lastIndexOf('event: frame\n')))?.[1] ?? 0);
}

it('a client is told of the run at once, and of each change with what it changed', async () => {
  const fake = createFakeRun();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}`);
  await until(() => client.events('frame').length === 1);
  expect(client.events('frame')[0]).toMatchObject({ frame: { seq: 1, isNow: true }, turns: [], firstEvent: 0 });
  fake.addTurn();
  await until(() => lastSeq(client) === 3);
  expect(client.events('frame').at(-1)).toMatchObject({ frame: { turnCount: 1 }, turns: [0] });
  expect(client.text()).toContain('event: frame\nid: 3\ndata: {');
  expect(client.response.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
});

it('one that comes again is told of what it missed', async () => {
  const fake = createFakeRun();
  for (let turn = 0; turn < 4; turn += 1) fake.addTurn();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}&from=5`);
  await until(() => lastSeq(client) === 9);
  expect(client.events('frame')[0].turns).toEqual([2, 3]);
});

it('one that knows more than there is is told of everything', async () => {
  const fake = createFakeRun();
  fake.addTurn();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}&from=500`);
  await until(() => lastSeq(client) === 3);
  expect(client.events('frame')[0].turns).toEqual([0]);
});

it('what did not change is not told', async () => {
  const fake = createFakeRun();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}`);
  await until(() => client.events('frame').length === 1);
  for (let look = 0; look < 3; look += 1) {
    fake.add();
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  expect(client.events('frame')).toHaveLength(1);
});

it('many changes within a moment are one', async () => {
  const fake = createFakeRun();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}`);
  await until(() => client.events('frame').length === 1);
  for (let turn = 0; turn < 200; turn += 1) fake.addTurn();
  await until(() => lastSeq(client) === 401);
  const frames = client.events('frame');
  expect(frames.length).toBeLessThan(10);
  expect(new Set(frames.flatMap(({ turns }) => turns)).size).toBe(200);
});

it('many clients are told by one look at the run, and the last that goes ends it', async () => {
  const fake = createFakeRun();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const clients = await Promise.all(Array.from({ length: 30 }, () => stream(`/api/stream?run=${KEY}`)));
  fake.addTurn();
  await until(() => clients.every((client) => lastSeq(client) === 3));
  expect(fake.watchers()).toBe(1);
  for (const client of clients) client.close();
  await until(() => fake.watchers() === 0);
});

it('more than 64 are not told', async () => {
  const { stream } = await openServer();
  const clients = await Promise.all(Array.from({ length: 66 }, () => stream('/api/stream')));
  expect(clients.filter(({ response }) => response.statusCode === 503)).toHaveLength(2);
});

it('to one that reads nothing only the newest is kept, and it gets that when it reads again', async () => {
  const fake = createFakeRun('Build it.', 1500);
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const slow = await stream(`/api/stream?run=${KEY}`);
  const quick = await stream(`/api/stream?run=${KEY}`);
  await until(() => lastSeq(slow) === 1 && lastSeq(quick) === 1);
  slow.response.pause();
  for (let turn = 1; turn <= 25; turn += 1) {
    fake.addTurn();
    await until(() => lastSeq(quick) === 1 + 2 * turn);
  }
  slow.response.resume();
  await until(() => lastSeq(slow) === 51);
  expect(slow.events('frame').length).toBeLessThan(quick.events('frame').length);
  expect(new Set(slow.events('frame').flatMap(({ turns }) => turns)).size).toBe(25);
}, 20_000);

it('one that reads nothing for long is let go', async () => {
  const fake = createFakeRun('Build it.', 3000);
  const { stream } = await openServer({ runs: { [KEY]: fake }, times: { pingMs: 10_000, stallMs: 100 } });
  const slow = await stream(`/api/stream?run=${KEY}`);
  slow.response.pause();
  for (let turn = 1; turn <= 5; turn += 1) {
    fake.addTurn();
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await until(() => fake.watchers() === 0);
});

it('a stream on which nothing happens shows that it lives', async () => {
  const { stream } = await openServer({ times: { pingMs: 20, stallMs: 1000 } });
  const client = await stream('/api/stream');
  await until(() => client.events('ping').length >= 2);
  expect(client.events('runs')).toHaveLength(1);
});

it('a run that is removed ends its stream with why', async () => {
  const fake = createFakeRun();
  const { stream } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream(`/api/stream?run=${KEY}`);
  await until(() => client.events('frame').length === 1);
  fake.remove();
  fake.addTurn();
  await until(() => client.response.complete);
  expect(client.events('refused')).toMatchObject([{ code: 'run-unknown' }]);
  await until(() => fake.watchers() === 0);
});

it('the end of the server ends streams, also those that nobody reads', async () => {
  const fake = createFakeRun('x'.repeat(3_000_000));
  const { stream, server } = await openServer({ runs: { [KEY]: fake } });
  const client = await stream('/api/stream');
  const slow = await stream(`/api/stream?run=${KEY}`);
  slow.response.pause();
  await until(() => client.events('runs').length === 1);
  await server.close();
  await until(() => client.response.complete);
});
