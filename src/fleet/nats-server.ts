import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { ObjectStore } from '@nats-io/obj';
import type { NatsConnection, NodeConnectionOptions, Server, TlsOptions } from '@nats-io/transport-node';
import { isRalphError, RalphError, type RalphErrorFacts, toErrorCode, toErrorMessage } from '../core/values/errors.ts';
import { listServers } from '../core/values/fleet-address.ts';
import { WORKER_GONE_MS } from '../ports/fleet.ts';
import { connectOrEnd } from './connect-or-end.ts';
import { isSubjectPart } from './fleet-names.ts';
import { mustEncrypt, type NatsPlace, readLogin, toShownUrl } from './nats-place.ts';

/** A server with all that a fleet keeps there. */
export interface NatsServer {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly work: KV;
  readonly workers: KV;
  readonly runs: KV;
  readonly blobs: ObjectStore;
  /** When what a fleet keeps there was made, in the server's words: of what was made anew it is another time. Asked of a server that may be away; `null`: it keeps nothing of a fleet. */
  readonly askMade: () => Promise<string | null>;
  readonly madeAt: string;
}

export const REPORTS = 'RALPH_REPORTS';
export const RUNS = 'RALPH_RUNS';
export const WORDS = 'RALPH_WORDS';
export const WORK = 'ralph_work';
export const WORKERS = 'ralph_workers';
export const LEASES = 'ralph_runs';
const BLOBS = 'ralph_blobs';
/** Files of runs are forgotten after so long: 30 days. In nanoseconds. */
const KEPT_NS = 30 * 24 * 3600 * 1e9;
const CONNECT_MS = 5000;
const PING_MS = 3000;
const AGAIN_MS = 500;
/** What was asked while the server went away is asked again after it. */
const ANSWER_MS = 2000;
/** The same of what takes no time to answer. */
const SOON_MS = 1000;
/** A report that is written again within it is the same one. In nanoseconds. */
const SAME_WITHIN_NS = 10 * 60 * 1e9;

/**
 * Connects, and makes what is not there yet. What the oldest server in use (2.9) does not know is not asked for.
 *
 * @throws RalphError `fleet-unreachable`
 */
export async function openNatsServer(place: NatsPlace): Promise<NatsServer> {
  try {
    return await open(place);
  } catch (error) {
    throw toUnreachable(place, error);
  }
}

/** What a person can do about a server that cannot be used. */
export function toUnreachable({ url }: NatsPlace, error: unknown): RalphError {
  if (isRalphError(error)) return error;
  const [message, shown] = [toErrorMessage(error), toShownUrl(url)];
  const toError = ({ what, ...more }: Pick<RalphErrorFacts, 'what' | 'why' | 'fix'>): RalphError =>
    new RalphError({ code: 'fleet-unreachable', what, ...more, cause: error });
  if (/authorization|authentication/i.test(message)) {
    return toError({
      what: `The fleet at ${shown} does not let you in: ${message}.`,
      fix: 'Look at the name and the password in the address: nats://NAME:PASSWORD@host:4222 (a / in a password is written %2F)',
    });
  }
  if (FORBIDDEN.test(message)) {
    return toError({
      what: `The account with which you ask the fleet at ${shown} lacks a right: ${message}.`,
      fix: 'What each account needs: docs/guide/fleet.md. What a fleet keeps there is made by the first account that may: ralph fleet',
    });
  }
  if (message === NO_TLS) {
    return toError({
      what: `The server at ${shown} offers no TLS: nothing was sent to it.`,
      why: 'The address says tls://. Without it anyone listening on the network can read passwords, prompts and files, and answer in the server’s place.',
      fix: 'Give the server a certificate (docs/guide/fleet.md), or write nats:// on a network that is your own',
    });
  }
  if (CERTIFICATE_CODES.test(toErrorCode(error))) {
    return toError({
      what: `The certificate of the server at ${shown} is not to be trusted: ${message.replace(/[.:\s]+$/, '')}.`,
      fix: 'Where an authority of your own made it: export NODE_EXTRA_CA_CERTS=/path/of/ca.pem\nWhere it is made for another name, write that name in the address',
    });
  }
  const [, unknown] = UNKNOWN_HOST.exec(message) ?? [];
  if (unknown !== undefined) {
    return toError({
      what: `No machine is known by the name ${unknown}, so nobody was asked for the fleet at ${shown}.`,
      fix: 'Look at the host in the address; its numbers will do as well: nats://10.0.0.5:4222\nWhere the name is right, this machine may have no network, or no server of names',
    });
  }
  return toError({
    what: `There is no fleet at ${shown}: ${message}.`,
    why: 'Turns, reports and files of a fleet go through that server; it needs JetStream.',
    fix: 'Start one on this machine: ralph fleet up\nThe guide: docs/guide/fleet.md',
  });
}

