/** The server of a fleet, as tests start it: on loopback, with a folder of its own. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The one that RALPH_NATS_SERVER names, a path; else where Debian's package puts it. */
export const NATS_SERVER = process.env.RALPH_NATS_SERVER || '/usr/sbin/nats-server';

/**
 * Starts it with the `server.conf` that is in the folder, if one is.
 *
 * @param {string} folder where it keeps what it is told, under `store`
 * @param {string} port `-1`: one that is free
 */
export function startNatsServer(folder, port) {
  const config = readdirSync(folder).includes('server.conf') ? ['-c', join(folder, 'server.conf')] : [];
  const args = [...config, '-js', '-a', '127.0.0.1', '-p', port, '-sd', join(folder, 'store'), '--ports_file_dir', folder];
  return spawn(NATS_SERVER, args, { stdio: 'ignore' });
}

/** The server writes it where it was told to, once it listens. */
export async function readNatsPort(folder) {
  for (let tries = 0; tries < 200; tries += 1) {
    const file = readdirSync(folder).find((name) => name.endsWith('.ports'));
    const port = file === undefined ? undefined : /:(\d+)"/.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
    if (port !== undefined) return port;
    await pause(50);
  }
  throw new Error('nats-server did not say where it listens');
}

/** As `kill -9`; resolves when it is gone. */
export async function endNatsServer(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
