/** The steps of the end to end test with real CLIs, in the order in which they run. */
import { exercise, scripts } from './lanes/direct.mjs';
import { runHungModel, runInterrupted, runKilled, runRateLimit, runRefusedKey, runStopped, runSwitch, runUsageLimit } from './lanes/failures.mjs';
import { runTeam } from './lanes/team.mjs';
import { startModelServer } from './model-server.mjs';
import { acpWearerOf, wearerOf } from './wearers.mjs';

const TURN_TIMEOUT_MS = 30_000;

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} lane
 * @property {(bench: import('./bench.mjs').Bench, checks: import('./checks.mjs').Checks) => Promise<void>} run
 */

/** The lanes by name; the first two run unless others are asked for. */
export const LANES = ['team', 'failures', 'direct'];
export const DEFAULT_LANES = ['team', 'failures'];

/**
 * @param {import('./clis.mjs').InstalledCli[]} installed
 * @param {{ keep: boolean }} options
 * @returns {Step[]}
 */
export function planSteps(installed, { keep }) {
  const names = installed.map(({ spec }) => spec.name);
  const acp = acpWearerOf(names);
  const wearers = [...names.map(wearerOf), ...(acp === undefined ? [] : [acp])];
  /** @param {string} name @param {Step['run']} run */
  const failure = (name, run) => ({ lane: 'failures', name, run });
  return [
    {
      lane: 'team',
      name: `team of ${wearers.map(({ label }) => label).join(', ')}`,
      run: (bench, checks) => runTeam(bench, checks, names),
    },
    failure('refused key', (bench, checks) => runRefusedKey(bench, checks, names)),
    failure('rate limit', runRateLimit),
    failure('usage limit, then resume', runUsageLimit),
    failure('usage limit, then another CLI', runSwitch),
    failure('hung model', (bench, checks) => runHungModel(bench, checks, names)),
    ...wearers.map((wearer) => failure(`Ctrl+C, then resume: ${wearer.label}`, (bench, checks) => runInterrupted(bench, checks, wearer))),
    ...wearers.map((wearer) => failure(`Ctrl+C twice: ${wearer.label}`, (bench, checks) => runStopped(bench, checks, wearer, 'Ctrl+C twice'))),
    ...wearers.map((wearer) => failure(`SIGTERM: ${wearer.label}`, (bench, checks) => runStopped(bench, checks, wearer, 'SIGTERM'))),
    ...wearers.map((wearer) => failure(`kill -9, then resume: ${wearer.label}`, (bench, checks) => runKilled(bench, checks, wearer))),
    ...installed.map((cli) => ({
      lane: 'direct',
      name: `direct: ${cli.spec.name}`,
      run: (/** @type {unknown} */ _bench, /** @type {import('./checks.mjs').Checks} */ checks) => runDirect(cli, checks, keep),
    })),
  ];
}

/**
 * @param {import('./clis.mjs').InstalledCli} cli
 * @param {import('./checks.mjs').Checks} checks
 * @param {boolean} keep
 */
async function runDirect(cli, checks, keep) {
  const server = await startModelServer({ scripts });
  try {
    checks.problems.push(...(await exercise(cli, { server, timeoutMs: TURN_TIMEOUT_MS, keep })));
  } finally {
    await server.close();
  }
}
