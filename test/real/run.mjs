/**
 * End to end with the real agent CLIs: installs the pinned versions into the cache, starts the mock model server and takes
 * every CLI through a lane. One line per CLI; a CLI that cannot be installed here is skipped with its reason.
 *
 *   node test/real/run.mjs [--only claude,codex] [--all] [--install-only] [--keep]
 *
 * Exit code: 0 all that ran passed, 1 something failed or nothing could run, 2 wrong usage.
 */
import { parseArgs } from 'node:util';
import { CLIS, chooseClis, installClis } from './clis.mjs';
import { exercise, scripts } from './lanes/direct.mjs';
import { startModelServer } from './model-server.mjs';
import { endCommandsOnSignal } from './run-bounded.mjs';

const TURN_TIMEOUT_MS = 30_000;

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {string[]} argv */
function parseOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', multiple: true },
      all: { type: 'boolean', default: false },
      'install-only': { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.flatMap((list) => list.split(',')).filter((name) => name !== '');
  return { specs: values.all && only === undefined ? [...CLIS] : chooseClis(only), installOnly: values['install-only'], keep: values.keep };
}

/**
 * @param {import('./clis.mjs').InstalledCli[]} installed
 * @param {boolean} keep
 * @returns {Promise<number>} how many failed
 */
async function runLane(installed, keep) {
  const server = await startModelServer({ scripts });
  let failed = 0;
  try {
    // One after the other: the machine is small, and one CLI has a daemon on a fixed port.
    for (const cli of installed) {
      const startedAt = Date.now();
      const problems = await exercise(cli, { server, timeoutMs: TURN_TIMEOUT_MS, keep });
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      if (problems.length > 0) failed += 1;
      say(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${cli.spec.name.padEnd(9)} ${cli.spec.version.padEnd(9)} ${seconds.padStart(5)} s`);
      for (const problem of problems) say(`       ${problem}`);
    }
  } finally {
    await server.close();
  }
  return failed;
}

/**
 * @param {string[]} argv
 * @returns {Promise<number>} exit code
 */
async function main(argv) {
  let options;
  try {
    options = parseOptions(argv);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 2;
  }
  const { installed, refused } = await installClis(options.specs, { report: (line) => say(`     ${line}`) });
  if (options.installOnly) return refused.length === 0 ? 0 : 1;
  const failed = await runLane(installed, options.keep);
  for (const { spec, reason } of refused) say(`skip ${spec.name.padEnd(9)} ${spec.version.padEnd(9)} ${reason}`);
  say(`${installed.length - failed} passed, ${failed} failed, ${refused.length} skipped`);
  return failed > 0 || installed.length === 0 ? 1 : 0;
}

endCommandsOnSignal();
process.exitCode = await main(process.argv.slice(2));
