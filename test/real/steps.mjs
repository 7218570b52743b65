/** The steps of the end to end test with real CLIs, in the order in which they run. */

import { PROBED_CLIS } from './agent-clis.mjs';
import { exercise, scripts } from './lanes/direct.mjs';
import { runWithFaces } from './lanes/faces.mjs';
import { runHungModel, runLateError, runRateLimit, runRefusedKey, runSwitch, runUsageLimit } from './lanes/failures.mjs';
import { runLostRun, runLostWorker, runOnFleet } from './lanes/fleet.mjs';
import { runBare, runCostLimit, runDoctor, runLongPrompt } from './lanes/manners.mjs';
import { runOwnSandbox, WITH_OWN_SANDBOX } from './lanes/own-sandbox.mjs';
import { runPanel, runPanelOnFleet } from './lanes/panel.mjs';
import { runSafe } from './lanes/safe.mjs';
import { runSandboxTests } from './lanes/sandbox-tests.mjs';
import { runProbe, runScope } from './lanes/scope.mjs';
import { runSteered } from './lanes/steer.mjs';
import { runBeside, runCutLoose, runInterrupted, runKilled, runLostCli, runStopped } from './lanes/stops.mjs';
import { runLiarStory, runStory } from './lanes/story.mjs';
import { runTeam } from './lanes/team.mjs';
import { startModelServer } from './model-server.mjs';
import { acpWearerOf, acpWearersOf, wearerOf } from './wearers.mjs';

const TURN_TIMEOUT_MS = 30_000;

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} lane
 * @property {(bench: import('./bench.mjs').Bench, checks: import('./checks.mjs').Checks) => Promise<void>} run
 */

/** The lanes by name. */
export const LANES = ['team', 'scope', 'failures', 'faces', 'fleet', 'safe', 'story', 'steer', 'direct'];
/** Those that run unless others are asked for. */
export const DEFAULT_LANES = ['team', 'scope', 'failures', 'faces', 'fleet'];

/** Ways to be stopped, and the CLI that is stopped so unless all are. */
const STOPS = /** @type {const} */ ([
  { how: 'SIGTERM', by: 'claude' },
  { how: 'stop --now', by: 'pi' },
  { how: 'Ctrl+C twice', by: 'gemini' },
]);

/**
 * @param {import('./clis.mjs').InstalledCli[]} everyone
 * @param {object} options
 * @param {boolean} options.keep
 * @param {boolean} options.every each way to be stopped with each CLI
 * @param {string[]} options.scopeOnly CLIs that take part in the lane scope only
 * @param {string | undefined} options.noSandbox why the operating system has no sandbox; undefined where it has one
 * @param {string | undefined} options.noSocat why claude cannot have its own sandbox
 * @param {import('./own-network.mjs').OwnNetwork | undefined} options.ownNetwork how workers of a fleet get networks of their own; undefined where there is no fleet
 * @param {boolean} options.isSandboxNew it came after `npm test`, which had to leave its tests of the sandbox out
 * @param {(outcomes: import('./lanes/scope.mjs').Outcome[]) => Promise<void>} options.onScope is given what each layer stopped
 * @param {(hearing: import('./tells-page.mjs').Hearing) => void} options.onSteer is given how each agent heard a person
 * @returns {Step[]}
 */
