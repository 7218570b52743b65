import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { closeServers, KEY, openServer, PAGE, TOKEN, until } from './fixtures.ts';
import { createFakeRun } from './run-fixtures.ts';

afterEach(closeServers);

const toCode = (url: string): string => url.slice(url.indexOf('#code=') + 6);

it('the page comes without a token, and lets nothing in but its own script and style', async () => {
  const { ask } = await openServer();
  const { status, text, headers } = await ask({ path: '/' });
  expect([status, text]).toEqual([200, PAGE.html]);
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'sha256-c2NyaXB0'; style-src 'sha256-c3R5bGU='; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(text).not.toContain(TOKEN);
});

it('the page is reached by a link of somebody else, and under each of the three names', async () => {
  const { ask, server } = await openServer();
  expect((await ask({ path: '/', headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(200);
  for (const name of ['127.0.0.1', 'localhost', '[::1]'])
    expect((await ask({ path: '/', headers: { Host: `${name}:${server.port}`, Origin: `http://${name}:${server.port}` } })).status).toBe(
      200,
    );
});

it('a code is swapped for the token once', async () => {
  const { ask, server } = await openServer();
  const code = toCode(server.createUrl());
  const swap = () =>
    ask({ path: '/api/session', method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code }) });
  expect((await swap()).json).toEqual({ token: TOKEN });
  expect((await swap()).status).toBe(401);
});

it('a code counts for ten minutes, and of those that nobody used the last five', async () => {
  let now = 0;
  const { ask, server } = await openServer({ now: () => now });
  const swap = async (url: string) =>
    (
      await ask({
        path: '/api/session',
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ code: toCode(url) }),
      })
    ).status;
  const old = server.createUrl();
  now = 10 * 60_000;
  expect(await swap(old)).toBe(401);
  const [first = '', ...others] = Array.from({ length: 6 }, server.createUrl);
  expect(await swap(first)).toBe(401);
  for (const url of others) expect(await swap(url)).toBe(200);
});

it('a run is read: its frame, its lists, pieces of its texts', async () => {
  const fake = createFakeRun();
  for (let turn = 0; turn < 3; turn += 1) fake.addTurn();
  const { get } = await openServer({ runs: { [KEY]: fake } });
  expect((await get('/api/runs')).json).toMatchObject({ canSteer: true, runs: [{ key: KEY }] });
  expect((await get(`/api/runs/${KEY}/frame`)).json).toMatchObject({ v: 1, seq: 7, lastSeq: 7, isNow: true, turnCount: 3 });
  expect((await get(`/api/runs/${KEY}/frame?seq=2`)).json).toMatchObject({ seq: 2, isNow: false, turnCount: 1 });
  expect((await get(`/api/runs/${KEY}/turns?from=-2&count=9`)).json).toMatchObject({
    from: 1,
    total: 3,
    rows: [{ name: '2.1' }, { name: '3.1' }],
  });
  expect((await get(`/api/runs/${KEY}/turns?seq=2`)).json).toMatchObject({ total: 1, rows: [{ status: 'running' }] });
  expect((await get(`/api/runs/${KEY}/events`)).json).toMatchObject({ from: 0, rows: [] });
  expect((await get(`/api/runs/${KEY}/timeline?slots=2`)).json).toHaveLength(2);
  expect((await get(`/api/runs/${KEY}/turn?place=1`)).json).toMatchObject({ row: { name: '2.1' } });
  expect((await get(`/api/runs/${KEY}/turn?place=9`)).json).toBeNull();
  expect((await get(`/api/runs/${KEY}/text?turn=1.1&part=output&from=-20&count=20`)).json.text).toBe('1.1 output -20 20');
  expect((await get(`/api/runs/${KEY}/text?turn=1.1&part=prompt&count=999999999`)).json.text).toBe('1.1 prompt 0 262144');
  expect((await get(`/api/runs/${KEY}/diff`)).json).toEqual({ patch: 'the whole' });
  expect((await get(`/api/runs/${KEY}/diff?turn=1.1`)).json).toEqual({ patch: null });
  expect((await get(`/api/runs/${KEY}/index?turn=1.1`)).json).toEqual({ calls: [], growth: [], isCut: false });
  expect((await get(`/api/runs/${KEY}/evidence?number=1`)).json).toBeNull();
  expect((await get(`/api/runs/${KEY}/picture`)).json).toBeNull();
  expect((await get(`/api/runs/${KEY}/search?words=a%20b&limit=3`)).json).toMatchObject([{ line: 'a b 3' }]);
});