/** The system's words for a name of which it finds no address. */
const UNKNOWN_HOST = /^getaddrinfo (?:ENOTFOUND|EAI_[A-Z]+) (\S+)$/;
/** The client's words. */
const NO_TLS = "server does not support 'tls'";
const CERTIFICATE_CODES = /CERT|UNABLE_TO_VERIFY|ERR_TLS/;

/** Connects, and asks for nothing. Throws what the client throws, and RalphError `fleet-login`. */
export async function dial(place: NatsPlace): Promise<NatsConnection> {
  const { connect, credsAuthenticator } = await import('@nats-io/transport-node').then(toNames);
  const { url, name, signal } = place;
  const login = readLogin(place);
  const user = login.kind === 'password' && isSubjectPart(login.user) ? login.user : null;
  const options: NodeConnectionOptions = {
    servers: listServers(toShownUrl(url)).slice(),
    name,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    // The client counts its pauses by a clock that can be put back, and would then stay away: there are none but those of `toNext`.
    reconnectDelayHandler: () => Number.NEGATIVE_INFINITY,
    reconnectToServer: toNext,
    // A connection over which nothing comes any more, and which nobody has closed, is given up after three of these.
    pingInterval: PING_MS,
    maxPingOut: 2,
    // With it the client sends nothing, no login either, to a server that offers no TLS.
    ...(mustEncrypt(url) ? { tls: toTlsOptions(url) } : {}),
    // Answers to one user are then not for the eyes of others, where the server has permissions that say so.
    ...(user === null ? {} : { inboxPrefix: `_INBOX_${user}` }),
    ...(login.kind === 'password' ? { user: login.user, pass: login.pass } : {}),
    ...(login.kind === 'credentials' ? { authenticator: credsAuthenticator(login.bytes) } : {}),
  };
  return connectOrEnd(() => connect(options), signal);
}

/** The server that the client would choose: at once where it was not tried before, else after a pause. */
function toNext([server]: readonly Server[]): { server: Server; delay: number } | null {
  return server === undefined ? null : { server, delay: server.lastConnect === 0 ? 0 : AGAIN_MS * (0.5 + Math.random() / 2) };
}

/** The client passes on what it does not know. Of an address in numbers it does not say whose certificate is expected, and Node.js then expects one of `localhost`. */
function toTlsOptions(url: string): TlsOptions {
  const host = new URL(listServers(url)[0]).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? {} : ({ host } as TlsOptions);
}

/** Throws where the server, or the account, has no JetStream. */
export async function askJetStream(connection: NatsConnection): Promise<void> {
  const { jetstreamManager } = await import('@nats-io/jetstream').then(toNames);
  await jetstreamManager(connection, { timeout: CONNECT_MS });
}

