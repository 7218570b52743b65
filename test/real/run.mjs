/**
 * End to end with the real agent CLIs: installs the pinned versions into the cache, starts the mock model server, and lets `ralph` run
 * them as a team and through failures. One line per step; a CLI that cannot be installed here is named, and its hats are left out.
 *
 *   node test/real/run.mjs [--only claude,codex,gemini] [--all] [--lane team,scope,failures,faces,fleet,safe,story,steer,direct] [--step TEXT] [--keep] [--install-only] [--write]
 *
 * --only: these CLIs; --all: the slow ones too, and every way to be stopped with each; without both, of the slow ones only those that are held by a
 * profile, and only in the lane scope. --lane: default team, scope, failures, faces and fleet; fleet has two workers take the turns, each in a network of its own; safe lets each CLI try what a safe run must hold, story is an evening and a
 * morning of a person with each, steer tells and answers each while it works, direct asks each CLI alone, without ralph.
 * --step: only steps whose name holds the text. --keep: leaves the folders there for a look.
 * --write: puts what each layer stopped into docs/guide/sandbox-layers.md, and how each agent hears a person into docs/guide/steering.md; otherwise the
 * pages are only compared.
 *
 * Exit code: 0 all that ran passed, 1 something failed or could not run, 2 wrong usage.
 */
import { parseArgs } from 'node:util';
import { findMissing } from '../debian-program.mjs';
import { NATS_SERVER } from '../nats-server.mjs';
import { PROBED_CLIS } from './agent-clis.mjs';
import { createBench } from './bench.mjs';
import { ensureBubblewrap, ensureSocat } from './bubblewrap.mjs';
import { createChecks } from './checks.mjs';
import { CLIS, chooseClis, installClis } from './clis.mjs';
import { keepLayers } from './layers-page.mjs';
import { findOwnNetwork } from './own-network.mjs';
import { endRalphs } from './ralph-command.mjs';
import { endCommandsOnSignal } from './run-bounded.mjs';
import { DEFAULT_LANES, LANES, planSteps } from './steps.mjs';
import { keepHearings } from './tells-page.mjs';
import { acpWearerOf } from './wearers.mjs';

/** Without these a team is none: their install may not be refused. */
const NEEDED = ['claude', 'codex'];

/** On a CI machine nobody can ask again: a step that failed there gets one more try, and the log shows both. */
const TRIES = process.env.CI === undefined && process.env.RALPH_TEST_TRIES !== '2' ? 1 : 2;

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {number} startedAt */
function secondsSince(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
}

/** @param {string[]} argv */
function parseOptions(argv) {
  const list = { type: /** @type {const} */ ('string'), multiple: /** @type {const} */ (true) };
  const flag = { type: /** @type {const} */ ('boolean'), default: false };
  const { values } = parseArgs({
    args: argv,
    options: { only: list, lane: list, step: list, all: flag, keep: flag, write: flag, 'install-only': flag },
  });
  const split = (/** @type {string[] | undefined} */ lists) => lists?.flatMap((names) => names.split(',')).filter((name) => name !== '');
  const only = split(values.only);
  const lanes = split(values.lane) ?? DEFAULT_LANES;
  const unknown = lanes.find((lane) => !LANES.includes(lane));
  if (unknown !== undefined) throw new Error(`Unknown lane '${unknown}'. Known: ${LANES.join(', ')}.`);
  const usual = values.all && only === undefined ? [...CLIS] : chooseClis(only);
  const scopeOnly = only === undefined && !values.all && lanes.includes('scope') ? CLIS.filter(isSlowAndHeld) : [];
  return {
    specs: [...usual, ...scopeOnly],
    scopeOnly: scopeOnly.map(({ name }) => name),
    lanes,
    steps: values.step ?? [],
    keep: values.keep,
    write: values.write,
    every: values.all,
    installOnly: values['install-only'],
  };
}

/** @param {import('./clis.mjs').CliSpec} spec */
function isSlowAndHeld({ name, slow }) {
  return slow && PROBED_CLIS.some((probed) => probed === name);
}

/**
 * Runs a step and prints how it went.
 *
 * @param {ReturnType<typeof planSteps>[number]} step
 * @param {Awaited<ReturnType<typeof createBench>>} bench
 * @returns {Promise<boolean>} true if it passed
 */
