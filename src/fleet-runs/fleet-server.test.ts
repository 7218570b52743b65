import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canSyncAlways, findServer, readServerPort, startFleetServer, writeServerConfig } from './fleet-server.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-fleet-server-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function makeProgram(...path: string[]): string {
  const file = join(folder, ...path, 'nats-server');
  mkdirSync(join(folder, ...path), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

describe('the program of a server', () => {
  it('is found on the PATH, in the sbin beside it, and where systems put servers', () => {
    const beside = makeProgram('usr', 'sbin');
    const elsewhere = makeProgram('opt');
    const env = { PATH: `${join(folder, 'usr', 'bin')}:relative` };
    expect(findServer(env, [join(folder, 'opt')], 'x')).toBe(beside);
    expect(findServer({ PATH: '' }, [join(folder, 'opt')], 'x')).toBe(elsewhere);
    const first = makeProgram('usr', 'bin');
    expect(findServer(env, [], 'x')).toBe(first);
  });

  it('is asked for with how to install it, where there is none', () => {
    expect(() => findServer({ PATH: folder }, [join(folder, 'opt')], 'ralph fleet up')).toThrow(
      expect.objectContaining({
        code: 'fleet-server-missing',
        message: expect.stringContaining(join(folder, 'opt')),
        fix: expect.stringMatching(/apt-get install nats-server\n.*brew install nats-server/),
      }),
    );
  });
});

describe('the configuration of a server', () => {
  const settings = { password: 'p', port: -1, syncsAlways: false };

  it('listens on loopback, with a password, in a file for nobody else', () => {
    const file = writeServerConfig({ ...settings, folder });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      host: '127.0.0.1',
      port: -1,
      ports_file_dir: folder,
      jetstream: { store_dir: join(folder, 'store') },
      authorization: { user: 'ralph', password: 'p' },
    });
  });

  it('writes each message through to the disk where the version knows how', () => {
    expect(['2.9.10', '2.10.0', '2.11.3', '3.0.0', '1.4.1'].map(canSyncAlways)).toEqual([false, true, true, true, false]);
    const file = writeServerConfig({ ...settings, folder, syncsAlways: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ jetstream: { sync_interval: 'always' } });
  });

  it('forgets where an earlier server listened', () => {
    writeFileSync(join(folder, 'nats-server_1.ports'), '{"nats":["nats://127.0.0.1:4711"]}');
    expect(readServerPort(folder)).toBe(4711);
    writeServerConfig({ ...settings, folder });
    expect(readServerPort(folder)).toBe(undefined);
  });
});

describe('the folder of a server', () => {
  it('is refused where somebody else’s files are in it, and nothing is written', async () => {
    makeProgram('bin');
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'mine.txt'), 'x');
    const order = { home, env: { PATH: join(folder, 'bin') }, abort: new AbortController().signal };
    await expect(startFleetServer(order)).rejects.toMatchObject({ code: 'fleet-server-home' });
    expect(readdirSync(home)).toEqual(['mine.txt']);
    const file = { ...order, home: join(home, 'mine.txt') };
    await expect(startFleetServer(file)).rejects.toMatchObject({ code: 'fleet-server-home', message: expect.stringContaining('EEXIST') });
  });
});
