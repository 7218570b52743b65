/**
 * How each CLI is pointed at the mock model server: environment and config files in a HOME of its own. The environment is
 * built from nothing, so no key, proxy or setting of the person who runs the tests can reach a CLI or change its output.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listBackends } from './agent-clis.mjs';

/**
 * @param {string} name
 * @returns {string} the model that the CLI is asked for in these runs
 */
export function modelOf(name) {
  // opencode names the provider with the model.
  return clientOf(name).model.replace(/^mock\//, '');
}

/** @param {string} name */
function clientOf(name) {
  const client = listBackends().find(({ type }) => type === name)?.mockClient;
  if (client === undefined) throw new Error(`No settings for CLI '${name}'.`);
  return client;
}

/**
 * @typedef {object} Place
 * @property {string} home an empty folder that becomes HOME; it must be under no TMPDIR of the CLI
 * @property {number} port the mock server's port
 * @property {string} [model] default: the CLI's own in `modelOf`
 * @property {boolean} [retries] let the CLI repeat failed model calls where that can be switched off, default false
 * @property {boolean} [subscription] sign claude in as a subscriber, whose usage limits it reports in full; default false
 */

/**
 * Writes a CLI's config files and gives the whole environment for it.
 *
 * @param {string} name
 * @param {Place} place
 * @returns {Promise<Record<string, string>>}
 */
export async function configure(name, place) {
  const { env, files = {} } = clientOf(name).toSettings({
    ...place,
    model: place.model ?? modelOf(name),
    retries: place.retries ?? false,
    subscription: place.subscription ?? false,
  });
  const temporary = join(place.home, 'tmp');
  await mkdir(temporary, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(place.home, path)), { recursive: true });
    await writeFile(join(place.home, path), content);
  }
  return { ...commonEnvironment(place.home, temporary), ...env };
}

/**
 * @param {string} home
 * @param {string} temporary
 */
function commonEnvironment(home, temporary) {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    USER: 'tester',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
  };
}
