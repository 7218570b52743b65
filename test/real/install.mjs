/**
 * Installs one npm package into a folder of its own, keyed by version, outside the checkout. A folder in the cache is
 * complete or absent: the work happens under a temporary name and a rename publishes it, so a killed install or two
 * installs at once leave nothing half done.
 */
import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runBounded } from './run-bounded.mjs';

const MARKER = '.complete.json';
const STALE_MS = 60 * 60_000;

/** @returns {string} the cache folder: RALPH_CLI_CACHE, else ralph/clis in the user's cache folder */
function cacheFolder() {
  const { RALPH_CLI_CACHE, XDG_CACHE_HOME } = process.env;
  if (RALPH_CLI_CACHE) return RALPH_CLI_CACHE;
  return join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralph', 'clis');
}

/**
 * Finds a package in the cache or installs it.
 *
 * @param {{ name: string, package: string, version: string, bin: string }} spec
 * @param {{ timeoutMs: number }} options
 * @returns {Promise<{ bin: string, folder: string, how: 'found' | 'installed' | 'repaired' }>}
 * @throws {Error} with a one-line reason when npm refuses, times out, or the installed command does not start
 */
export async function installPackage(spec, { timeoutMs }) {
  const cache = cacheFolder();
  const folder = join(cache, `${spec.name}@${spec.version}`);
  const bin = join(folder, 'node_modules', '.bin', spec.bin);
  await mkdir(cache, { recursive: true });
  await removeStale(cache);
  const flaw = await findFlaw(folder, spec);
  if (flaw === undefined) return { bin, folder, how: 'found' };
  const existed = await exists(folder);
  const temporary = join(cache, `.new-${spec.name}-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await npmInstall(temporary, spec, timeoutMs);
    // Looked at again: another process may have repaired it meanwhile and be using it.
    if (existed && (await findFlaw(folder, spec)) !== undefined) await discard(cache, folder);
    await publish(temporary, folder, spec);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return { bin, folder, how: existed ? 'repaired' : 'installed' };
}

/**
 * Says what is wrong with an installation, or undefined when it can be used. The command is really started, because
 * native CLIs come as optional packages: a missing one shows only then.
 *
 * @param {string} folder
 * @param {{ package: string, version: string, bin: string }} spec
 * @returns {Promise<string | undefined>}
 */
async function findFlaw(folder, spec) {
  const bin = join(folder, 'node_modules', '.bin', spec.bin);
  try {
    const marker = JSON.parse(await readFile(join(folder, MARKER), 'utf8'));
    if (marker.version !== spec.version) return `the marker says version ${marker.version}`;
  } catch {
    return 'the install did not finish';
  }
  return startsAs(bin, folder, spec);
}

/**
 * @param {string} bin
 * @param {string} folder
 * @param {{ package: string, version: string }} spec
 */
async function startsAs(bin, folder, spec) {
  const manifest = join(folder, 'node_modules', spec.package, 'package.json');
  try {
    await access(bin, constants.X_OK);
    const { version } = JSON.parse(await readFile(manifest, 'utf8'));
    if (version !== spec.version) return `package.json says version ${version}`;
  } catch (error) {
    return `a file is missing: ${error instanceof Error ? error.message : String(error)}`;
  }
  const home = join(folder, '.probe-home');
  await mkdir(home, { recursive: true });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, TERM: 'dumb', LANG: 'C.UTF-8', NO_COLOR: '1' };
  const probe = await runBounded(bin, ['--version'], { cwd: home, env, timeoutMs: 30_000 });
  if (probe.exitCode === 0 && (probe.stdout + probe.stderr).includes(spec.version)) return undefined;
  return `--version ended with ${probe.timedOut ? 'a time-out' : probe.exitCode}: ${lastLine(probe.stderr || probe.stdout)}`;
}

/**
 * @param {string} folder
 * @param {{ package: string, version: string, bin: string }} spec
 * @param {number} timeoutMs
 */
async function npmInstall(folder, spec, timeoutMs) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name: 'ralph-real-cli', private: true })}\n`);
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', '--save-exact'];
  const env = /** @type {Record<string, string>} */ ({ ...process.env });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = await runBounded(npm, [...args, `${spec.package}@${spec.version}`], { cwd: folder, env, timeoutMs });
  if (result.timedOut) throw new Error(`npm install took longer than ${timeoutMs / 1000} s`);
  if (result.exitCode !== 0) throw new Error(`npm install failed (${result.exitCode}): ${npmReason(result.stderr)}`);
  const flaw = await startsAs(join(folder, 'node_modules', '.bin', spec.bin), folder, spec);
  if (flaw !== undefined) throw new Error(`installed, but it does not start: ${flaw}`);
  const marker = { package: spec.package, version: spec.version, node: process.version, at: new Date().toISOString() };
  await writeFile(join(folder, MARKER), `${JSON.stringify(marker)}\n`);
}

/**
 * A process that was faster may have published the same version already; then its copy is the one to use.
 *
 * @param {string} temporary
 * @param {string} folder
 * @param {{ package: string, version: string, bin: string }} spec
 */
async function publish(temporary, folder, spec) {
  try {
    await rename(temporary, folder);
  } catch (error) {
    if ((await findFlaw(folder, spec)) !== undefined) throw error;
  }
}

/**
 * @param {string} cache
 * @param {string} folder
 */
async function discard(cache, folder) {
  const aside = join(cache, `.old-${process.pid}-${randomBytes(4).toString('hex')}`);
  await rename(folder, aside).catch(() => {});
  await rm(aside, { recursive: true, force: true });
}

/** @param {string} cache */
async function removeStale(cache) {
  for (const entry of await readdir(cache)) {
    if (!/^\.(new|old)-/.test(entry)) continue;
    const path = join(cache, entry);
    const age = await stat(path).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > STALE_MS) await rm(path, { recursive: true, force: true });
  }
}

/** @param {string} path */
async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** @param {string} stderr */
function npmReason(stderr) {
  const lines = stderr.split('\n').map((line) => line.trim());
  const telling = lines.filter((line) => /^npm error (?!A complete log|code |syscall |errno )/.test(line));
  return (telling[0] ?? lastLine(stderr)).replace(/^npm error\s*/, '').slice(0, 300);
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
}