async function runStep({ name, run }, bench) {
  const startedAt = Date.now();
  const checks = createChecks();
  await run(bench, checks).catch((error) => checks.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  const isPassed = checks.problems.length === 0;
  say(`${isPassed ? 'ok  ' : 'FAIL'} ${secondsSince(startedAt)}  ${name}`);
  for (const note of checks.notes) say(`       ${note}`);
  for (const problem of checks.problems) say(`       ${problem}`);
  return isPassed;
}

/**
 * @param {import('./clis.mjs').InstalledCli[]} installed
 * @param {ReturnType<typeof parseOptions>} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
async function runSteps(installed, { lanes, steps, keep, write, every, scopeOnly }) {
  const { flaw: noSandbox, isNew } = ['scope', 'safe', 'story'].some((lane) => lanes.includes(lane))
    ? await ensureBubblewrap()
    : { flaw: undefined, isNew: false };
  if (noSandbox !== undefined) say(`skip           the sandbox of the operating system: ${noSandbox}`);
  const noSocat = lanes.includes('scope') && noSandbox === undefined ? await ensureSocat() : undefined;
  if (noSocat !== undefined) say(`skip           claude's own sandbox: ${noSocat}`);
  const noFleet = lanes.includes('fleet') ? findMissing('real', 'nats-server', NATS_SERVER) : null;
  if (noFleet !== null) say(`skip           a fleet: nats-server: ${noFleet}`);
  const onScope = async (/** @type {import('./lanes/scope.mjs').Outcome[]} */ outcomes) => {
    for (const line of await keepLayers(outcomes, { write })) say(`     ${line}`);
  };
  /** @type {import('./tells-page.mjs').Hearing[]} */
  const hearings = [];
  const chosen = planSteps(installed, {
    keep,
    every,
    scopeOnly,
    noSandbox,
    noSocat,
    onScope,
    onSteer: (hearing) => hearings.push(hearing),
    ownNetwork: lanes.includes('fleet') && noFleet === null ? findOwnNetwork() : undefined,
    isSandboxNew: isNew && noSandbox === undefined,
  }).filter(({ lane, name }) => lanes.includes(lane) && (steps.length === 0 || steps.some((text) => name.includes(text))));
  const bench = await createBench(installed, { keep });
  let failed = 0;
  try {
    // One after the other: the machine is small, and some CLIs share a daemon or a database in HOME.
    for (const step of chosen) {
      let isPassed = await runStep(step, bench);
      if (!isPassed && TRIES > 1) {
        say(`again          ${step.name}`);
        isPassed = await runStep(step, bench);
      }
      if (!isPassed) failed += 1;
    }
    if (failed === 0 && hearings.length > 0) {
      const names = installed.map(({ spec }) => spec.name);
      const missing = [
        ...CLIS.map(({ name }) => name).filter((name) => !names.includes(name)),
        ...(steps.length > 0 ? ['the steps left out'] : []),
      ];
      for (const line of await keepHearings(hearings, { write, missing })) say(`     ${line}`);
    }
  } finally {
    await bench.dispose();
    if (keep) say(`     kept: ${bench.home}`);
  }
  return { passed: chosen.length - failed, failed };
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
  const startedAt = Date.now();
  const { installed, refused } = await installClis(options.specs, { report: (line) => say(`     ${line}`) });
  for (const { spec, reason } of refused) say(`skip           the hats of ${spec.name} ${spec.version}: ${reason}`);
  if (acpWearerOf(installed.map(({ spec }) => spec.name)) === undefined)
    say('skip           the hat over ACP: no CLI that speaks it is there');
  if (options.installOnly) return refused.length === 0 ? 0 : 1;
  const isTeam = options.lanes.some((lane) => !['direct', 'safe', 'story'].includes(lane));
  const missing = NEEDED.filter((name) => isTeam && !installed.some(({ spec }) => spec.name === name));
  if (missing.length > 0) say(`FAIL           these CLIs are needed and are not there: ${missing.join(', ')}`);
  if (missing.length > 0 || installed.length === 0) return 1;
  const { passed, failed } = await runSteps(installed, options);
  say(`${passed} passed, ${failed} failed, ${refused.length} CLIs skipped, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

endCommandsOnSignal(endRalphs);
process.exitCode = await main(process.argv.slice(2));