async function open(place: NatsPlace): Promise<NatsServer> {
  const [{ jetstream, jetstreamManager, RetentionPolicy, StorageType }, { Kvm }, { Objm }] = await Promise.all([
    import('@nats-io/jetstream').then(toNames),
    import('@nats-io/kv').then(toNames),
    import('@nats-io/obj').then(toNames),
  ]);
  const connection = await dial(place);
  const close = (): void => void connection.close();
  place.signal?.addEventListener('abort', close);
  const isCluster = connection.info?.cluster !== undefined;
  // Servers that choose a leader are asked again; one by itself without JetStream is told of at once.
  const ask = <Result>(act: () => Promise<Result>): Promise<Result> => insist(act, isCluster ? PATIENCE_MS : 0);
  const openOne = <Place>(make: (copies: number) => Promise<Place>, find: () => Promise<Place>): Promise<Place> =>
    ask(() => makeOrFind(isCluster ? [COPIES, 1] : [1], make, find));
  try {
    place.signal?.throwIfAborted();
    const manager = await ask(() => jetstreamManager(connection, { timeout: CONNECT_MS }));
    const kept = { storage: StorageType.File, retention: RetentionPolicy.Limits, duplicate_window: SAME_WITHIN_NS, allow_direct: true };
    const openStream = (name: string, how: { readonly subjects: string[]; readonly max_age?: number }) =>
      openOne(
        (copies) => manager.streams.add({ ...kept, ...how, name, num_replicas: copies }),
        () => manager.streams.info(name),
      );
    const { created } = await openStream(REPORTS, { subjects: ['ralph.report.>'] });
    await openStream(RUNS, { subjects: ['ralph.run.*'], max_age: KEPT_NS });
    // Where only an older version has been, an account that may make nothing finds none: it can do the rest.
    await openStream(WORDS, { subjects: ['ralph.word.*.*'], max_age: KEPT_NS }).catch(() => undefined);
    const stream = jetstream(connection, { timeout: ANSWER_MS });
    const [stores, files] = [new Kvm(stream), new Objm(stream)];
    const storage = StorageType.File;
    // In a cluster any server that has a copy would answer, a late one with what was true before: there the leader is asked.
    const readBy = isCluster ? { allow_direct: false } : {};
    const openBucket = (name: string, how: Parameters<typeof stores.create>[1]) =>
      openOne(
        (replicas) => stores.create(name, { history: 1, replicas, ...readBy, ...how }),
        () => stores.open(name),
      );
    const [work, workers, runs, blobs] = await Promise.all([
      openBucket(WORK, { storage }),
      openBucket(WORKERS, { storage, ttl: WORKER_GONE_MS }),
      openBucket(LEASES, { storage, ttl: KEPT_NS / 1e6 }),
      openOne(
        (replicas) => files.create(BLOBS, { storage, ttl: KEPT_NS, replicas }),
        () => files.open(BLOBS),
      ),
    ]);
    const askMade = createMadeQuestion(await jetstreamManager(connection, { timeout: SOON_MS, checkAPI: false }));
    return { connection, manager, stream, work, workers, runs, blobs, askMade, madeAt: String(created) };
  } catch (error) {
    await connection.close();
    throw error;
  } finally {
    place.signal?.removeEventListener('abort', close);
  }
}

/** In a cluster each thing is kept by so many servers. */
const COPIES = 3;
/** The server's words for a cluster with too few servers that are up. */
const TOO_FEW: readonly (number | null)[] = [10005, 10023, 10074];
/** The server's word for what is there, made otherwise: by a person, or with another number of copies. */
const MADE_OTHERWISE = 10058;
/** The server's word where another stream has these subjects: also the very same one, which somebody else makes in this moment. */
const OVERLAPPING = 10065;

/** An account that may make nothing can use what is there. `copies`: what is tried, one after the other. */
async function makeOrFind<Place>(
  [copies = 1, ...fewer]: readonly number[],
  make: (copies: number) => Promise<Place>,
  find: () => Promise<Place>,
): Promise<Place> {
  try {
    return await make(copies);
  } catch (error) {
    if (FORBIDDEN.test(toErrorMessage(error)) || readApiCode(error) === MADE_OTHERWISE) return find();
    if (readApiCode(error) === OVERLAPPING) return findSoon(find, error);
    if (fewer.length > 0 && TOO_FEW.includes(readApiCode(error))) return makeOrFind(fewer, make, find);
    throw error;
  }
}

/** Where it does not come, the subjects are another stream's: what was said first tells more than that there is none. */
async function findSoon<Place>(find: () => Promise<Place>, said: unknown): Promise<Place> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await find();
    } catch {
      if (tries === FIND_TRIES) throw said;
      await pause(FIRST_PAUSE_MS);
    }
  }
}

const FIND_TRIES = 20;
const FORBIDDEN = /permissions violation/i;

/** What a module exports: a bundle of it has that in its default, and there once more. */
function toNames<Module extends object>(module: Module): Module {
  const inner = 'default' in module ? module.default : null;
  return typeof inner === 'object' && inner !== null ? toNames(inner as Module) : module;
}

export const toUtf8Text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
export const toJsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** What is asked of a server that is just gone, or chooses a leader, is asked again for so long. */
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2000;

/**
 * Does something again while the server cannot be asked, with longer and longer pauses. A refusal is no failure of that kind: it is thrown at once.
 *
 * @throws what the last try threw
 */
export async function insist<Result>(act: () => Promise<Result>, patienceMs = PATIENCE_MS): Promise<Result> {
  const startedAt = performance.now();
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      return await act();
    } catch (error) {
      if (isRefusal(error) || performance.now() - startedAt > patienceMs) throw error;
      // Whoever waits for the same server is not to ask at the same moment.
      await pause(wait * (0.5 + Math.random() / 2));
    }
  }
}

