/** What goes wrong around a run of a fleet, at random. */
import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import type { TestCluster, TestServer } from './nats.ts';
import type { TestProxy } from './proxy.ts';
import type { Worker } from './scene.ts';

/** Those who take part in a run, and what there is between them. */
export interface Fray {
  readonly run: string;
  /** The process that a person started. */
  readonly ownPid: number;
  readonly workers: Worker[];
  readonly startWorker: (index: number) => Promise<Worker>;
  readonly server: TestServer | null;
  readonly cluster: TestCluster | null;
  /** Between the server and the run’s own process, and each worker. Empty in a cluster: its clients go to whichever server they like. */
  readonly proxies: readonly TestProxy[];
  /** A whole number below that one. */
  readonly upTo: (most: number) => number;
}

/** Does it, and mends it. What is told of it. */
type Blow = (fray: Fray) => Promise<string>;

/** Processes that have this run in hand: the one that a person started, or that of a worker. */
function listOwners({ run, ownPid }: Fray): readonly number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args=']).toString().split('\n');
  const resumed = lines.filter((line) => line.includes(`resume ${run}`)).map((line) => Number.parseInt(line, 10));
  return [ownPid, ...resumed].filter(isThere);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  if (pid > 0 && isThere(pid)) process.kill(pid, name);
}

async function freeze(pid: number, forMs: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  await pause(forMs);
  signal(pid, 'SIGCONT');
}

const PROCESSES: readonly Blow[] = [
  async ({ workers, startWorker, upTo }) => {
    const index = upTo(2);
    signal(workers[index]?.pid ?? 0, 'SIGKILL');
    await pause(upTo(1500));
    workers[index] = await startWorker(index);
    return `kill worker ${index}`;
  },
  async ({ workers, upTo }) => {
    const [index, forMs] = [upTo(2), 500 + upTo(5000)];
    await freeze(workers[index]?.pid ?? 0, forMs);
    return `freeze worker ${index} for ${forMs}`;
  },
  async (fray) => {
    signal(listOwners(fray).at(-1) ?? 0, 'SIGKILL');
    return 'kill owner';
  },
  async (fray) => {
    const forMs = 500 + fray.upTo(5000);
    await freeze(listOwners(fray).at(-1) ?? 0, forMs);
    return `freeze owner for ${forMs}`;
  },
  async ({ server, upTo }) => {
    const forMs = upTo(2000);
    await server?.kill();
    await pause(forMs);
    await server?.restart();
    return `kill server for ${forMs}`;
  },
];

const NETWORK: readonly Blow[] = [
  (fray) => disturb(fray, 'cut', (proxy) => proxy.cut()),
  (fray) => disturb(fray, 'hold', (proxy) => proxy.hold()),
  (fray) => disturb(fray, 'lose', (proxy) => proxy.lose()),
  (fray) => disturb(fray, 'delay', (proxy) => proxy.delay(20 + fray.upTo(400))),
];

async function disturb({ proxies, upTo }: Fray, name: string, act: (proxy: TestProxy) => void): Promise<string> {
  const chosen = upTo(proxies.length + 1);
  const struck = proxies.filter((_, index) => chosen === proxies.length || index === chosen);
  const forMs = 300 + upTo(6000);
  for (const proxy of struck) act(proxy);
  await pause(forMs);
  for (const proxy of struck) proxy.restore();
  return `${name} ${chosen === proxies.length ? 'all' : ['owner', 'worker 0', 'worker 1'][chosen]} for ${forMs}`;
}

const MESSAGES: readonly Blow[] = [
  // As they were sent, later: what somebody sends again who heard no answer.
  (fray) => repeat(fray, true, ['$KV.ralph_work.>', '$KV.ralph_runs.*', 'ralph.report.>', 'ralph.run.*'], () => fray.upTo(1500)),
  // By somebody who knows neither their names nor what they stand behind.
  (fray) => repeat(fray, false, ['$KV.ralph_work.offer.>', 'ralph.report.>'], () => 0),
];

