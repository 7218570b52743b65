/**
 * Runs on a fleet, with a real server: `npm run e2e:fleet [filter …]`. Where nats-server is missing it is installed by apt-get; where that may not be, the tests are skipped,
 * and the reason is said.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findMissing } from '../debian-program.mjs';
import { NATS_SERVER } from '../nats-server.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const missing = findMissing('fleet', 'nats-server', NATS_SERVER);
if (missing === null) {
  // They mostly wait: each file has a server of its own, and disturbs nobody.
  const args = ['run', '--project', 'fleet', '--passWithNoTests=false', '--maxWorkers=3', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  console.log(`fleet: SKIPPED, all of it: nats-server: ${missing}`);
}
