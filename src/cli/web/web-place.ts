import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { toShellWord } from '../../core/text/shell-word.ts';
import { RalphError, toErrorCode } from '../../core/values/errors.ts';
import { parseCount } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CommandCall } from '../cli-context.ts';

/** Where the page is served, and what may be done there. */
export interface WebPlace {
  readonly address: string;
  /** `null`: {@link USUAL_PORT}, else any that is free. */
  readonly port: number | null;
  /** `null`: a new one. */
  readonly token: string | null;
  readonly canSteer: boolean;
  /** Whether others than this machine reach it. */
  readonly isFar: boolean;
}

/** So that an address that was noted goes on being good. */
export const USUAL_PORT = 4700;
const LOOPBACK = ['127.0.0.1', '::1'];

/** @throws RalphError `usage`, `web-token-file` */
export function toWebPlace({ listen, tokenFile, steer, readOnly, port }: CommandCall['options']): WebPlace {
  const address = typeof listen === 'string' ? toAddress(listen) : '127.0.0.1';
  const isFar = !LOOPBACK.includes(address);
  if (isFar && typeof tokenFile !== 'string')
    throw createUsageError(
      `Whoever reaches ${address} could try to read your runs.`,
      'Add --token-file FILE, a file with a token that you alone can read. Without --listen only this machine reaches the page; from elsewhere: ssh -t -L 4700:127.0.0.1:4700 HOST ralph web --port 4700',
    );
  if (steer === true && readOnly === true)
    throw createUsageError('--steer and --read-only cannot be used together.', 'Leave one of them out.');
  return {
    address,
    isFar,
    port: typeof port === 'string' ? toPort(port) : null,
    token: typeof tokenFile === 'string' ? readTokenFile(tokenFile) : null,
    canSteer: readOnly !== true && (!isFar || steer === true),
  };
}

function toAddress(text: string): string {
  if (text === 'localhost') return '127.0.0.1';
  if (isIP(text) === 0 || text.includes('%'))
    throw createUsageError(`${JSON.stringify(text.slice(0, 80))} is no IP address.`, 'Such as: --listen 192.168.1.5');
  // As browsers write it, so that it is the name by which they ask.
  const address = isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
  if (['0.0.0.0', '::', '::ffff:0:0'].includes(address))
    throw createUsageError(
      `${text} stands for all addresses of this machine.`,
      'Name the one that is meant: a browser is answered only under the address that it was told.',
    );
  return address;
}

function toPort(text: string): number {
  const port = parseCount(text, '--port', 0);
  if (port > 65_535) throw createUsageError(`There is no port ${port}.`, 'Ports are 1 to 65535; 0 takes any that is free.');
  return port;
}

const MAX_BYTES = 4096;

/**
 * The token in a file that its owner alone may read.
 *
 * @throws RalphError `web-token-file`
 */
function readTokenFile(path: string): string {
  const text = readOwnFile(path).trim();
  if (/^[\x21-\x7e]{24,200}$/.test(text)) return text;
  throw toUnfit(
    path,
    'holds no token.',
    'Who knows it reads all runs, so it must not be easy to guess: 24 to 200 visible characters on one line.',
  );
}

function readOwnFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw toUnfit(path, `cannot be read (${toErrorCode(error)}).`);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) throw toUnfit(path, 'is no file with a token.');
    if (stats.uid !== process.getuid?.()) throw toUnfit(path, 'belongs to somebody else.');
    if ((stats.mode & 0o077) !== 0) throw toUnfit(path, 'can be read by others.', 'Who knows the token reads all runs.');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function toUnfit(path: string, what: string, why?: string): RalphError {
  const word = toShellWord(path);
  return new RalphError({
    code: 'web-token-file',
    what: `The token file ${path.slice(0, 200)} ${what}`,
    ...(why !== undefined && { why }),
    fix: `Make one: (umask 077; openssl rand -hex 32 > ${word})`,
    exitCode: 2,
  });
}
