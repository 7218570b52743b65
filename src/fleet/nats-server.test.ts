import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSilences } from './nats-fleet.ts';
import { askServerTime, dial, insist, openNatsServer, toUnreachable, unlessConflict } from './nats-server.ts';

/** As the client says what a server answered. */
const toAnswer = (code: number, message: string): Error => Object.assign(new Error(message), { code, status: 400 });

/** Does not succeed before the last of these has been thrown. */
function fail(...errors: readonly Error[]): () => Promise<string> {
  const left = [...errors];
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
}

it('asks a cluster again that is at a change of the same subject: what becomes of that is not known yet', async () => {
  const inProcess = toAnswer(10164, 'wrong last sequence');
  expect(await unlessConflict(fail(inProcess, inProcess))).toBe('done');
  expect(await unlessConflict(fail(inProcess, toAnswer(10071, 'wrong last sequence: 7')))).toBe(null);
  expect(await insist(fail(toAnswer(10158, 'duplicate message id is in process')))).toBe('done');
});

it('takes any other answer of a server for its last word', async () => {
  await expect(insist(fail(toAnswer(10059, 'stream not found')))).rejects.toThrow('stream not found');
});

it('says in words that no machine has the name that an address gives', () => {
  const { message, fix } = toUnreachable(
    { url: 'nats://ralph:secret@nohost:4222', env: {}, name: 'ralph' },
    new Error('getaddrinfo ENOTFOUND nohost'),
  );
  expect([message, fix]).toEqual([
    'No machine is known by the name nohost, so nobody was asked for the fleet at nats://nohost:4222.',
    expect.stringContaining('nats://10.0.0.5:4222'),
  ]);
});

/** A server that says this, and nothing more; the address, and the first connection to it. */
async function startSilent(said = ''): Promise<{ readonly url: string; readonly came: Promise<Socket> }> {
  const server = createServer((socket) => void socket.on('error', () => undefined).write(said));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const came = once(server, 'connection').then(([socket]) => (socket as Socket).resume());
  return { url: `nats://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, came };
}

it('leaves no connection to a server that says nothing, which would keep the process from ending', { timeout: 30_000 }, async () => {
  const { url, came } = await startSilent();
  const dialed = dial({ url, env: {}, name: 'ralph' });
  const ended = once(await came, 'close');
  await expect(dialed).rejects.toThrow('timeout');
  await ended;
});

it.each([
  ['says nothing', ''],
  ['lets in, and answers nothing', 'INFO {"server_id":"x","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\nPONG\r\n'],
])('leaves at once a server that %s where nobody waits for it any more', async (_what, said) => {
  const { url, came } = await startSilent(said);
  const leaving = new AbortController();
  const opened = openNatsServer({ url, env: {}, name: 'ralph', signal: leaving.signal }).catch(() => null);
  const ended = once(await came, 'close');
  await pause(100);
  const from = performance.now();
  leaving.abort();
  expect(await opened).toBeNull();
  await ended;
  expect(performance.now() - from).toBeLessThan(1000);
});

describe('for how long a worker was silent', () => {
  const hour = 3_600_000;
  const [later, earlier] = [hour - 1000, hour - 14_000];

  it.each([0, 5, 15, 20, 26, 3600, -3600])('is said by the clock of the server, which is %d s behind that of this machine', (seconds) => {
    const machine = hour + seconds * 1000;
    vi.useFakeTimers({ now: machine, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect([later, earlier].map(createSilences([later, earlier], hour))).toEqual([1000, 14_000]);
    // A server that does not say what its clock says.
    expect([later, earlier].map(createSilences([later, earlier], null))).toEqual([0, 13_000]);
  });

  it('is asked of a server, which may be too old to say it', async () => {
    const ask = (info: object) => askServerTime({ manager: { streams: { info: async () => info } } as never }, 'workers');
    expect([await ask({ ts: '1970-01-01T01:00:00.5Z' }), await ask({}), await ask({ ts: 'soon' })]).toEqual([hour + 500, null, null]);
  });
});
