import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

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
  return {
    url: `nats://127.0.0.1:${port}`,
    kill: () => end(child),
    restart: async () => {
      await end(child);
      child = start(folder, port);
    },
    close: async () => {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** One server of a cluster. */
export interface TestNode {
  readonly name: string;
  readonly url: string;
  readonly pid: () => number;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Servers of the tests' own that keep everything together. */
export interface TestCluster {
  /** Of all of them. */
  readonly url: string;
  readonly nodes: readonly TestNode[];
  readonly close: () => Promise<void>;
}

/** Starts so many servers on loopback, each with routes to the others; those that are left out are started by `restart`. */
export async function startCluster(size: number, isStarted: (index: number) => boolean = () => true): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-nats-'));
  const ports = await findPorts(size * 2);
  const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`);
  const nodes = Array.from({ length: size }, (_, index) => makeNode(folder, `n${index}`, ports[index] ?? 0, routes, index));
  const started = nodes.filter((_, index) => isStarted(index));
  await Promise.all(started.map((node) => node.restart()));
  await untilTogether(started);
  return {
    url: `nats://${nodes.map(({ url }) => url.slice('nats://'.length)).join(',')}`,
    nodes,
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Until they keep something together. */
async function untilTogether(nodes: readonly TestNode[]): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      const connection = await connect({ servers: nodes.map(({ url }) => url) });
      try {
        const { streams } = await jetstreamManager(connection, { timeout: 1000 });
        await streams.add({ name: 'TOGETHER', subjects: ['together'], num_replicas: nodes.length });
        await streams.delete('TOGETHER');
        return;
      } finally {
        await connection.close();
      }
    } catch {
      await pause(200);
    }
  }
  throw new Error('the servers did not find together');
}

function makeNode(folder: string, name: string, port: number, routes: readonly string[], index: number): TestNode {
  const [config, own] = [join(folder, `${name}.conf`), routes[index] ?? ''];
  const cluster = { name: 'ralph', listen: own.slice('nats://'.length), routes: routes.filter((route) => route !== own) };
  const settings = { server_name: name, listen: `127.0.0.1:${port}`, jetstream: { store_dir: join(folder, name) }, cluster };
  writeFileSync(config, JSON.stringify(settings));
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => (child === null ? undefined : end(child));
  return {
    name,
    url: `nats://127.0.0.1:${port}`,
    pid: () => child?.pid ?? 0,
    kill,
    restart: async () => {
      await kill();
      child = spawn('/usr/sbin/nats-server', ['-c', config], { stdio: 'ignore' });
    },
  };
}

/** Ports of loopback that are free. */
async function findPorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { readonly port: number }).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
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