it('what came meanwhile is in the next answer', async () => {
  const fake = createFakeRun();
  const { get } = await openServer({ runs: { [KEY]: fake } });
  expect((await get(`/api/runs/${KEY}/frame`)).json.seq).toBe(1);
  fake.addTurn();
  expect((await get(`/api/runs/${KEY}/frame`)).json.seq).toBe(3);
});

it('an order is carried out once, however often it comes', async () => {
  const fake = createFakeRun();
  const { post } = await openServer({ runs: { [KEY]: fake } });
  const order = { command: 'c1', text: 'use the old API', to: 'builder', when: 'next' };
  const answers = await Promise.all([1, 2, 3].map(() => post(`/api/runs/${KEY}/tell`, order)));
  expect(answers.map(({ status, json }) => [status, json])).toEqual(Array(3).fill([200, { text: 'Done: tell.', seq: 1 }]));
  expect(fake.orders).toEqual([`tell ${JSON.stringify({ command: 'c1', text: 'use the old API', to: 'builder', when: 'next' })}`]);
  await post(`/api/runs/${KEY}/tell`, { ...order, command: 'c2' });
  await post(`/api/runs/${KEY}/stop`, { command: 'c1', how: 'now' });
  await post(`/api/runs/${KEY}/resume`, { command: 'c3' });
  expect(fake.orders.slice(1).map((line) => line.split(' ')[0])).toEqual(['tell', 'stop', 'resume']);
});

it('an order that was refused may be tried again under its name', async () => {
  const fake = createFakeRun();
  let isRefused = true;
  const { steer } = fake.run;
  const stop: typeof steer.stop = async (how) => {
    if (isRefused) throw new RalphError({ code: 'stop-nothing', what: 'It is not under way.', fix: 'See: ralph runs' });
    return steer.stop(how);
  };
  const { post } = await openServer({ runs: { [KEY]: { ...fake, run: { ...fake.run, steer: { ...steer, stop } } } } });
  const first = await post(`/api/runs/${KEY}/stop`, { command: 'c1', how: 'after' });
  expect([first.status, first.json]).toEqual([409, { code: 'stop-nothing', what: 'It is not under way.', fix: 'See: ralph runs' }]);
  isRefused = false;
  expect((await post(`/api/runs/${KEY}/stop`, { command: 'c1', how: 'after' })).status).toBe(200);
});

it('a question is answered by who has seen it', async () => {
  const fake = createFakeRun();
  fake.addTurn();
  fake.ask('q1');
  const { post } = await openServer({ runs: { [KEY]: fake } });
  const answer = (seq: number, command: string) => post(`/api/runs/${KEY}/answer`, { command, question: 'q1', choice: 'yes', seq });
  const stale = await answer(3, 'c1');
  expect([stale.status, stale.json.code]).toEqual([409, 'web-stale']);
  expect((await answer(4, 'c2')).status).toBe(200);
  expect(fake.orders).toEqual(['answer {"command":"c2","question":"q1","choice":"yes"}']);
});

it('an order with words that make no sense is refused', async () => {
  const fake = createFakeRun();
  const { post } = await openServer({ runs: { [KEY]: fake } });
  const bad: readonly (readonly [string, object])[] = [
    ['tell', { text: 'x' }],
    ['tell', { command: 'a b', text: 'x' }],
    ['tell', { command: 'c', text: 7 }],
    ['tell', { command: 'c', text: '' }],
    ['tell', { command: 'c', text: 'x', when: 'interrupt' }],
    ['tell', { command: 'c', text: 'x', to: ['builder'] }],
    ['answer', { command: 'c', question: 'q1', choice: 'yes' }],
    ['answer', { command: 'c', question: 'q1', choice: 'yes', seq: -1 }],
    ['stop', { command: 'c', how: 'kill' }],
    ['resume', {}],
  ];
  for (const [name, body] of bad) expect((await post(`/api/runs/${KEY}/${name}`, body)).json.code).toBe('web-request');
  expect(fake.orders).toEqual([]);
});