export function planSteps(everyone, { keep, every, scopeOnly, noSandbox, noSocat, isSandboxNew, ownNetwork, onScope, onSteer }) {
  const installed = everyone.filter(({ spec }) => !scopeOnly.includes(spec.name));
  const names = installed.map(({ spec }) => spec.name);
  const acp = acpWearerOf(names);
  const wearers = [...names.map(wearerOf), ...(acp === undefined ? [] : [acp])];
  const versionOf = (/** @type {string} */ name) => installed.find(({ spec }) => spec.name === name)?.spec.version ?? '';
  const steered = [
    ...wearers
      .filter(({ cli }) => cli !== 'acp')
      .map(({ label, backend, cli }) => ({ label, version: versionOf(cli), backend, isTold: false })),
    ...acpWearersOf(names).map(({ label, backend, bin }) => ({ label, version: versionOf(bin), backend, isTold: true })),
    ...(names.includes('claude')
      ? [
          {
            label: 'claude with `prompt_mode: stream`',
            version: versionOf('claude'),
            backend: { .../** @type {object} */ (wearerOf('claude').backend), prompt_mode: 'stream' },
            isTold: true,
          },
        ]
      : []),
  ];
  // Where all CLIs go the same way of ours, some stand for all unless all are asked for.
  const some = every ? names : names.filter((name) => ['claude', 'codex', 'pi'].includes(name));
  /** @param {string} name @param {Step['run']} run */
  const failure = (name, run) => ({ lane: 'failures', name, run });
  /** @param {string} name @param {Step['run']} run */
  const fleet = (name, run) => ({ lane: 'fleet', name, run });
  return [
    {
      lane: 'team',
      name: `team of ${wearers.map(({ label }) => label).join(', ')}`,
      run: (bench, checks) => runTeam(bench, checks, names),
    },
    { lane: 'team', name: 'a panel of claude, codex and our own agent', run: (bench, checks) => runPanel(bench, checks, names) },
    { lane: 'team', name: 'long prompt, shown as text', run: (bench, checks) => runLongPrompt(bench, checks, some) },
    { lane: 'team', name: 'no configuration at all', run: runBare },
    { lane: 'team', name: 'limit of cost, then more', run: runCostLimit },
    { lane: 'team', name: 'doctor', run: (bench, checks) => runDoctor(bench, checks, installed) },
    {
      lane: 'scope',
      name: toScopeName(noSandbox),
      run: async (bench, checks) => onScope(await runScope(bench, checks, everyone, { noSandbox })),
    },
    { lane: 'scope', name: 'doctor --probe: claude', run: (bench, checks) => runProbe(bench, checks, 'claude', { noSandbox }) },
    ...WITH_OWN_SANDBOX.filter((cli) => names.includes(cli) && noSandbox === undefined && (cli !== 'claude' || noSocat === undefined)).map(
      (cli) => ({
        lane: 'scope',
        name: `its own sandbox, in a namespace: ${cli}`,
        /** @type {Step['run']} */
        run: (bench, checks) => runOwnSandbox(bench, checks, cli),
      }),
    ),
    ...names
      .filter((name) => PROBED_CLIS.some((probed) => probed === name) && noSandbox === undefined)
      .map((name) => ({
        lane: 'safe',
        name: `a safe run: ${name}`,
        /** @type {Step['run']} */
        run: (bench, checks) => runSafe(bench, checks, name),
      })),
    ...names
      .filter((name) => PROBED_CLIS.some((probed) => probed === name) && noSandbox === undefined)
      .flatMap((name) => [
        {
          lane: 'story',
          name: `evening and morning: ${name}`,
          /** @type {Step['run']} */
          run: (bench, checks) => runStory(bench, checks, name),
        },
        {
          lane: 'story',
          name: `evening and morning of a liar: ${name}`,
          /** @type {Step['run']} */
          run: (bench, checks) => runLiarStory(bench, checks, name),
        },
      ]),
    ...steered.map((wearer) => ({
      lane: 'steer',
      name: `asked and told: ${wearer.label}`,
      /** @type {Step['run']} */
      run: async (bench, checks) => onSteer({ ...wearer, ...(await runSteered(bench, checks, wearer)) }),
    })),
    ...wearers
      .filter(({ label }) => PROBED_CLIS.some((probed) => probed === label))
      .map(({ label, backend, cli }) => ({
        lane: 'steer',
        name: `asks by the tool: ${label}`,
        /** @type {Step['run']} */
        run: async (bench, checks) => {
          const wearer = { label, version: versionOf(cli), backend, isTold: false, asksByTool: true };
          onSteer({ ...wearer, ...(await runSteered(bench, checks, wearer)) });
        },
      })),
    ...(isSandboxNew ? [{ lane: 'scope', name: 'the tests of the sandbox', run: runSandboxTests }] : []),
    failure('refused key', (bench, checks) => runRefusedKey(bench, checks, some)),
    failure('rate limit', runRateLimit),
    failure('usage limit, then resume', runUsageLimit),
    failure('usage limit, then another CLI', runSwitch),
    failure('error after the event', runLateError),
    failure('hung model', (bench, checks) => runHungModel(bench, checks, names)),
    ...wearers
      // The slowest two; gemini is there over ACP.
      .filter(({ label }) => every || !['opencode', 'gemini'].includes(label))
      .map((wearer) => failure(`Ctrl+C, then resume: ${wearer.label}`, (bench, checks) => runInterrupted(bench, checks, wearer))),
    failure('two runs in one folder', runBeside),
    ...STOPS.flatMap(({ how, by }) =>
      wearers
        .filter(({ label }) => every || label === by)
        .map((wearer) => failure(`${how}: ${wearer.label}`, (bench, checks) => runStopped(bench, checks, wearer, how))),
    ),
    ...wearers
      // Its launcher dies, and the process behind it reports a success when it is ended.
      .filter(({ label }) => every || label === 'copilot')
      .map((wearer) => failure(`the CLI is killed: ${wearer.label}`, (bench, checks) => runLostCli(bench, checks, wearer))),
    ...wearers
      .filter(({ label }) => every || label === 'codex')
      .map((wearer) => failure(`kill -9, then resume: ${wearer.label}`, (bench, checks) => runKilled(bench, checks, wearer))),
    ...wearers
      .filter(({ label }) => every || ['claude', 'codex', 'opencode'].includes(label))
      .map((wearer) => failure(`a program cut loose: ${wearer.label}`, (bench, checks) => runCutLoose(bench, checks, wearer))),
    { lane: 'faces', name: 'faces come and go while claude and codex work', run: runWithFaces },
    ...(ownNetwork === undefined
      ? []
      : [
          fleet('claude, codex and our own agent on two workers', (bench, checks) => runOnFleet(bench, checks, ownNetwork)),
          fleet('a panel of claude, codex and our own agent on two workers', (bench, checks) => runPanelOnFleet(bench, checks, ownNetwork)),
          fleet('the worker of codex is killed', (bench, checks) => runLostWorker(bench, checks, ownNetwork)),
          fleet('the run is killed, and goes on with the worker of claude', (bench, checks) => runLostRun(bench, checks, ownNetwork)),
        ]),
    ...installed.map((cli) => ({
      lane: 'direct',
      name: `direct: ${cli.spec.name}`,
      run: (/** @type {unknown} */ _bench, /** @type {import('./checks.mjs').Checks} */ checks) => runDirect(cli, checks, keep),
    })),
  ];
}

/** @param {string | undefined} noSandbox */
function toScopeName(noSandbox) {
  const layers = noSandbox === undefined ? 'by flags alone, then with bubblewrap' : `by flags alone (${noSandbox})`;
  return `a critic is held: ${layers}`;
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
