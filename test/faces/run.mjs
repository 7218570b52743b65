/**
 * The faces in a real browser and a real terminal: `npm run e2e:faces [filter …]`. What is missing of chromium and tmux is installed by apt-get where that may be;
 * where it may not, their tests are skipped, and the reason is said.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the tests need, by the Debian package that brings it. */
const PROGRAMS = { chromium: '/usr/bin/chromium', tmux: '/usr/bin/tmux' };
const INSTALL_MS = 300_000;

/** Runs a program and shows what it says only where it fails. */
function call(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: INSTALL_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status === 0) return null;
  return error?.message ?? `${stdout}${stderr}`.trim().split('\n').slice(-3).join('\n');
}

/** Why it is not there; `null` where it is. */
function findMissing(name) {
  if (existsSync(PROGRAMS[name])) return null;
  if (!existsSync('/usr/bin/apt-get')) return 'it is not installed, and there is no apt-get';
  if (process.getuid?.() !== 0) return 'it is not installed, and only root may install it';
  console.log(`faces: installing ${name} …`);
  const updated = call('apt-get', ['update', '-qq']);
  const failed = call('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name]);
  return failed === null && existsSync(PROGRAMS[name])
    ? null
    : `it could not be installed: ${failed ?? updated ?? 'it is not where it was expected'}`;
}

const env = { ...process.env };
for (const name of Object.keys(PROGRAMS)) {
  const missing = findMissing(name);
  if (missing !== null) console.log(`faces: SKIPPED, what needs ${name}: ${missing}`);
  env[`RALPH_FACES_${name.toUpperCase()}`] = missing === null ? PROGRAMS[name] : '';
}
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faces', '--passWithNoTests=false', '--maxWorkers=1', ...process.argv.slice(2)],
  { cwd: ROOT, env, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