it('hostile names and texts come as the data that they are, and refusals without what a terminal obeys', async () => {
  const hostile = '</script><script>alert(1)</script>\u001b[2J\u202e';
  const fake = createFakeRun(hostile);
  const failing = async (): Promise<never> => {
    throw new RalphError({ code: 'tell-words', what: `There is no hat "${hostile}".` });
  };
  const run = { ...fake.run, steer: { ...fake.run.steer, tell: failing } };
  const { get, post } = await openServer({ runs: { [KEY]: { ...fake, run } } });
  const { headers, json } = await get(`/api/runs/${KEY}/frame`);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(json.objective).toBe('</script><script>alert(1)</script>');
  expect(json.title).toBe('</script><script>alert(1)</script>');
  const refused = await post(`/api/runs/${KEY}/tell`, { command: 'c', text: 'x', to: 'y' });
  expect([refused.status, refused.json.what]).toEqual([400, 'There is no hat "</script><script>alert(1)</script>".']);
});

it('a run that was removed while it was open is not there any more', async () => {
  const fake = createFakeRun();
  const runs: Record<string, typeof fake> = { [KEY]: fake };
  const { get } = await openServer({ runs });
  expect((await get(`/api/runs/${KEY}/frame`)).status).toBe(200);
  fake.remove();
  delete runs[KEY];
  expect((await get(`/api/runs/${KEY}/frame`)).status).toBe(404);
  expect((await get(`/api/runs/${KEY}/turns`)).status).toBe(404);
});

it('an error of the server tells its code and nothing else', async () => {
  const broken = async (): Promise<never> => {
    throw Object.assign(new Error('EACCES: /home/ann/secret'), { code: 'EACCES' });
  };
  const { get, faults } = await openServer({ list: broken });
  const { status, text } = await get('/api/runs');
  expect([status, text]).toEqual([500, '{"code":"web-failed","what":"That could not be done (EACCES)."}']);
  expect(faults).toHaveLength(1);
});

it('only few ask for what is dear at the same time, and of the others only few wait', async () => {
  const fake = createFakeRun();
  const waiting: (() => void)[] = [];
  let most = 0;
  const diff = async (): Promise<string> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
    });
    return '';
  };
  const { get } = await openServer({ runs: { [KEY]: { ...fake, run: { ...fake.run, diff } } } });
  const timer = setInterval(() => waiting.shift()?.(), 30);
  const answers = await Promise.all(Array.from({ length: 16 }, () => get(`/api/runs/${KEY}/diff`)));
  clearInterval(timer);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
  expect(answers.some(({ status }) => status === 503)).toBe(true);
  expect(most).toBeLessThanOrEqual(2);
});

it('connections that ask nothing keep nobody out, and cut off nothing that the person is told', async () => {
  const { server, get, stream } = await openServer();
  const told = await stream(`/api/stream?run=${KEY}`);
  await until(() => told.events('frame').length === 1);
  const open: Socket[] = [];
  let gone = 0;
  for (let index = 0; index < 300; index += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.once('close', () => {
      gone += 1;
    });
    socket.on('error', () => undefined);
    // Some of them have begun to say something.
    socket.write(index % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nHost: ');
    open.push(socket);
  }
  await until(() => gone >= 45);
  expect((await get(`/api/runs/${KEY}/frame`)).status).toBe(200);
  expect(told.response.destroyed).toBe(false);
  for (const socket of open) socket.destroy();
  told.close();
});

it('a request that comes in too slowly is given up', async () => {
  const { server, own } = await openServer({ requestMs: 400 });
  const socket = connect(server.port, '127.0.0.1');
  const drip = setInterval(() => socket.write('x'), 50);
  socket.write(`GET / HTTP/1.1\r\nHost: ${own}\r\nX: `);
  socket.on('error', () => undefined);
  socket.resume();
  await until(() => socket.closed);
  clearInterval(drip);
});

it('a port that is taken is told plainly', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const { startWebServer } = await import('./start-web-server.ts');
  const source = {
    list: async () => ({ runs: [], at: 0, canSteer: true, unread: [] }),
    open: () => null,
    onListChange: () => () => undefined,
  };
  const start = startWebServer({ page: PAGE, source, address: '127.0.0.1', port, canSteer: true, now: Date.now, onFault: () => undefined });
  await expect(start).rejects.toMatchObject({ code: 'web-port', message: `Something listens on port ${port} of 127.0.0.1 already.` });
  other.close();
});

it('a patch without measure is cut behind a line, and says so', async () => {
  const fake = createFakeRun();
  const diff = async (): Promise<string> => '+a line of a file that was added\n'.repeat(200_000);
  const { get } = await openServer({ runs: { [KEY]: { ...fake, run: { ...fake.run, diff } } } });
  const { patch } = (await get(`/api/runs/${KEY}/diff`)).json;
  expect(patch.length).toBeLessThan(4_000_200);
  expect(patch).toMatch(/added\n… \d+ more characters: ralph show --diff\n$/);
});