/** The server's word where it keeps no such stream. */
const NO_STREAM = 10059;

/** Whether a server refused something because it keeps no such stream. */
export function isNoStream(error: unknown): boolean {
  return readApiCode(error) === NO_STREAM;
}

/** As `askMade` of a server. What was asked while it went away is asked again soon. */
function createMadeQuestion(manager: JetStreamManager): NatsServer['askMade'] {
  return async () => {
    try {
      return String((await insist(() => manager.streams.info(REPORTS))).created);
    } catch (error) {
      if (isNoStream(error)) return null;
      throw error;
    }
  };
}

/** The server's word for a change of something that had changed. */
const WRONG_LAST = 10071;

/**
 * The keys of a bucket. Its own list waits for a message per key, for ever where one runs out meanwhile; the server knows them without.
 *
 * @throws what the server says
 */
export async function listBucketKeys({ manager }: Pick<NatsServer, 'manager'>, bucket: string): Promise<readonly string[]> {
  const prefix = `$KV.${bucket}.`;
  const subjects = await listSubjects(manager, `KV_${bucket}`, `${prefix}>`);
  return subjects.map((subject) => subject.slice(prefix.length)).sort();
}

/**
 * What the clock of a server says, which it tells with a bucket from 2.10 on; `null` where it does not.
 *
 * @throws what the server says
 */
export async function askServerTime({ manager }: Pick<NatsServer, 'manager'>, bucket: string): Promise<number | null> {
  const { ts } = (await insist(() => manager.streams.info(`KV_${bucket}`))) as { readonly ts?: unknown };
  const at = typeof ts === 'string' ? Date.parse(ts) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The subjects of a stream on which something stands. Throws what the server says. */
export async function listSubjects(manager: JetStreamManager, stream: string, filter: string): Promise<readonly string[]> {
  const { state } = await insist(() => manager.streams.info(stream, { subjects_filter: filter }));
  return Object.keys(state.subjects ?? {});
}

/** Whether the server does not let this account do that. */
export function isForbidden(error: unknown): boolean {
  const { name, cause } = (error ?? {}) as { readonly name?: unknown; readonly cause?: unknown };
  return name === 'PermissionViolationError' || (cause !== undefined && isForbidden(cause));
}

/** @param subjects on which an account that steers may publish */
export function toForbidden(run: string, subjects: string, cause: unknown): RalphError {
  return new RalphError({
    code: 'fleet-steer-forbidden',
    what: `This account of the fleet may not steer runs; run ${run} was told nothing.`,
    why: `The server does not let it publish on ${subjects}`,
    fix: 'Use an account that may: nats://NAME:PASSWORD@host:4222. How they are set up: docs/guide/fleet.md',
    cause,
  });
}

/** `null` where somebody else was first. A change that had arrived although its answer was lost is then one, too: what it was for counts as lost, never as had twice. */
export async function unlessConflict<Result>(change: () => Promise<Result>): Promise<Result | null> {
  try {
    return await insist(change);
  } catch (error) {
    if (isConflict(error)) return null;
    throw error;
  }
}

/** Whether the server refused a change because somebody else was first. */
function isConflict(error: unknown): boolean {
  return readApiCode(error) === WRONG_LAST;
}

/** A server that answers with a code of its own has understood, but where it says that it cannot at the moment: while it starts, while a cluster chooses a leader, or while it is at the same thing. */
function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { readonly status?: unknown };
  const code = readApiCode(error);
  const isAnswer = code !== null && status !== NOT_NOW && !IN_PROCESS.includes(code);
  return isRalphError(error) || isAnswer || isOver(error) || FORBIDDEN.test(toErrorMessage(error));
}

/**
 * The words of a cluster (the first from 2.11 on) that has begun to write to the same subject, or the same message, and does not know yet what comes of it. That is no
 * verdict: what was begun may be this very message, sent before, or may come to nothing.
 */
const IN_PROCESS: readonly number[] = [10164, 10158];

/** Our own connection was closed: nothing can be asked any more. */
function isOver(error: unknown): boolean {
  return ['ClosedConnectionError', 'DrainingConnectionError'].includes(toErrorCode(error));
}

/** As that of HTTP. */
const NOT_NOW = 503;

function readApiCode(error: unknown): number | null {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'number' && code >= 10_000 ? code : null;
}
