/**
 * The faces in a real browser and a real terminal: `npm run e2e:faces [filter …]`. What is missing of chromium and tmux is installed by apt-get where that may be;
 * where it may not, their tests are skipped, and the reason is said.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findMissing } from '../debian-program.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What the tests need, by the Debian package that brings it. */
const PROGRAMS = { chromium: '/usr/bin/chromium', tmux: '/usr/bin/tmux' };
const env = { ...process.env };
for (const name of Object.keys(PROGRAMS)) {
  const missing = findMissing('faces', name, PROGRAMS[name]);
  if (missing !== null) console.log(`faces: SKIPPED, what needs ${name}: ${missing}`);
  env[`RALPH_FACES_${name.toUpperCase()}`] = missing === null ? PROGRAMS[name] : '';
}
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'faces', '--passWithNoTests=false', '--maxWorkers=1', ...process.argv.slice(2)],
  { cwd: ROOT, env, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
