import { isIP } from 'node:net';
import { isRalphError, toErrorMessage } from '../core/values/errors.ts';
import { listServers, toFleetFolder } from '../core/values/fleet-address.ts';
import { openFolderFleet } from './folder-fleet.ts';
import { type NatsPlace, toShownUrl } from './nats-place.ts';
import { askJetStream, dial, openNatsServer, RUNS, toUnreachable } from './nats-server.ts';

/** Something that is looked at in a server: how it is, and what to do where it is not good. */
export interface ServerFinding {
  readonly state: 'good' | 'warning' | 'bad';
  readonly text: string;
  readonly fix?: string;
}

/** Looks whether a server, or a folder, will do for a fleet, in the order in which things have to be mended. Stops at what makes the rest impossible to see. */
export async function checkServer(place: NatsPlace): Promise<readonly ServerFinding[]> {
  const folder = toFleetFolder(place.url);
  if (folder !== null) return [await tryFolder(folder)];
  const found: ServerFinding[] = [];
  let connection: Awaited<ReturnType<typeof dial>>;
  try {
    connection = await dial(place);
  } catch (error) {
    return [toUnreached(place, error)];
  }
  try {
    const { info } = connection;
    found.push({ state: 'good', text: `${toShownUrl(place.url)} answers` }, toVersionFinding(info?.version ?? ''));
    found.push(
      info?.auth_required === true
        ? { state: 'good', text: 'it lets you in, and nobody without a login' }
        : { state: 'warning', text: 'it lets everybody in: who can reach it runs commands on every worker', fix: LOGIN_FIX },
    );
    found.push(toEncryptionFinding(place, info?.tls_required === true || info?.tls_available === true));
    await askJetStream(connection);
    found.push({ state: 'good', text: 'it has JetStream' });
  } catch (error) {
    found.push({ state: 'bad', text: `it has no JetStream: ${toErrorMessage(error)}`, fix: JETSTREAM_FIX });
    return found;
  } finally {
    await connection.close();
  }
  return [...found, await tryStores(place)];
}

async function tryFolder(folder: string): Promise<ServerFinding> {
  try {
    // Nothing is started here, so nothing is made either.
    await (await openFolderFleet(folder, true)).close();
    return { state: 'good', text: `the stores of a fleet are in ${folder}, for processes of this machine` };
  } catch (error) {
    return { state: 'bad', text: toErrorMessage(error), ...(isRalphError(error) && error.fix !== undefined ? { fix: error.fix } : {}) };
  }
}

const LOGIN_FIX = 'In its configuration: authorization { user: ralph, password: … }';
const JETSTREAM_FIX = 'In its configuration: jetstream { store_dir: /a/folder/that/stays }';

function toUnreached(place: NatsPlace, error: unknown): ServerFinding {
  const { message, fix } = toUnreachable(place, error);
  return { state: 'bad', text: message.replace(/\.$/, ''), ...(fix === undefined ? {} : { fix }) };
}

function toVersionFinding(version: string): ServerFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const shown = version.replaceAll(/[^\w.+-]/g, '?').slice(0, 40);
  if (major > 2 || (major === 2 && minor >= 10)) return { state: 'good', text: `its version is ${shown}` };
  if (major === 2 && minor === 9)
    return { state: 'good', text: `its version is ${shown}; from 2.10 on it can write each message to the disk at once` };
  return {
    state: 'bad',
    text: `its version is ${shown}; 2.9 is the oldest that will do`,
    fix: 'Install a newer one: https://github.com/nats-io/nats-server/releases',
  };
}

/** What goes over the network of others is not to be read by them. */
function toEncryptionFinding({ url }: NatsPlace, isEncrypted: boolean): ServerFinding {
  if (isEncrypted) return { state: 'good', text: 'what goes over the network is encrypted' };
  if (listServers(url).every((server) => isOwn(new URL(server))))
    return { state: 'good', text: 'it is on this machine: nothing goes over the network' };
  return {
    state: 'warning',
    text: 'it has no certificate: who listens on the network reads everything, passwords too',
    fix: 'In its configuration: tls { cert_file: …, key_file: … }, and then tls:// in the address',
  };
}

function isOwn({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));
}

async function tryStores(place: NatsPlace): Promise<ServerFinding> {
  try {
    const { connection, manager } = await openNatsServer(place);
    try {
      const { config } = await manager.streams.info(RUNS);
      return toCopiesFinding(connection.info?.cluster !== undefined, config.num_replicas);
    } finally {
      await connection.close();
    }
  } catch (error) {
    return { state: 'bad', text: `the stores of a fleet are not there: ${toErrorMessage(error)}` };
  }
}

function toCopiesFinding(isCluster: boolean, copies: number): ServerFinding {
  if (!isCluster) return { state: 'good', text: 'the stores of a fleet are there' };
  if (copies > 1) return { state: 'good', text: `the stores of a fleet are there, on ${copies} servers of the cluster` };
  return {
    state: 'warning',
    text: 'what a fleet keeps is on one server of the cluster alone: when that one is away, the fleet waits',
    fix: COPIES_FIX,
  };
}

const COPIES_FIX =
  'With three servers up: nats stream edit NAME --replicas 3, for each of RALPH_REPORTS, RALPH_RUNS, RALPH_WORDS, KV_ralph_* and OBJ_ralph_blobs';
