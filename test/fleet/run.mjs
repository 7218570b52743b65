/**
 * Runs on a fleet, with a real server: `npm run e2e:fleet [filter …]`. Where nats-server is missing it is installed by apt-get; where that may not be, the tests are skipped,
 * and the reason is said.
 *
 * RALPH_NATS_SERVER names another server than Debian's, by a path that ends with `nats-server`; nothing is installed then. Each version of it can be had of Go's module proxy:
 *
 *     GOBIN=/opt/nats/2.12.15 go install github.com/nats-io/nats-server/v2@v2.12.15
 *     RALPH_NATS_SERVER=/opt/nats/2.12.15/nats-server npm run e2e:fleet
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findMissing } from '../debian-program.mjs';
import { NATS_SERVER } from '../nats-server.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const { RALPH_NATS_SERVER: named = '', PATH = '' } = process.env;
if (named !== '' && !(isAbsolute(named) && basename(named) === 'nats-server' && existsSync(named))) {
  console.error(`fleet: RALPH_NATS_SERVER is ${JSON.stringify(named)}; it has to be the absolute path of a program named nats-server`);
  process.exit(2);
}
// `ralph fleet up` and the demo take the first one on the PATH.
const env = named === '' ? process.env : { ...process.env, PATH: `${dirname(named)}${delimiter}${PATH}` };

const missing = findMissing('fleet', 'nats-server', NATS_SERVER);
if (missing === null) {
  if (named !== '') console.log(`fleet: ${spawnSync(NATS_SERVER, ['--version'], { encoding: 'utf8' }).stdout.trim()}, ${NATS_SERVER}`);
  // They mostly wait: each file has a server of its own, and disturbs nobody.
  const args = ['run', '--project', 'fleet', '--passWithNoTests=false', '--maxWorkers=3', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { cwd: ROOT, env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  console.log(`fleet: SKIPPED, all of it: nats-server: ${missing}`);
}
