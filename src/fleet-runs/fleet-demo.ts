import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findPackageFolder } from '../config/layers/package-files.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError } from '../core/values/errors.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import type { Fleet, WorkerState } from '../ports/fleet.ts';
import type { ChildProcessHandle } from '../process/contract.ts';
import { removeTree } from '../process/remove-tree.ts';
import { startProcess } from '../process/start-process.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { createDemoFolder, type DemoFolder } from '../project/demo-files.ts';
import { type FleetNews, FleetStory, type HeldTurn, type StoryEnd } from './fleet-demo-story.ts';
import { createServerPassword, findServer, readServerPort, toServerUrl, writeServerConfig } from './fleet-server.ts';

/** The demo of a fleet, ready to be played: a server, a run and two workers, each a process of its own. */
export interface FleetDemo extends DemoFolder {
  /** Plays it to its end and ends all that it started; `null` where it was stopped. */
  readonly play: (stops: DemoStops, watch: DemoWatch) => Promise<FleetDemoEnd | null>;
}

/** Aborted where the demo is to stop. */
interface DemoStops {
  readonly stop: AbortSignal;
  /** Whoever waits for what it started has lost patience: SIGKILL. */
  readonly kill: AbortSignal;
}

/** Who follows it. */
interface DemoWatch {
  readonly tell: (news: FleetNews) => void;
  /** Gets the lines of the run, as `ralph run --format ndjson` prints them. */
  readonly raw: (line: string) => void;
}

/** How it went. */
export interface FleetDemoEnd extends StoryEnd {
  /** Of the process of the run; `null`: a signal ended it. */
  readonly exitCode: number | null;
  /** What the run said on standard error. */
  readonly errors: string;
}

/** The worker of a turn of this iteration is killed: the builder's second one, which changes files and runs tests. */
const KILLED_IN = 4;
/** One of which no change of a file was heard is killed after so long. */
const PATIENCE_MS = 2500;
const LOOK_MS = 100;
/** Longer than any answer of a server on the same machine. */
const ANSWER_MS = 1000;
const START_MS = 20_000;
const END_MS = 4000;
const WORKERS = ['w1', 'w2'];

/** So long, in seconds, a worker of the demo may say nothing: the usual 20 s would be a long wait. */
export const DEMO_LOST_AFTER_S = 2;

/**
 * Prepares the demo of a fleet. No key, no network but this machine's own.
 *
 * @throws RalphError `fleet-server-missing`; `play`: `demo-failed`, `fleet-unreachable`
 */
export async function prepareFleetDemo(given: Readonly<Record<string, string>>): Promise<FleetDemo> {
  const program = findServer(given, [], 'The demo of a fleet');
  // The sample's tests are a run of their own, also when this is started by a test runner.
  const { NODE_TEST_CONTEXT: _, RALPH_RUN_ID: __, RALPH_HAT: ___, RALPH_FLEET: ____, ...env } = given;
  const sample = await createDemoFolder(env, 'fleet');
  return {
    ...sample,
    play: async ({ stop, kill }, watch) => {
      const programs = new DemoPrograms(dirname(sample.folder), env);
      kill.addEventListener('abort', () => programs.kill());
      try {
        const end = await runDemo({ ...watch, programs, sample, program }, stop);
        return stop.aborted ? null : end;
      } catch (error) {
        if (stop.aborted) return null;
        throw error;
      } finally {
        await programs.close();
      }
    },
  };
}

/** What the demo has started, the newest last, and where. */
class DemoPrograms {
  readonly root: string;
  readonly #env: Environment;
  readonly #started: ChildProcessHandle[] = [];
  readonly #scratch: string[] = [];
  fleet: Fleet | null = null;

  constructor(root: string, env: Environment) {
    this.root = root;
    this.#env = env;
  }

