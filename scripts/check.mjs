/**
 * The one check: `npm run check` runs the quick steps, two at a time; `npm test` (`--all`) builds, then runs them and the longer suites.
 * A passing step is one line; a failing one shows what it printed.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARALLEL = 2;

/** A person looks on: colours, also through the pipes. */
const COLOURED = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

const LINT_FLAGS = ['--error-on-warnings', '--diagnostic-level=warn', '--max-diagnostics=50', `--colors=${COLOURED ? 'force' : 'off'}`];

/** What passed at the second try is named. Vitest takes a CI machine for one with colours. */
const toReporters = (name) => ['--reporter', name, '--reporter', './scripts/flaky-reporter.mjs', ...(COLOURED ? [] : ['--no-color'])];

/** By default one core is left free, which on two of them leaves half of the machine idle. */
const UNIT_TESTS = bin('vitest', 'run', '--maxWorkers=3', ...toReporters('minimal'), '--project', 'unit');

/** Linux keeps what is in it in memory: nothing waits for a disk. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1 << 30;

/** Where unit tests make their folders: journals and sessions wait for the disk at each entry, which is most of the time of their tests. */
function makeTestFolder() {
  return mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'ralph-check-'));
}

function hasRoomInMemory() {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Of the samples of `npm test` a part is taken where its time is limited, as on CI. */
const PART = Number(process.env.RALPH_TEST_SAMPLES ?? 1);

/** @param {number} count of a whole `npm test` */
function toSamples(count) {
  return Math.max(1, Math.round(count * PART));
}

/** Of the samples of property tests. */
function toShare() {
  return `RALPH_PROPERTY_SHARE=${0.5 * PART}`;
}

/** Enough to see that a law still holds; `npm test` takes five times as many. */
const FEW_SAMPLES = ['RALPH_PROPERTY_SHARE=0.1', 'RALPH_SIM_RUNS=20', 'RALPH_MUTATIONS=40', 'RALPH_YAML_RUNS=100'];

/** By content, since a clone gives every file a new time. */
const DEPCRUISE_CACHE = ['--cache', 'node_modules/.cache/dependency-cruiser', '--cache-strategy', 'content'];

/** Slow ones first, so that the quick ones fill the other lane. The check takes a part of the samples of property tests. */
const toCheckSteps = (all, testFolder) => [
  { name: 'unit tests', commands: [['env', `TMPDIR=${testFolder}`, ...(all ? [toShare()] : FEW_SAMPLES), ...UNIT_TESTS]] },
  // The compiler of 7.x is a native program and takes a tenth of the time; what reads types through its API (the room rules) needs the one before it.
  // By itself it checks with four threads, each of which works out anew what the types of others are: more work, on cores that the tests have taken.
  // The page runs in a browser: it has other globals, and none of Node.
  {
    name: 'types',
    commands: ['tsconfig.json', 'tsconfig.page.json'].map((project) => [
      process.execPath,
      'node_modules/typescript-7/bin/tsc',
      '--singleThreaded',
      '-p',
      project,
    ]),
  },
  {
    name: 'rooms',
    commands: [
      script('rooms.mjs'),
      bin('depcruise', ...DEPCRUISE_CACHE, '--config', '.dependency-cruiser.mjs', ...folders('src', 'test', 'bench')),
    ],
  },
  { name: 'dead code', commands: [bin('knip', '--cache')] },
  { name: 'lint and format', commands: [bin('biome', 'ci', ...LINT_FLAGS)] },
  { name: 'sizes', commands: [script('ratchet.mjs')] },
  { name: 'source rules', commands: [script('source-rules.mjs'), script('tools.mjs'), script('prices.mjs')] },
];

const BUILD_STEPS = [
  { name: 'build', commands: [script('build.mjs')] },
  { name: 'package', commands: [bin('publint', '--strict')] },
];

/** So many files at a time, each in folders of its own: most of the contract tests only compute, those of git wait for processes, and those from end to end wait longer. */
const AT_A_TIME = new Map([
  ['git', 2],
  ['contract', 2],
  ['e2e', 3],
]);

/** These use child processes and clocks; their progress is shown. */
const SUITES = ['process', 'git', 'contract', 'replay', 'scenario', 'e2e'].map((project) => ({
  name: `${project} tests`,
  commands: [
    [
      ...['env', toShare()],
      ...bin(
        'vitest',
        'run',
        ...(AT_A_TIME.has(project) ? [`--maxWorkers=${AT_A_TIME.get(project)}`] : []),
        ...toReporters(COLOURED ? 'default' : 'dot'),
      ),
      ...['--project', project],
    ],
  ],
  shown: true,
}));

/** These only compute: beside the suites, which mostly wait for child processes, and with what those leave of the machine. */
const BESIDE = ['nice', '-n', '19', 'env'];

/** Of a step that names files: one of which no test is left is a mistake here, and not a pass. */
const SOME_TESTS = '--passWithNoTests=false';

/** The check plays 20 simulated runs; this plays fifty times as many. */
const SIMULATION = {
  name: 'simulation',
  commands: [
    [
      ...BESIDE,
      `RALPH_SIM_RUNS=${toSamples(1000)}`,
      ...bin('vitest', 'run', '--maxWorkers=1', SOME_TESTS, '--project', 'unit', 'test/simulation'),
    ],
  ],
};

/** The check loads a few mutated configurations, reads as many odd texts by both readers, and repairs some broken teams; this takes thousands. */
const MUTATIONS = {
  name: 'mutations',
  commands: [
    [
      ...BESIDE,
      `RALPH_MUTATIONS=${toSamples(4000)}`,
      `RALPH_YAML_RUNS=${toSamples(2000)}`,
      `RALPH_BROKEN_TEAMS=${toSamples(800)}`,
      ...bin('vitest', 'run', '--maxWorkers=1', SOME_TESTS, '--project', 'unit'),
      ...['src/config/yaml/mutated-yaml', 'src/config/yaml/parse-yaml', 'src/validation/broken-teams'],
    ],
  ],
};

/** The suite of git plays a few; these mostly wait for git. */
const HISTORIES = {
  name: 'undo histories',
  commands: [
    [
      ...[...BESIDE, `RALPH_UNDO_HISTORIES=${toSamples(100)}`, ...bin('vitest', 'run', '--maxWorkers=1', SOME_TESTS, '--project', 'git')],
      ...['src/workspace/undo/undo-work', '-t', 'after any history'],
    ],
  ],
};

/** Those of the folders that exist. */
function folders(...names) {
  return names.filter((name) => existsSync(join(ROOT, name)));
}

function bin(name, ...args) {
  return [`node_modules/.bin/${name}`, ...args];
}

function script(name, ...args) {
  return [process.execPath, `scripts/${name}`, ...args];
}

/** Named once more in the last line: what they printed may be far up. */
const failedSteps = [];

/** Runs a step's commands in order, to the end even when one fails. */
async function runStep(step) {
  const startedAt = performance.now();
  const results = [];
  for (const command of step.commands) results.push(await runCommand(command, step.shown));
  const passed = results.every((result) => result.passed);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${step.name.padEnd(16)} ${seconds.padStart(6)} s`);
  for (const flaky of results.flatMap((result) => result.output.match(/^flaky: .*$/gm) ?? [])) console.log(flaky);
  if (!passed) failedSteps.push(step.name);
  if (!passed) console.log(results.map((result) => (result.passed ? '' : result.output)).join(''));
  return passed;
}

function runCommand([command, ...args], shown = false) {
  return new Promise((resolve) => {
    const chunks = [];
    const child = spawn(command, args, {
      cwd: ROOT,
      env: COLOURED ? { ...process.env, FORCE_COLOR: '1' } : process.env,
      stdio: shown ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => resolve({ passed: false, output: `${command}: ${error.message}\n` }));
    child.once('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Runs steps in `lanes` lanes and returns whether all passed. */
async function runSteps(steps, lanes) {
  const waiting = [...steps];
  let allPassed = true;
  const lane = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step))) allPassed = false;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return allPassed;
}

async function main(all) {
  const startedAt = performance.now();
  // The suites run the built command: without a build they would test the last one.
  let passed = !all || (await runSteps(BUILD_STEPS, 1));
  const testFolder = makeTestFolder();
  process.once('exit', () => rmSync(testFolder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  passed = (await runSteps(toCheckSteps(all, testFolder), PARALLEL)) && passed;
  if (all) {
    const lanes = await Promise.all([runSteps(SUITES, 1), runSteps([SIMULATION, MUTATIONS, HISTORIES], 1)]);
    passed = lanes.every(Boolean) && passed;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(passed ? `all passed in ${seconds} s` : `failed after ${seconds} s: ${failedSteps.join(', ')}`);
  process.exitCode = passed ? 0 : 1;
}

await main(process.argv.includes('--all'));