/** Everything that is sent on these subjects for a while is sent once more. */
async function repeat(
  { server, cluster, upTo }: Fray,
  isExact: boolean,
  subjects: readonly string[],
  toWait: () => number,
): Promise<string> {
  const forMs = 1000 + upTo(3000);
  // A server that was started again a moment ago may not answer yet.
  const plain = await connect({ servers: (cluster ?? server)?.url.slice('nats://'.length).split(',') ?? [], waitOnFirstConnect: true });
  const repeated = new Set<string>();
  const waiting: Promise<void>[] = [];
  const again = async (subject: string, data: Uint8Array, headers: Parameters<typeof plain.publish>[2]): Promise<void> => {
    await pause(toWait());
    if (!plain.isClosed()) plain.publish(subject, data, headers);
  };
  for (const subject of subjects)
    plain.subscribe(subject, {
      callback: (error, { subject: on, data, headers }) => {
        const text = `${on} ${headers?.toString() ?? ''} ${new TextDecoder().decode(data)}`;
        // What is repeated comes here as well; and what deletes an order says nothing.
        if (error !== null || repeated.has(text) || (!isExact && data.length === 0)) return;
        repeated.add(text);
        waiting.push(again(on, data, isExact && headers !== undefined ? { headers } : undefined));
      },
    });
  await pause(forMs);
  await Promise.all(waiting);
  await plain.close();
  return `repeat ${repeated.size} messages ${isExact ? 'as they were' : 'without their headers'}`;
}

const CLUSTER: readonly Blow[] = [
  async ({ cluster, upTo }) => {
    const leader = await findLeader(cluster, upTo);
    const forMs = upTo(4000);
    await leader?.kill();
    await pause(forMs);
    await leader?.restart();
    await cluster?.settled();
    return `kill ${leader?.name} for ${forMs}`;
  },
  async ({ cluster, upTo }) => {
    const leader = await findLeader(cluster, upTo);
    const forMs = 500 + upTo(6000);
    await freeze(leader?.pid() ?? 0, forMs);
    await cluster?.settled();
    return `freeze ${leader?.name} for ${forMs}`;
  },
];

async function findLeader(cluster: TestCluster | null, upTo: Fray['upTo']) {
  const kept = await cluster?.listKept();
  return kept?.[upTo(kept.length)]?.leader ?? cluster?.nodes[upTo(3)];
}

/** By name, for whoever wants some of them alone. */
const ALONE: Readonly<Record<string, readonly Blow[]>> = { processes: PROCESSES, network: NETWORK, messages: MESSAGES };
const IN_CLUSTER: Readonly<Record<string, readonly Blow[]>> = { processes: PROCESSES.slice(0, -1), messages: MESSAGES, cluster: CLUSTER };

/** One of the kinds that are wanted, and one of that kind. */
export function chooseBlow({ cluster, upTo }: Fray, wanted: readonly string[]): Blow {
  const kinds = Object.entries(cluster === null ? ALONE : IN_CLUSTER).filter(([kind]) => wanted.length === 0 || wanted.includes(kind));
  const blows = kinds[upTo(kinds.length)]?.[1] ?? [];
  const blow = blows[upTo(blows.length)];
  if (blow === undefined) throw new Error(`no blow is of these kinds: ${wanted.join(', ')}`);
  return blow;
}

const MINUTE_MS = 60_000;

/** Surroundings in which the clock is off by so much, and from the fourth second on by so much else. */
export function toSkewed(byMs: number, thenMs = byMs): Record<string, string> {
  return {
    NODE_OPTIONS: `--import ${fileURLToPath(new URL('skewed-clock.mjs', import.meta.url))}`,
    RALPH_TEST_CLOCK: `${byMs},${thenMs}`,
  };
}

/** A clock that is up to an hour off, and jumps. */
export function toClock(upTo: Fray['upTo']): Record<string, string> {
  const toOff = (): number => (upTo(121) - 60) * MINUTE_MS;
  return toSkewed(toOff(), toOff());
}
