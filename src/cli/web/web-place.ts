import { isIP } from 'node:net';
import { parseCount } from '../args/parse-values.ts';
import { createUsageError } from '../args/usage-error.ts';
import type { CommandCall } from '../cli-context.ts';
import { readTokenFile } from './read-token-file.ts';

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
