import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { endNatsServer, NATS_SERVER, readNatsPort, startNatsServer } from '../nats-server.mjs';

/** A server of the tests' own, on a free port of loopback. */
export interface TestServer {
  readonly url: string;
  /** As `kill -9`. */
  readonly kill: () => Promise<void>;
  /** On the same port, with what it had kept. */
  readonly restart: () => Promise<void>;
  /** As `restart`, and nothing that it had kept is there any more. */
  readonly empty: () => Promise<void>;
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
  let child = startNatsServer(folder, '-1');
  const port = await readNatsPort(folder);
  return {
    url: `nats://127.0.0.1:${port}`,
    kill: () => endNatsServer(child),
    restart: async () => {
      await endNatsServer(child);
      child = startNatsServer(folder, port);
    },
    empty: async () => {
      await endNatsServer(child);
      rmSync(join(folder, 'store'), { recursive: true, force: true });
      child = startNatsServer(folder, port);
    },
    close: async () => {
      await endNatsServer(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One server of a cluster. */
export interface TestNode {
  readonly name: string;
  readonly url: string;
  readonly pid: () => number;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

export interface KeptStream {
  readonly name: string;
  readonly copies: number;
  readonly leader: TestNode | null;
}

/** Servers of the tests' own that keep everything together. */
export interface TestCluster {
  /** Of all of them. */
  readonly url: string;
  readonly nodes: readonly TestNode[];
  /** What is kept there, how many servers have it, and which one leads. */
  readonly listKept: () => Promise<readonly KeptStream[]>;
  /** Resolves when every server has all that it keeps a copy of. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts so many servers on loopback, each with routes to the others; those that are left out are started by `restart`. */
export async function startCluster(size: number, isStarted: (index: number) => boolean = () => true): Promise<TestCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-nats-'));
  const nodes = await startNodes(folder, size, isStarted);
  return {
    url: `nats://${nodes.map(({ url }) => url.slice('nats://'.length)).join(',')}`,
    nodes,
    listKept: async () =>
      (await listStreams(nodes)).map(({ config, cluster }) => ({
        ...{ name: config.name, copies: config.num_replicas },
        leader: nodes.find(({ name }) => name === cluster?.leader) ?? null,
      })),
    settled: () =>
      insist('the servers are not of one mind', async () => {
        const streams = await listStreams(nodes);
        const isSame = ({ config, cluster }: StreamInfo): boolean => {
          const current = (cluster?.replicas ?? []).filter((one) => one.current && one.offline !== true);
          return cluster?.leader !== undefined && current.length === config.num_replicas - 1;
        };
        if (!streams.every(isSame)) throw new Error('one is late');
      }),
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const MAX_STARTS = 5;
const MAX_TRIES = 250;

/**
 * A port that was free may be taken by another program meanwhile; and servers of 2.10 that are started in the same moment now and then take each other for away, and stay so ("no suitable peers for
 * placement"). Then all are started anew.
 */
async function startNodes(folder: string, size: number, isStarted: (index: number) => boolean): Promise<readonly TestNode[]> {
  for (let start = 1; ; start += 1) {
    const ports = await findPorts(size * 2);
    const routes = ports.slice(size).map((port) => `nats://127.0.0.1:${port}`);
    const nodes = Array.from({ length: size }, (_, index) => makeNode(folder, `s${start}n${index}`, ports[index] ?? 0, routes, index));
    const started = nodes.filter((_, index) => isStarted(index));
    await Promise.all(started.map((node) => node.restart()));
    const isLast = start === MAX_STARTS;
    const found = await untilTogether(started, isLast ? MAX_TRIES : MAX_TRIES / MAX_STARTS).catch((error: unknown) => error);
    if (found === true) return nodes;
    await Promise.all(started.map((node) => node.kill()));
    if (isLast) throw found === false ? new Error('a server has ended') : found;
  }
}

/** Until they keep something together. False: one has ended. */
function untilTogether(nodes: readonly TestNode[], maxTries: number): Promise<boolean> {
  const act = async (): Promise<boolean> => {
    if (nodes.some(({ pid }) => !existsSync(`/proc/${pid()}/exe`))) return false;
    await ask(nodes, async ({ streams }) => {
      await streams.add({ name: 'TOGETHER', subjects: ['together'], num_replicas: nodes.length });
      await streams.delete('TOGETHER');
    });
    return true;
  };
  return insist('the servers did not find together', act, maxTries);
}

function listStreams(nodes: readonly TestNode[]): Promise<readonly StreamInfo[]> {
  return ask(nodes, ({ streams }) => streams.list().next());
}

async function ask<Result>(nodes: readonly TestNode[], act: (manager: JetStreamManager) => Promise<Result>): Promise<Result> {
  const connection = await connect({ timeout: 2000, servers: nodes.map(({ url }) => url) });
  try {
    return await act(await jetstreamManager(connection, { timeout: 1000 }));
  } finally {
    await connection.close();
  }
}

async function insist<Result>(trouble: string, act: () => Promise<Result>, maxTries = MAX_TRIES): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries > maxTries) throw new Error(trouble, { cause: error });
      await pause(200);
    }
  }
}

function makeNode(folder: string, name: string, port: number, routes: readonly string[], index: number): TestNode {
  const [config, own] = [join(folder, `${name}.conf`), routes[index] ?? ''];
  const cluster = { name: 'ralph', listen: own.slice('nats://'.length), routes: routes.filter((route) => route !== own) };
  const settings = { server_name: name, listen: `127.0.0.1:${port}`, jetstream: { store_dir: join(folder, name) }, cluster };
  writeFileSync(config, JSON.stringify(settings));
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => (child === null ? undefined : endNatsServer(child));
  return {
    name,
    url: `nats://127.0.0.1:${port}`,
    pid: () => child?.pid ?? 0,
    kill,
    restart: async () => {
      await kill();
      child = spawn(NATS_SERVER, ['-c', config], { stdio: 'ignore' });
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
