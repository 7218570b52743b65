import { isAbsolute, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { toShellWord } from '../../core/text/shell-word.ts';
import type { Environment } from '../../core/values/environment.ts';
import { isRalphError, type RalphError } from '../../core/values/errors.ts';
import { listServers, toFleetFolder } from '../../core/values/fleet-address.ts';
import { toFirstLine } from '../../views/text/plain-text.ts';

import { createUsageError } from './usage-error.ts';

/** Adds `--fleet [url]` to a command that is given a run of a fleet, on whatever machine it is. */
export function addFleetOption(command: Command): void {
  command.option('--fleet [url]', 'a run of this fleet, on whatever machine it is; default address: RALPH_FLEET');
}

/** The address of a fleet where none is typed. */
const FLEET = 'RALPH_FLEET';

/** What is wrong with an address, as far as it can be told; the first that applies. Nothing of the address is repeated but a path: a login may stand in it. */
const SLIPS: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/^(\/[^@]*)$/, ([, path]) => `That is a folder without file: before it. A fleet in it is called file:${path}`],
  [
    /^(?:\.{1,2}|~)(?:\/|$)/,
    () => 'That is a folder that is not named from the root: a fleet in it is called file: and its absolute path.',
  ],
  [/^(?!file:)[Ff][Ii][Ll][Ee]:/, () => 'The beginning of that address is written in small letters: file:'],
  [/^(nats|tls):(?!\/\/)/, ([, scheme]) => `That is no address of a fleet: two slashes stand behind ${scheme}:`],
  [
    /^(?!nats:|tls:)([a-z][a-z0-9+.-]*):\/\//,
    ([, scheme]) => `A fleet is asked by nats:// or tls://, or is in a folder (file:/…), and not asked by ${scheme}://.`,
  ],
  [
    /^([a-z][a-z0-9+.-]*):\/(?!\/)/,
    ([, scheme]) => `No fleet is asked by ${scheme}:/. One in a folder of this machine is called file:/absolute/folder`,
  ],
  [/^(?![a-z0-9+.-]+:\/\/)/, () => 'That address lacks the nats:// before it.'],
  [
    /^[a-z]+:\/\/[^@]*?([/#?])[^@]*@/,
    ([, sign = '']) => `The name or the password in that address has a ${sign} in it, which is written ${encodeURIComponent(sign)}.`,
  ],
  [/^[a-z]+:\/\/(?:[^@]*@)?[^@]*\s/, () => 'The host in that address has a space in it.'],
  [/^[a-z]+:\/\/(?:[^@]*@)?(?:[:/,]|$)/, () => 'That address names no host.'],
  [/:(?:\d{5,}|[^\]\d/,:@]+)[^@:]*$/, () => 'The port in that address is no number from 1 to 65535.'],
];

/** An address with a name and no password is one where a file has that. */
const NAME_ALONE = /^[a-z]+:\/\/[^@:/]+@/;

const HOW = 'Write it as nats://host:4222, or tls://host:4222 with TLS; on one machine file:/absolute/folder, without a server.';

/**
 * Checks the address of a fleet.
 *
 * @throws usage error for anything but `nats://host[:port]` or `tls://…`, with more hosts of the same cluster behind commas, or `file:/absolute/folder`
 */
function toFleetAddress(text: string, { RALPH_FLEET_PASSWORD_FILE: file = '' }: Environment): string {
  const folder = toFleetFolder(text);
  if (folder !== null) return toFolderAddress(folder);
  const servers = listServers(text);
  if (new Set(servers.map((server) => server.replace(/:.*$/s, ''))).size > 1)
    throw createUsageError('The servers of a fleet have to be asked in one way: all by nats:// or all by tls://.', HOW);
  if (!servers.every(isServerAddress)) throw createUsageError(toSlipText(text), HOW);
  if (file !== '' || !NAME_ALONE.test(text)) return text;
  throw createUsageError(
    'That address names who asks, and no password.',
    'Write nats://NAME:PASSWORD@host:4222, or name a file that holds the password: RALPH_FLEET_PASSWORD_FILE=/absolute/path',
  );
}

/** The same folder is always called the same. */
function toFolderAddress(folder: string): string {
  if (isAbsolute(folder) && !folder.startsWith('//')) return `file:${resolve(folder)}`;
  const [, host, path = ''] = /^\/\/([^/]+)(\/.*)?$/.exec(folder) ?? [];
  if (host !== undefined) {
    const here = path === '' ? '' : ` file:${path}`;
    throw createUsageError(`That address names a machine, ${host}: a fleet in a folder is on this one.${here}`, HOW);
  }
  throw createUsageError('The folder in that address has to be an absolute path: runs and workers have folders of their own.', HOW);
}

function toSlipText(text: string): string {
  for (const [pattern, say] of SLIPS) {
    const found = pattern.exec(text);
    if (found !== null) return say(found);
  }
  return 'That is no address of a fleet.';
}

function isServerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ['nats:', 'tls:'].includes(url.protocol) && url.hostname !== '';
}

/** Words are no slip in an address: they were meant for something else. */
function isWords(text: string): boolean {
  return !/:\/|@/.test(text) && (/\s/.test(text) || !/[:./]/.test(text));
}

/**
 * The address that is meant: the one that was typed, else that of `RALPH_FLEET`.
 *
 * @param asker `run`, where what was typed may be its task; `--nats`, where that is the option
 * @throws usage error where there is none
 */
export function findFleetAddress(typed: unknown, env: Environment, asker?: 'run' | '--nats'): string {
  if (typeof typed === 'string' && isWords(typed)) throw toWordsError(typed, asker);
  const text = typeof typed === 'string' ? typed : env[FLEET];
  if (text === undefined || text === '')
    throw createUsageError(
      'Which fleet?',
      `Say its address, nats://127.0.0.1:4222 or file:/absolute/folder or the like, or set ${FLEET} in the environment.`,
    );
  try {
    return toFleetAddress(text, env);
  } catch (error) {
    if (typeof typed === 'string' || !isRalphError(error)) throw error;
    throw createUsageError(`${FLEET} is wrong. ${error.message}`, error.fix ?? HOW);
  }
}

function toWordsError(text: string, asker: 'run' | '--nats' | undefined): RalphError {
  const option = asker === '--nats' ? asker : '--fleet';
  const takes = `${option} takes an address (nats://host:4222, file:/absolute/folder), or nothing where ${FLEET} says it.`;
  const host = /^[A-Za-z0-9-]{1,63}$/.test(text) ? ` If that is a host: nats://${text}:4222.` : '';
  return createUsageError(
    `${JSON.stringify(toFirstLine(text, 60))} is no address of a fleet.`,
    asker === 'run'
      ? `${takes} With this as the task: ralph run --fleet -p ${text.length > 200 ? '"…"' : toShellWord(text)}`
      : `${takes}${host}${asker === undefined ? ' What is not its address stands before it, or behind another option.' : ''} ${HOW}`,
  );
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
