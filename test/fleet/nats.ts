import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A server of the tests' own, on a free port of loopback. */
export interface TestServer {
  readonly url: string;
  /** As `kill -9`. */
  readonly kill: () => Promise<void>;
  /** On the same port, with what it had kept. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts `nats-server` with a folder of its own.
 *
 * @param settings what its configuration says beside that
 */
export async function startServer(settings: string | Readonly<Record<string, unknown>> = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-nats-'));
  writeFileSync(join(folder, 'server.conf'), typeof settings === 'string' ? settings : JSON.stringify(settings));
  let child = start(folder, '-1');
  const port = await readPort(folder);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      await kill();
      child = start(folder, port);
    },
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function start(folder: string, port: string): ChildProcess {
  const args = [
    '-c',
    join(folder, 'server.conf'),
    '-js',
    '-a',
    '127.0.0.1',
    '-p',
    port,
    '-sd',
    join(folder, 'store'),
    '--ports_file_dir',
    folder,
  ];
  return spawn('/usr/sbin/nats-server', args, { stdio: 'ignore' });
}

/** The server writes it where it was told to, once it listens. */
async function readPort(folder: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const file = readdirSync(folder).find((name) => name.endsWith('.ports'));
    const port = file === undefined ? undefined : /:(\d+)"/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    if (port !== undefined) return port;
    await pause(50);
  }
  throw new Error('nats-server did not say where it listens');
}
