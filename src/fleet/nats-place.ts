import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorCode } from '../core/values/errors.ts';
import { listServers, toFleetFolder } from '../core/values/fleet-address.ts';

/** Where a server is, and who asks. */
export interface NatsPlace {
  /** `nats://host:4222`, `tls://…`; a name and a password may stand in it. Of a cluster several servers may be named: `nats://NAME:PASSWORD@a:4222,b:4222`. */
  readonly url: string;
  /** Says who asks where the address does not: `RALPH_FLEET_PASSWORD_FILE`, `RALPH_FLEET_CREDS`. */
  readonly env: Environment;
  /** Who it is, for whoever looks at the server. */
  readonly name: string;
  /** Who gives up connecting aborts it: then nothing of it keeps the process alive. */
  readonly signal?: AbortSignal;
}

/** Who asks. */
export type NatsLogin =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'password'; readonly user: string; readonly pass: string }
  /** A file of credentials, as `nsc` writes it. */
  | { readonly kind: 'credentials'; readonly bytes: Uint8Array };

const PASSWORD_FILE = 'RALPH_FLEET_PASSWORD_FILE';
const CREDENTIALS = 'RALPH_FLEET_CREDS';
const MAX_BYTES = 64 << 10;

/**
 * What stands in the address comes first: it may be that of another server than the one whose password is in the file.
 *
 * @throws RalphError `fleet-login`
 */
export function readLogin({ url, env = {} }: Pick<NatsPlace, 'url' | 'env'>): NatsLogin {
  const { username, password } = new URL(listServers(url)[0]);
  const { [PASSWORD_FILE]: passwordFile = '', [CREDENTIALS]: credentials = '' } = env;
  if (username === '') return credentials === '' ? { kind: 'nobody' } : { kind: 'credentials', bytes: readCredentials(credentials) };
  const user = decode(username);
  if (password !== '' || passwordFile === '') return { kind: 'password', user, pass: decode(password) };
  const pass = readLoginFile(PASSWORD_FILE, passwordFile).toString('utf8').trim();
  if (pass === '' || /[\r\n]/.test(pass)) throw toUnfit(PASSWORD_FILE, passwordFile, 'holds no password: it has to be one line.');
  return { kind: 'password', user, pass };
}

function readCredentials(path: string): Buffer {
  const bytes = readLoginFile(CREDENTIALS, path);
  if (/^-+BEGIN [A-Z ]*JWT-+\s[\s\S]*^-+BEGIN [A-Z ]*SEED-+\s/m.test(bytes.toString('utf8'))) return bytes;
  throw toUnfit(CREDENTIALS, path, 'holds no credentials as nsc writes them.');
}

/** A `%` that stands for itself is written by people, too. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readLoginFile(variable: string, path: string): Buffer {
  if (!isAbsolute(path)) throw toUnfit(variable, path, 'is no absolute path: runs that go on elsewhere have another folder.');
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw toUnfit(variable, path, 'is no file with a login.');
    return readFileSync(path);
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw toUnfit(variable, path, `cannot be read (${toErrorCode(error)}).`);
  }
}

function toUnfit(variable: string, path: string, what: string): RalphError {
  return new RalphError({
    code: 'fleet-login',
    what: `${JSON.stringify(path.slice(0, 200))}, which ${variable} names, ${what}`,
    fix: `Mend it, or write the login into the address: nats://NAME:PASSWORD@host:4222`,
    exitCode: 2,
  });
}

/** The address without who asks. */
export function toShownUrl(url: string): string {
  if (toFleetFolder(url) !== null) return url;
  const servers = listServers(url);
  if (!servers.every((server) => URL.canParse(server))) return 'that address';
  const { protocol } = new URL(servers[0]);
  return `${protocol}//${servers.map((server) => new URL(server).host).join(',')}`;
}

/** Whether nothing may go over the network that is not encrypted. */
export function mustEncrypt(url: string): boolean {
  return listServers(url).some((server) => new URL(server).protocol === 'tls:');
}