  /** A folder that is removed at the end. */
  addFolder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { mode: 0o700 });
    this.#scratch.push(path);
    return path;
  }

  start(
    name: string,
    words: readonly string[],
    more: { readonly env?: Environment; readonly cwd?: string; readonly onLine?: (line: string) => void } = {},
  ): ChildProcessHandle {
    const [command = '', ...args] = words;
    const child = startProcess({
      ...{ command, args, cwd: more.cwd ?? this.root, env: { ...this.#env, ...more.env } },
      stderrPath: join(this.root, `${name}.log`),
      ...(more.onLine === undefined ? {} : { onStdoutLine: more.onLine }),
    });
    this.#started.push(child);
    return child;
  }

  kill(): void {
    for (const child of this.#started) void child.kill();
  }

  /** Ends the run first, and the server last: each says goodbye to who is still there. */
  async close(): Promise<void> {
    if (this.fleet !== null)
      await within(
        this.fleet.close().catch(() => undefined),
        undefined,
      );
    for (const child of this.#started.reverse()) await child.stop(END_MS);
    for (const folder of this.#scratch) removeTree(folder);
  }
}

interface DemoRun extends DemoWatch {
  readonly programs: DemoPrograms;
  readonly sample: DemoFolder;
  /** The server. */
  readonly program: string;
}

async function runDemo(given: DemoRun, abort: AbortSignal): Promise<FleetDemoEnd> {
  const { programs, sample, tell, raw } = given;
  const story = new FleetStory(tell, steadyMs);
  const url = await startServer(given, abort);
  const fleet = await connectFleet({ url, env: {}, name: 'ralph demo' });
  programs.fleet = fleet;
  const workers = await startWorkers(given, fleet, url, abort);
  const run = programs.start(
    'run',
    [...toRalph(), 'run', '--nested', '--no-tui', '--format', 'ndjson', '--fleet', '-c', 'event_loop.retry.base_seconds=1'],
    {
      cwd: sample.folder,
      // In no list of processes: whoever may offer turns runs commands here.
      env: { RALPH_FLEET: url, RALPH_FLEET_LOST_AFTER: String(DEMO_LOST_AFTER_S) },
      onLine: (line) => {
        raw(line);
        story.takeLine(line, run.pid ?? 0);
      },
    },
  );
  const stop = (): void => void run.stop(END_MS);
  abort.addEventListener('abort', stop);
  if (abort.aborted) stop();
  const over = new AbortController();
  const watching = killOne({ fleet, workers, story }, over.signal);
  const { exitCode, stderrTail: errors } = await run.result;
  over.abort();
  await watching;
  return { ...story.end(), exitCode, errors };
}

/** The words that start this Ralph. */
function toRalph(): readonly string[] {
  return [process.execPath, join(findPackageFolder(), 'bin', 'ralph.js')];
}

/** Starts the server on a free port of loopback. */
async function startServer({ programs, program, tell }: DemoRun, abort: AbortSignal): Promise<string> {
  const folder = programs.addFolder('server');
  const password = createServerPassword();
  const config = writeServerConfig({ folder, password, port: -1, syncsAlways: false });
  const server = programs.start('server', [program, '-c', config]);
  const port = await waitFor(programs, { child: server, name: 'server', what: 'nats-server', abort }, async () => readServerPort(folder));
  tell({ kind: 'server-started', program, port: String(port) });
  return toServerUrl(password, port);
}

/** Starts the workers, each with a folder of its own, and waits until the fleet knows them. */
async function startWorkers(
  { programs, tell }: DemoRun,
  fleet: Fleet,
  url: string,
  abort: AbortSignal,
): Promise<Map<string, ChildProcessHandle>> {
  const workers = new Map<string, ChildProcessHandle>();
  for (const name of WORKERS) {
    const words = [...toRalph(), 'worker', '--name', name, '--home', programs.addFolder(name), '--labels', 'native'];
    workers.set(name, programs.start(name, words, { env: { RALPH_FLEET: url } }));
  }
  for (const [name, child] of workers) {
    await waitFor(
      programs,
      { child, name, what: `The worker ${name}`, abort },
      async () => (await listWorkers(fleet)).some(({ id }) => id === name) || undefined,
    );
    tell({ kind: 'worker-came', worker: name, pid: child.pid ?? 0 });
  }
  return workers;
}

interface Awaited {
  readonly child: ChildProcessHandle;
  /** Of its log. */
  readonly name: string;
  readonly what: string;
  readonly abort: AbortSignal;
}

/** Asks again and again; whoever ends or takes too long instead is told of with its last words. */
async function waitFor<Found>(
  programs: DemoPrograms,
  { child, name, what, abort }: Awaited,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const from = steadyMs();
  let hasEnded = false;
  void child.result.then(() => (hasEnded = true));
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    abort.throwIfAborted();
    if (hasEnded || steadyMs() - from > START_MS) break;
    await pause(LOOK_MS);
  }
  const log = join(programs.root, `${name}.log`);
  const words = existsSync(log) ? readFileSync(log, 'utf8').trim().slice(-2000) : '';
  throw new RalphError({
    code: 'demo-failed',
    what: `${what} ${hasEnded ? 'ended at once' : `did not say within ${START_MS / 1000} s that it is there`}.`,
    ...(words === '' ? {} : { why: `It said last:\n${words}` }),
  });
}

interface Fates {
  readonly fleet: Fleet;
  readonly workers: ReadonlyMap<string, ChildProcessHandle>;
  readonly story: FleetStory;
}

/** Follows who works on what, and kills the worker that has the turn that is meant, with all that it started: as where a machine loses its power. */
async function killOne({ fleet, workers, story }: Fates, over: AbortSignal): Promise<void> {
  let isKilled = false;
  while (!over.aborted) {
    const busy = await listBusy(fleet);
    for (const { name, worker } of busy) story.see(name, worker);
    const held = story.held();
    if (
      !isKilled &&
      held !== null &&
      isMeant(held) &&
      busy.some(({ name, worker }) => name === toTurnName(held) && worker === held.worker)
    ) {
      isKilled = true;
      const victim = workers.get(held.worker);
      void victim?.kill();
      story.kill(held, victim?.pid ?? 0);
    }
    await pause(LOOK_MS);
  }
}

function isMeant({ iteration, changed, heldAt }: HeldTurn): boolean {
  return iteration >= KILLED_IN && (changed !== null || steadyMs() - heldAt > PATIENCE_MS);
}

async function listBusy(fleet: Fleet): Promise<readonly { readonly name: string; readonly worker: string }[]> {
  const workers = await listWorkers(fleet);
  return workers.flatMap(({ id: worker, busy }) => busy.map(({ name }) => ({ name, worker })));
}

/** A list that does not come, because the server is busy or gone, is asked for anew: whoever follows the demo must not wait for it. */
function listWorkers({ workers }: Fleet): Promise<readonly WorkerState[]> {
  return within(
    workers.list().catch(() => []),
    [],
  );
}

/** What comes in time, else what stands for it. */
function within<Value>(coming: Promise<Value>, otherwise: Value): Promise<Value> {
  return Promise.race([coming, pause(ANSWER_MS, otherwise, { ref: false })]);
}
