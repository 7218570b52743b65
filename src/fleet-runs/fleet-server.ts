import { createHash, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { connectFleet } from '../fleet/connect-fleet.ts';
import { acquireLock, type Lock } from '../journal/lock.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import type { ChildProcessHandle } from '../process/contract.ts';
import { endProcesses, findByMarker } from '../process/end-processes.ts';
import { isProgram } from '../process/isolation.ts';
import { isAlive, processStartTime, readPidNamespace } from '../process/process-table.ts';
import { runToEnd, startProcess } from '../process/start-process.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { withoutToken } from '../runs/people.ts';

/** Where systems put servers, which is not on everybody's PATH. */
const SERVER_FOLDERS: readonly string[] = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

/**
 * The program of the server: on the PATH, in the `sbin` beside its folders, or in `more`.
 *
 * @param wanted what needs it, for the error
 * @throws RalphError `fleet-server-missing`
 */
export function findServer({ PATH = '' }: Environment, more: readonly string[], wanted: string): string {
  const folders = PATH.split(delimiter).filter(isAbsolute);
  const beside = folders.filter((folder) => folder.endsWith('/bin')).map((folder) => join(folder, '..', 'sbin'));
  const found = [...folders, ...beside, ...more].map((folder) => join(folder, 'nats-server')).find(isProgram);
  if (found !== undefined) return found;
  throw new RalphError({
    code: 'fleet-server-missing',
    what: `${wanted} needs nats-server, and there is none ${more.length === 0 ? 'on the PATH' : `on the PATH or in ${more.join(', ')}`}.`,
    why: 'Runs and workers of a fleet meet at that server; Ralph brings only its client along.',
    fix: 'Debian, Ubuntu: apt-get install nats-server\nmacOS: brew install nats-server\nElsewhere: https://github.com/nats-io/nats-server/releases',
  });
}

/** A server that is to listen on loopback. */
export interface ServerSettings {
  /** A folder of its own; absolute. */
  readonly folder: string;
  readonly password: string;
  /** -1: any that is free. */
  readonly port: number;
  /** Each message is on the disk before it counts as kept: only for a server that knows it, see {@link canSyncAlways}. */
  readonly syncsAlways: boolean;
}

const PORTS = '.ports';
const USER = 'ralph';

/**
 * Writes the configuration of a server. With a password also on loopback: whoever may offer turns runs commands here.
 *
 * @returns the file
 */
export function writeServerConfig({ folder, password, port, syncsAlways }: ServerSettings): string {
  // What an earlier one wrote that was killed says another port.
  for (const name of readdirSync(folder)) if (name.endsWith(PORTS)) rmSync(join(folder, name), { force: true });
  const store = join(folder, 'store');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const settings = {
    ...{ host: '127.0.0.1', port, ports_file_dir: folder },
    jetstream: { store_dir: store, ...(syncsAlways ? { sync_interval: 'always' } : {}) },
    authorization: { user: USER, password },
  };
  const config = join(folder, 'server.conf');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  return config;
}

/** Where it listens: it writes that down once it does. */
export function readServerPort(folder: string): number | undefined {
  const file = readdirSync(folder).find((name) => name.endsWith(PORTS));
  const port = /:(\d+)"/.exec(file === undefined ? '' : readFileSync(join(folder, file), 'utf8'))?.[1];
  return port === undefined ? undefined : Number(port);
}

export function toServerUrl(password: string, port: number): string {
  return `nats://${USER}:${password}@127.0.0.1:${port}`;
}

export function createServerPassword(): string {
  return randomBytes(16).toString('hex');
}

/** Whether a server of that version can write each message through to the disk; older ones do so every two minutes. */
export function canSyncAlways(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

/** A server for a person's fleet. */
export interface ServerOrder {
  /** A folder of its own; absolute. What it keeps there outlives it. */
  readonly home: string;
  readonly env: Environment;
  /** Ends the waiting for its start. */
  readonly abort: AbortSignal;
}

/** A server that was just started, or that another process has started. */
export type FleetServer =
  | { readonly kind: 'running'; readonly url: string | null; readonly pid: number | null; readonly home: string }
  | {
      readonly kind: 'started';
      readonly url: string;
      readonly pid: number;
      readonly home: string;
      readonly program: string;
      readonly version: string;
      readonly syncsAlways: boolean;
      /** Resolves with its last words when it has ended. */
      readonly ended: Promise<string>;
      /** Ends it, and waits until it has written everything down; `kill` aborted: does not wait. */
      readonly close: (kill: AbortSignal) => Promise<void>;
    };

const START_MS = 20_000;
const END_MS = 10_000;
const LOOK_MS = 50;
const MAX_LOG_BYTES = 16 << 20;

/**
 * Starts a server on this machine, with the login and, where that is free, the port that it had before, so that addresses and what is kept stay good. What a killed one left running is ended.
 *
 * @throws RalphError `fleet-server-missing`, `fleet-server-home`, `fleet-server-failed`; the system error
 */
export async function startFleetServer({ home: wanted, env, abort }: ServerOrder): Promise<FleetServer> {
  const program = findServer(env, SERVER_FOLDERS, 'ralph fleet up');
  const home = makeHome(wanted);
  const known = readLogin(home);
  if (known === null && readdirSync(home).some((name) => !OWN_FILES.test(name)))
    throw toUnfit(`The folder ${home} is not empty, and holds no server of ralph fleet up.`);
  const lock = lockHome(home);
  if (!lock.ok) return { kind: 'running', url: known === null ? null : toServerUrl(known.password, known.port), pid: lock.refused, home };
  try {
    const marker = `fleet-server-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
    await endProcesses(() => findByMarker(marker));
    const version = await readVersion(program, home);
    const syncsAlways = canSyncAlways(version);
    const login = known ?? { password: createServerPassword(), port: -1 };
    const launch = { program, env: withoutToken(env), folder: home, marker, syncsAlways, abort };
    const { child, port } = (await launchServer({ ...launch, ...login })) ?? (await launchServer({ ...launch, ...login, port: -1 })) ?? {};
    if (child === undefined || port === undefined) throw toFailed('nats-server did not start.', readLog(home));
    writeFileSync(join(home, LOGIN), `${JSON.stringify({ ...login, port })}\n`, { mode: 0o600 });
    const url = toServerUrl(login.password, port);
    const close = async (kill: AbortSignal): Promise<void> => {
      kill.addEventListener('abort', () => void child.kill());
      await (kill.aborted ? child.kill() : child.stop(END_MS));
      lock.value.release();
    };
    try {
      await (await connectFleet({ url, env: {}, name: 'ralph fleet up' })).close();
    } catch (error) {
      await child.stop(END_MS);
      throw error;
    }
    const ended = child.result.then(() => readLog(home));
    return { kind: 'started', url, pid: child.pid ?? 0, home, program, version, syncsAlways, ended, close };
  } catch (error) {
    lock.value.release();
    throw error;
  }
}

const LOGIN = 'login.json';
/** What is there before the first login is. */
const OWN_FILES = /^(?:lock(?:\..+)?|server\.log)$/;

function makeHome(wanted: string): string {
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
    accessSync(wanted, constants.W_OK);
    return realpathSync(wanted);
  } catch (error) {
    throw toUnfit(`The folder ${wanted} cannot be used: ${toErrorMessage(error)}.`, error);
  }
}

interface Login {
  readonly password: string;
  readonly port: number;
}

function readLogin(home: string): Login | null {
  const path = join(home, LOGIN);
  const value = existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : null;
  if (!isJsonObject(value)) return null;
  const { password, port } = value;
  return typeof password === 'string' && /^[0-9a-f]{32}$/.test(password) && typeof port === 'number' && port > 0 && port < 65_536
    ? { password, port }
    : null;
}

function toUnfit(what: string, cause?: unknown): RalphError {
  return new RalphError({ code: 'fleet-server-home', what, fix: 'Name another one: --home <folder>', cause });
}

/** The lock, or the process that has it. */
function lockHome(home: string): { readonly ok: true; readonly value: Lock } | { readonly ok: false; readonly refused: number | null } {
  const outcome = acquireLock({
    fs: nodeFileSystem,
    path: join(home, 'lock'),
    owner: {
      ...{ pid: process.pid, processStart: processStartTime(process.pid) ?? null, host: hostname(), pidNamespace: readPidNamespace() },
      ...{ runId: 'fleet-server', startedAt: Date.now(), command: 'ralph fleet up' },
    },
    isAlive: (pid, start) => (start === null ? processStartTime(pid) !== undefined : isAlive({ pid, startTime: start })),
    now: () => Date.now(),
  });
  return outcome.ok ? outcome : { ok: false, refused: outcome.refused.owner?.pid ?? null };
}

async function readVersion(program: string, cwd: string): Promise<string> {
  const { stdout, stderr } = await runToEnd({ command: program, args: ['--version'], cwd, env: {}, timeoutMs: 10_000 });
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version !== undefined) return version;
  throw toFailed(`${program} does not say its version.`, (stdout + stderr).trim().slice(-500));
}

interface Launch extends ServerSettings {
  readonly program: string;
  readonly env: Environment;
  readonly marker: string;
  readonly abort: AbortSignal;
}

/** `null`: the port is not free any more. */
async function launchServer(launch: Launch): Promise<{ readonly child: ChildProcessHandle; readonly port: number } | null> {
  const { program, env, folder, marker, abort } = launch;
  const config = writeServerConfig(launch);
  rmSync(join(folder, LOG), { force: true });
  const stderrPath = join(folder, LOG);
  const child = startProcess({ command: program, args: ['-c', config], cwd: folder, env, marker, stderrPath, maxLogBytes: MAX_LOG_BYTES });
  let hasEnded = false;
  void child.result.then(() => (hasEnded = true));
  const from = steadyMs();
  while (!hasEnded && !abort.aborted && steadyMs() - from < START_MS) {
    const port = readServerPort(folder);
    if (port !== undefined) return { child, port };
    await pause(LOOK_MS, undefined, { signal: abort }).catch(() => undefined);
  }
  await child.stop(END_MS);
  abort.throwIfAborted();
  const words = readLog(folder);
  if (launch.port !== -1 && words.includes('address already in use')) return null;
  throw toFailed(hasEnded ? 'nats-server ended at once.' : `nats-server did not say within ${START_MS / 1000} s that it is there.`, words);
}

const LOG = 'server.log';

function readLog(home: string): string {
  const path = join(home, LOG);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().slice(-1500) : '';
}

function toFailed(what: string, words: string): RalphError {
  return new RalphError({ code: 'fleet-server-failed', what, ...(words === '' ? {} : { why: `It said last:\n${words}` }) });
}
