import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSilences } from './nats-fleet.ts';
import { dial, insist, toUnreachable, unlessConflict } from './nats-server.ts';

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

it('leaves no connection to a server that says nothing, which would keep the process from ending', { timeout: 30_000 }, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const came = once(server, 'connection');
  const dialed = dial({ url: `nats://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, env: {}, name: 'ralph' });
  const [socket] = (await came) as [Socket];
  const ended = once(socket.resume(), 'close');
  await expect(dialed).rejects.toThrow('timeout');
  await ended;
});

describe('for how long a worker was silent', () => {
  it('is said by the clock of the server, and not by one of this machine that goes otherwise', () => {
    const hour = 3_600_000;
    const silences = (skewMs: number) =>
      [1000, 14_000].map((ago) => hour - ago).map(createSilences([hour - 1000, hour - 14_000], hour + skewMs));
    expect([silences(0), silences(hour), silences(-hour)]).toEqual([
      [1000, 14_000],
      [0, 13_000],
      [0, 13_000],
    ]);
  });
});
