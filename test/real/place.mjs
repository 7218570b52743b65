/** A throw-away place for one run of one CLI: HOME, working folder, environment, and the end of whatever it left running. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from './clis.mjs';
import { killTree } from './run-bounded.mjs';

/**
 * @typedef {object} Place
 * @property {string} home
 * @property {string} cwd an empty folder, not under version control
 * @property {Record<string, string>} env
 * @property {() => Promise<void>} dispose ends leftover processes and removes the folders
 */

/**
 * @param {string} name the CLI's short name
 * @param {number} port the mock server's port
 * @param {{ keep?: boolean, retries?: boolean, subscription?: boolean }} [options] keep: leave the folders there for a look;
 *   retries, subscription: see `Place` of cli-config
 * @returns {Promise<Place>}
 */
export async function createPlace(name, port, options = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), `ralph-real-${name}-`)));
  const home = join(root, 'home');
  const cwd = join(root, 'project');
  await mkdir(home);
  await mkdir(cwd);
  const env = await environment(name, { home, port, retries: options.retries ?? false, subscription: options.subscription ?? false });
  const dispose = async () => {
    await endLeftovers(home);
    if (options.keep !== true) await rm(root, { recursive: true, force: true, maxRetries: 3 });
  };
  return { home, cwd, env, dispose };
}

/**
 * Ends processes that a CLI left behind. A daemon has a session and a parent of its own, so neither group nor parentage
 * finds it; the throw-away HOME in its environment does, and belongs to nobody else. Does nothing without /proc.
 *
 * @param {string} home
 * @returns {Promise<number>} how many were found
 */
export async function endLeftovers(home) {
  const leftovers = await findByHome(home);
  await Promise.all(leftovers.map(({ pid }) => killTree(pid)));
  return leftovers.length;
}

/**
 * Every living process with this HOME in its environment, but for the caller. Empty without /proc.
 *
 * @param {string} home
 * @returns {Promise<Array<{ pid: number, command: string }>>}
 */
export async function findByHome(home) {
  const names = await readdir('/proc').catch(() => /** @type {string[]} */ ([]));
  const pids = names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
  const owned = await Promise.all(
    pids.map(async (pid) => {
      const variables = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!variables.split('\0').includes(`HOME=${home}`)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [{ pid, command: command.split('\0').join(' ').trim() }];
    }),
  );
  return owned.flat();
}
