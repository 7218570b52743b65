import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServers, KEY, openServer, type TestRequest, TOKEN } from './fixtures.ts';
import { createFakeRun } from './run-fixtures.ts';

afterEach(closeServers);

const BEARER = { Authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const TELL = `/api/runs/${KEY}/tell`;
const ORDER = JSON.stringify({ command: 'c1', text: 'hello' });

/** What is asked, and how it is refused. `own` is the value of `Host` that is ours. */
type Row = readonly [why: string, status: number, code: string, request: (own: string, port: number) => TestRequest];

const ROWS: readonly Row[] = [
  ['a name that points here', 421, 'web-host', (_, port) => ({ path: '/', headers: { Host: `evil.example:${port}` } })],
  ['a name that begins as ours', 421, 'web-host', (own) => ({ path: '/', headers: { Host: `${own}.evil.example` } })],
  ['a name that ends as ours', 421, 'web-host', (own) => ({ path: '/', headers: { Host: `evil.${own}` } })],
  ['another port', 421, 'web-host', (_, port) => ({ path: '/', headers: { Host: `127.0.0.1:${port + 1}` } })],
  ['no port', 421, 'web-host', () => ({ path: '/', headers: { Host: '127.0.0.1' } })],
  ['a user in front of the host', 421, 'web-host', (own) => ({ path: '/', headers: { Host: `x@${own}` } })],
  ['another address of loopback', 421, 'web-host', (_, port) => ({ path: '/', headers: { Host: `127.0.0.2:${port}` } })],
  [
    'a host with a token, but not ours',
    421,
    'web-host',
    (_, port) => ({ path: '/api/runs', headers: { ...BEARER, Host: `evil.example:${port}` } }),
  ],
  [
    'a wrong host before a wrong origin',
    421,
    'web-host',
    () => ({ path: '/', headers: { Host: 'evil.example', Origin: 'http://evil.example' } }),
  ],
  ['the origin of another page', 403, 'web-origin', () => ({ path: '/api/runs', headers: { ...BEARER, Origin: 'http://evil.example' } })],
  ['the origin of another port', 403, 'web-origin', () => ({ path: '/api/runs', headers: { ...BEARER, Origin: 'http://127.0.0.1:1' } })],
  ['an origin that begins as ours', 403, 'web-origin', (own) => ({ path: '/api/runs', headers: { ...BEARER, Origin: `http://${own}0` } })],
  ['our origin over https', 403, 'web-origin', (own) => ({ path: '/api/runs', headers: { ...BEARER, Origin: `https://${own}` } })],
  ['the origin of a sandbox or a file', 403, 'web-origin', () => ({ path: '/', headers: { Origin: 'null' } })],
  [
    'our origin under another of our names',
    403,
    'web-origin',
    (_, port) => ({ path: '/', headers: { Origin: `http://localhost:${port}` } }),
  ],
  [
    'another site, as the browser says',
    403,
    'web-origin',
    () => ({ path: '/api/runs', headers: { ...BEARER, 'Sec-Fetch-Site': 'cross-site' } }),
  ],
  [
    'another port of this host, as the browser says',
    403,
    'web-origin',
    () => ({ path: '/api/runs', headers: { ...BEARER, 'Sec-Fetch-Site': 'same-site' } }),
  ],
  ['a proxy', 400, 'web-request', (own) => ({ path: `http://${own}/api/runs`, headers: BEARER })],
  ['no token', 401, 'web-token', () => ({ path: '/api/runs' })],
  ['a wrong token', 401, 'web-token', () => ({ path: '/api/runs', headers: { Authorization: `Bearer ${TOKEN}x` } })],
  [
    'the beginning of the token',
    401,
    'web-token',
    () => ({ path: '/api/runs', headers: { Authorization: `Bearer ${TOKEN.slice(0, -1)}` } }),
  ],
  ['an empty token', 401, 'web-token', () => ({ path: '/api/runs', headers: { Authorization: 'Bearer ' } })],
  ['a name and a password', 401, 'web-token', () => ({ path: '/api/runs', headers: { Authorization: `Basic ${btoa(`ralph:${TOKEN}`)}` } })],
  ['the token in a cookie', 401, 'web-token', () => ({ path: '/api/runs', headers: { Cookie: `token=${TOKEN}` } })],
  ['the token in the address', 401, 'web-token', () => ({ path: `/api/runs?token=${TOKEN}` })],
  ['a stream without the token', 401, 'web-token', () => ({ path: `/api/stream?run=${KEY}` })],
  ['an order without the token', 401, 'web-token', () => ({ path: TELL, method: 'POST', headers: JSON_TYPE, body: ORDER })],
  ['a path of nothing but slashes', 401, 'web-token', () => ({ path: '//' })],
  ['a route that there is not, before it is said so', 401, 'web-token', () => ({ path: '/etc/passwd' })],
  [
    'a question about other origins',
    401,
    'web-token',
    () => ({ path: '/api/runs', method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } }),
  ],
  ['a route that there is not', 404, 'web-route', () => ({ path: '/api/files', headers: BEARER })],
  ['a name of every object', 404, 'web-route', () => ({ path: `/api/runs/${KEY}/constructor`, headers: BEARER })],
  ['a path instead of a key', 404, 'web-route', () => ({ path: '/api/runs/../../etc/passwd/frame', headers: BEARER })],
  ['a path instead of a key, hidden', 404, 'web-route', () => ({ path: '/api/runs/..%2f..%2fetc/frame', headers: BEARER })],
  ['a key of no run', 404, 'run-unknown', () => ({ path: '/api/runs/zzz/frame', headers: BEARER })],
  ['the id of a run for its key', 404, 'web-route', () => ({ path: '/api/runs/20261121-223331-k7f2a/frame', headers: BEARER })],
  ['a stream of no run', 404, 'run-unknown', () => ({ path: '/api/stream?run=zzz', headers: BEARER })],
  ['a path for a turn', 400, 'web-request', () => ({ path: `/api/runs/${KEY}/text?turn=../../x&part=prompt`, headers: BEARER })],
  ['a path for a part', 400, 'web-request', () => ({ path: `/api/runs/${KEY}/text?turn=1.1&part=../../../.ssh/id`, headers: BEARER })],
  ['a number that is none', 400, 'web-request', () => ({ path: `/api/runs/${KEY}/turns?from=1e9`, headers: BEARER })],
  ['a thing that is said twice', 400, 'web-request', () => ({ path: `/api/runs/${KEY}/frame?seq=1&seq=2`, headers: BEARER })],
  ['a search for nothing', 400, 'web-request', () => ({ path: `/api/runs/${KEY}/search?words=`, headers: BEARER })],
  ['another method at the page', 405, 'web-method', () => ({ path: '/', method: 'POST', headers: JSON_TYPE, body: '{}' })],
  ['an order that is got', 405, 'web-method', () => ({ path: TELL, headers: BEARER })],
  [
    'a list that is sent',
    405,
    'web-method',
    () => ({ path: '/api/runs', method: 'POST', headers: { ...BEARER, ...JSON_TYPE }, body: '{}' }),
  ],
  ['another method', 405, 'web-method', () => ({ path: TELL, method: 'PUT', headers: { ...BEARER, ...JSON_TYPE }, body: ORDER })],
  [
    'an order from a form',
    415,
    'web-type',
    () => ({ path: TELL, method: 'POST', headers: { ...BEARER, 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'text=x' }),
  ],
  [
    'an order as plain text',
    415,
    'web-type',
    () => ({ path: TELL, method: 'POST', headers: { ...BEARER, 'Content-Type': 'text/plain' }, body: ORDER }),
  ],
  ['an order of no type', 415, 'web-type', () => ({ path: TELL, method: 'POST', headers: BEARER, body: ORDER })],
  [
    'an order that is packed',
    415,
    'web-type',
    () => ({ path: TELL, method: 'POST', headers: { ...BEARER, ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: ORDER }),
  ],
  [
    'more than 64 KB',
    413,
    'web-size',
    () => ({
      path: TELL,
      method: 'POST',
      headers: { ...BEARER, ...JSON_TYPE },
      body: JSON.stringify({ command: 'c', text: 'x'.repeat(70_000) }),
    }),
  ],
  ['a body that is no JSON', 400, 'web-request', () => ({ path: TELL, method: 'POST', headers: { ...BEARER, ...JSON_TYPE }, body: '{' })],
  ['a body that is a list', 400, 'web-request', () => ({ path: TELL, method: 'POST', headers: { ...BEARER, ...JSON_TYPE }, body: '[]' })],
  ['a code that is none', 401, 'web-code', () => ({ path: '/api/session', method: 'POST', headers: JSON_TYPE, body: '{"code":"x"}' })],
  ['no code', 401, 'web-code', () => ({ path: '/api/session', method: 'POST', headers: JSON_TYPE, body: '{}' })],
  [
    'a code from another page',
    403,
    'web-origin',
    () => ({ path: '/api/session', method: 'POST', headers: { ...JSON_TYPE, Origin: 'http://evil.example' }, body: '{"code":"x"}' }),
  ],
  [
    'a code from a form',
    415,
    'web-type',
    () => ({ path: '/api/session', method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{"code":"x"}' }),
  ],
];

describe('refused is', () => {
  it.each(ROWS)('%s', async (_, status, code, toRequest) => {
    const run = createFakeRun();
    const { ask, own, server, faults } = await openServer({ runs: { [KEY]: run } });
    const answer = await ask(toRequest(own, server.port));
    expect([answer.status, answer.json?.code]).toEqual([status, code]);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(run.orders).toEqual([]);
    expect(faults).toEqual([]);
  });

  it.each([
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['no host, as one could once', 'GET / HTTP/1.0\r\n\r\n', 421],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: OWN\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 421],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: OWN\r\n\r\n', 0],
    ['a body of two lengths', 'POST /api/session HTTP/1.1\r\nHost: OWN\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}', 400],
    ['headers without an end', `GET / HTTP/1.1\r\nHost: OWN\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ])('%s', async (_, bytes, status) => {
    const { own, server } = await openServer();
    const text = await sendBytes(server.port, bytes.replaceAll('OWN', own));
    expect(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)).toBe(status);
  });

  it('each order where runs are only shown', async () => {
    const run = createFakeRun();
    const { post } = await openServer({ runs: { [KEY]: run }, canSteer: false });
    for (const name of ['tell', 'answer', 'stop', 'resume']) {
      const answer = await post(`/api/runs/${KEY}/${name}`, { command: 'c1', text: 'x', how: 'now' });
      expect([answer.status, answer.json.code]).toEqual([403, 'web-read-only']);
    }
    expect(run.orders).toEqual([]);
  });

  it('more than 64 KB that comes in pieces without its length being said', async () => {
    const { own, server } = await openServer();
    const head = `POST ${TELL} HTTP/1.1\r\nHost: ${own}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
    const piece = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    expect(await sendBytes(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(6)}`)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

/** Sends bytes and reads until the other side closes. */
function sendBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
    socket.setTimeout(3000, () => socket.destroy());
  });
}
