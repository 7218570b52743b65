import { join } from 'node:path';
import type { Environment } from '../../core/values/environment.ts';
import { createUsageError } from './usage-error.ts';

/** The address of a fleet where none is typed. */
const FLEET = 'RALPH_FLEET';

/**
 * Checks the address of a fleet.
 *
 * @throws usage error for anything but `nats://host[:port]` or `tls://…`
 */
function toFleetAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '') return text;
  throw createUsageError('That is no address of a fleet.', 'Write it as nats://host:4222, or tls://host:4222 with TLS.');
}

/**
 * The address that is meant: the one that was typed, else that of `RALPH_FLEET`.
 *
 * @throws usage error where there is none
 */
export function findFleetAddress(typed: unknown, env: Environment): string {
  const text = typeof typed === 'string' ? typed : env[FLEET];
  if (text !== undefined && text !== '') return toFleetAddress(text);
  throw createUsageError('Which fleet?', `Say its address, nats://127.0.0.1:4222 or the like, or set ${FLEET} in the environment.`);
}

/**
 * The folder for caches of Ralph, for who did not say `--home`.
 *
 * @throws usage error where neither variable is set
 */
export function toCacheFolder({ XDG_CACHE_HOME: cache = '', HOME: home = '' }: Environment): string {
  if (cache.startsWith('/')) return join(cache, 'ralph');
  if (home !== '') return join(home, '.cache', 'ralph');
  throw createUsageError(
    'There is no folder for caches: neither XDG_CACHE_HOME nor HOME is set.',
    'Say where it may work: --home <folder>',
  );
}
