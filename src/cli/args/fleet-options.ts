import { join } from 'node:path';
import type { Command } from 'commander';
import type { Environment } from '../../core/values/environment.ts';
import { listServers } from '../../core/values/fleet-address.ts';
import { createUsageError } from './usage-error.ts';

/** Adds `--fleet [url]` to a command that is given a run of a fleet, on whatever machine it is. */
export function addFleetOption(command: Command): void {
  command.option('--fleet [url]', 'a run that this fleet keeps, wherever it is; without an address that of RALPH_FLEET');
}

/** The address of a fleet where none is typed. */
const FLEET = 'RALPH_FLEET';

/**
 * Checks the address of a fleet.
 *
 * @throws usage error for anything but `nats://host[:port]` or `tls://…`, with more hosts of the same cluster behind commas
 */
function toFleetAddress(text: string): string {
  const servers = listServers(text);
  const isMixed = new Set(servers.map((server) => server.replace(/:.*$/s, ''))).size > 1;
  if (servers.every(isServerAddress) && !isMixed) return text;
  // A login may stand in what is meant as an address; a word is none.
  const shown = /[@:/]/.test(text) ? 'That' : JSON.stringify(text.slice(0, 60));
  throw createUsageError(
    isMixed ? 'The servers of a fleet have to be asked in one way: all by nats:// or all by tls://.' : `${shown} is no address of a fleet.`,
    'Write it as nats://host:4222, or tls://host:4222 with TLS. Where RALPH_FLEET says it, --fleet stands last, or before another option: ralph run -p "The task" --fleet',
  );
}

function isServerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '';
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
 * The run of a fleet that is meant; `null` where `--fleet` was not typed.
 *
 * @throws as {@link findFleetAddress}
 */
export function toFleetRun(
  { env }: { readonly env: Environment },
  typed: unknown,
  run: string | undefined,
): { readonly fleet: string; readonly run?: string; readonly env: Environment } | null {
  if (typed === undefined) return null;
  return { fleet: findFleetAddress(typed, env), env, ...(run === undefined ? {} : { run }) };
}

/**
 * The folder for caches.
 *
 * @throws usage error where the environment names none
 */
export function findCache({ XDG_CACHE_HOME: cache = '', HOME: home = '' }: Environment, fix: string): string {
  if (cache.startsWith('/')) return cache;
  if (home !== '') return join(home, '.cache');
  throw createUsageError('There is no folder for caches: neither XDG_CACHE_HOME nor HOME is set.', fix);
}
