/** Makes sure that bubblewrap and socat are there, by the system's own packages where that is allowed. */
import { tmpdir } from 'node:os';
import { runBounded } from './run-bounded.mjs';

const TRIAL = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--unshare-pid', '--ro-bind', '/', '/', '--', '/bin/sh', '-c', 'exit 0'];
const INSTALL_MS = 120_000;

/**
 * @returns {Promise<{ flaw: string | undefined, isNew: boolean }>} `flaw`: why there is none, in one line, undefined when it works; `isNew`: it was not there before
 */
export async function ensureBubblewrap() {
  const flaw = await findFlaw();
  if (flaw === undefined || process.platform !== 'linux' || process.getuid?.() !== 0) return { flaw, isNew: false };
  const problem = await install('bubblewrap');
  return { flaw: problem === undefined ? await findFlaw() : `${flaw}; ${problem}`, isNew: true };
}

async function findFlaw() {
  if (process.platform !== 'linux') return `bubblewrap is for Linux, this is ${process.platform}`;
  const result = await run('bwrap', TRIAL, 20_000);
  if (result.exitCode === 0) return undefined;
  const why = result.stderr.trim().split('\n').at(-1)?.slice(0, 200);
  return why === undefined || why === '' || why.includes('ENOENT')
    ? 'bubblewrap is not installed'
    : `bubblewrap does not work here: ${why}`;
}

/**
 * What the sandbox of claude needs beside bubblewrap: the way from its network to the one outside.
 *
 * @returns {Promise<string | undefined>} why there is none, in one line
 */
export async function ensureSocat() {
  const isThere = async () => (await run('socat', ['-V'], 20_000)).exitCode === 0;
  if (await isThere()) return undefined;
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'socat is not installed';
  const problem = await install('socat');
  return (await isThere()) ? undefined : `socat is not installed; ${problem ?? 'it does not start'}`;
}

/** @param {string} name of a package */
async function install(name) {
  const args = ['install', '-y', '--no-install-recommends', name];
  const first = await run('apt-get', args, INSTALL_MS);
  if (first.exitCode === 0) return undefined;
  // A machine that was made from an image has no lists of packages yet.
  await run('apt-get', ['update', '-q'], INSTALL_MS);
  const second = await run('apt-get', args, INSTALL_MS);
  if (second.exitCode === 0) return undefined;
  return `apt-get could not install it: ${second.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''}`;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {number} timeoutMs
 */
function run(command, args, timeoutMs) {
  const env = /** @type {Record<string, string>} */ ({ ...process.env, DEBIAN_FRONTEND: 'noninteractive' });
  return runBounded(command, args, { cwd: tmpdir(), env, timeoutMs });
}
