/** Programs that tests need and npm does not bring: installed by apt-get where that may be. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const INSTALL_MS = 300_000;
const WAITS = ['-o', 'DPkg::Lock::Timeout=120'];
const MAX_TRIES = 12;
const RETRY_MS = 5_000;

/** Runs a program and gives back what it says only where it fails. */
function call(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status === 0) return null;
  return error?.message ?? `${stdout}${stderr}`.trim().split('\n').slice(-3).join('\n');
}

/**
 * Why a program is not there, also after it was to be installed; `null` where it is.
 *
 * @param {string} suite who needs it, for what is said
 * @param {string} name of the program and of its Debian package
 * @param {string} path where the package puts it
 */
export function findMissing(suite, name, path) {
  if (existsSync(path)) return null;
  if (!existsSync('/usr/bin/apt-get')) return 'it is not installed, and there is no apt-get';
  if (process.getuid?.() !== 0) return 'it is not installed, and only root may install it';
  console.log(`${suite}: installing ${name} …`);
  for (let tries = 1; ; tries += 1) {
    const updated = call('apt-get', ['update', '-qq']);
    const failed = call('apt-get', [...WAITS, 'install', '-y', '-qq', '--no-install-recommends', name]);
    if (existsSync(path)) return null;
    const why = failed ?? updated ?? 'it is not where it was expected';
    if (tries === MAX_TRIES || !/could not get lock|unable to lock/i.test(`${updated}\n${failed}`))
      return `it could not be installed: ${why}`;
    // Another suite installs something at the moment.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
}
