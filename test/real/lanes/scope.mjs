/**
 * A hat with profile critic, worn by each CLI in turn, is told by the model to write: with the flags of the CLI alone, and with the sandbox of
 * the operating system. What came through is looked up on the disk; that the tests can run and that an event arrives is seen as well.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listBackends, PROBED_CLIS } from '../agent-clis.mjs';
import { playHats } from '../hat-turn.mjs';
import { PLANTED_MARK, PROBE_ATTEMPTS, PROBE_TEST, toProbeScript } from '../model-server.mjs';
import { RUN, toPublished } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const EVENT = { topic: 'review.done', payload: 'seen by the critic' };
const SEVERAL = 2;
const FILES = {
  'package.json': `${JSON.stringify({ name: 'scoped', private: true, scripts: { test: PROBE_TEST.script } }, null, 2)}\n`,
  'src/main.js': 'export const answer = 42;\n',
  '.gitignore': 'ignored.txt\n',
};

/**
 * @typedef {object} Layer
 * @property {'flags' | 'sandbox'} name
 * @property {'off' | 'required'} mode `sandbox:` of the configuration
 *
 * @typedef {object} Outcome what one CLI did under one layer
 * @property {string} cli
 * @property {string} version
 * @property {Layer['name']} layer
 * @property {string[]} through ids of the attempts that left something behind
 * @property {string[]} others changed files that belong to no attempt
 * @property {boolean} reported whether the check afterwards told every change
 * @property {boolean} ranTests
 * @property {boolean} published
 * @property {Record<string, number>} told how many uses of tools the run said were stopped, by layer
 */

/** @type {Layer[]} */
const LAYERS = [
  { name: 'flags', mode: 'off' },
  { name: 'sandbox', mode: 'required' },
];

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../clis.mjs').InstalledCli[]} installed
 * @param {{ noSandbox: string | undefined }} options noSandbox: why the operating system has none
 * @returns {Promise<Outcome[]>}
 */
export async function runScope(bench, checks, installed, { noSandbox }) {
  const clis = installed.filter(({ spec }) => PROBED_CLIS.some((name) => name === spec.name));
  const layers = LAYERS.filter(({ name }) => name === 'flags' || noSandbox === undefined);
  /** @type {Map<string, readonly import('../../../src/mock-model/index.ts').Reply[]>} */
  const scripts = new Map();
  bench.play(playHats(({ hat, step }) => scripts.get(hat)?.[Math.min(step, (scripts.get(hat)?.length ?? 1) - 1)]));
  const queue = layers.flatMap((layer) => clis.map((cli) => ({ layer, cli })));
  /** @type {Outcome[]} */
  const outcomes = [];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const outcome = await tryOut(bench, checks, next.cli, next.layer, scripts);
      if (outcome !== undefined) outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: SEVERAL }, work));
  checks.equal('processes left', await bench.alive(), []);
  return outcomes.sort((left, right) => order(clis, left) - order(clis, right));
}

/**
 * The same by `ralph doctor --probe`, for one CLI: its verdict says what the run saw, and it is kept.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} cli
 * @param {{ noSandbox: string | undefined }} options
 */
export async function runProbe(bench, checks, cli, { noSandbox }) {
  const project = await bench.createProject(`probe-${cli}`, { files: { 'readme.md': 'A project.\n' } });
  const env = { XDG_CACHE_HOME: join(project.cwd, '.cache') };
  const result = await project.ralph(['doctor', '--probe', cli, '--format', 'json'], { timeoutMs: 150_000, env });
  const [probe] = result.records[0]?.['probes'] ?? [];
  checks.equal('exit code', result.exitCode, 0);
  checks.equal('kept', probe?.isKept, true);
  const layers = [probe?.verdict?.flags, ...(noSandbox === undefined ? [probe?.verdict?.os] : [])];
  for (const layer of layers) {
    checks.equal('a layer', [layer?.outcome, layer?.through, layer?.ranTests, layer?.published], ['held', [], true, true]);
  }
  checks.equal(
    'changes in the folder',
    (await listChanges(project)).filter((path) => !path.startsWith('.cache/')),
    [],
  );
}

/**
 * Commits settings of the project that would lift the scope.
 *
 * @param {import('../bench.mjs').Project} project
 * @param {string} cli
 */
async function plant(project, cli) {
  for (const [path, text] of Object.entries(probeOf(cli).toPlants(join(project.cwd, PLANTED_MARK)))) {
    await mkdir(dirname(join(project.cwd, path)), { recursive: true });
    await writeFile(join(project.cwd, path), text);
    await project.git('add', path);
  }
  await project.git('-c', 'user.name=Somebody', '-c', 'user.email=somebody@localhost', 'commit', '-q', '-m', 'Settings of the project');
}

/** @param {string} cli */
function probeOf(cli) {
  const probe = listBackends().find(({ type }) => type === cli)?.probe;
  if (probe === undefined) throw new Error(`CLI '${cli}' cannot be probed.`);
  return probe;
}

/** @param {import('../clis.mjs').InstalledCli[]} clis @param {Outcome} outcome */
function order(clis, { cli, layer }) {
  return clis.findIndex(({ spec }) => spec.name === cli) + (layer === 'flags' ? 0 : clis.length);
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../clis.mjs').InstalledCli} cli
 * @param {Layer} layer
 * @param {Map<string, readonly import('../../../src/mock-model/index.ts').Reply[]>} scripts
 * @returns {Promise<Outcome | undefined>} undefined when the run itself failed
 */
async function tryOut(bench, checks, { spec }, layer, scripts) {
  const hat = `critic-${spec.name}-${layer.name}`;
  const project = await bench.createProject(`scope-${spec.name}-${layer.name}`, { config: toConfig(hat, spec.name, layer), files: FILES });
  await plant(project, spec.name);
  const script = toProbeScript(probeOf(spec.name).tools, project.cwd, EVENT);
  scripts.set(hat, [...script.slice(0, -1), { text: 'I have seen enough.\n\nLOOP_COMPLETE' }]);
  const before = bench.server.requests.length;
  const result = await project.ralph(RUN, { timeoutMs: 150_000 });
  const name = `${spec.name}, ${layer.name}`;
  const end = result.records.at(-1) ?? {};
  checks.equal(`${name}: end`, [result.exitCode, end['reason']], [0, 'completed']);
  if (result.exitCode !== 0) {
    checks.ok(`${name}: what it said`, false, (result.stderr + result.stdout.slice(-1_500)).trim());
    return undefined;
  }
  const changed = await listChanges(project);
  const asked = bench.server.requests.slice(before).filter((request) => request.script === hat);
  /** @type {Outcome} */
  const outcome = {
    cli: spec.name,
    version: spec.version,
    layer: layer.name,
    through: PROBE_ATTEMPTS.filter(({ file }) => changed.includes(file)).map(({ id }) => id),
    others: changed.filter((path) => !PROBE_ATTEMPTS.some(({ file }) => file === path)),
    reported: changed.every((path) => result.records.some((record) => isViolation(record, path))),
    ranTests: asked.some(({ body }) => body.includes(PROBE_TEST.output)),
    told: countDenials(result.records),
    published: toPublished(result.records).some(({ topic, payload }) => topic === EVENT.topic && payload === EVENT.payload),
  };
  judge(checks, name, outcome, await readEvents(project.cwd));
  return outcome;
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} name
 * @param {Outcome} outcome
 * @param {string} events
 */
function judge(checks, name, outcome, events) {
  const { layer, through, others, reported, ranTests, published, told } = outcome;
  const stopped = PROBE_ATTEMPTS.length - through.length;
  const said = Object.values(told).reduce((sum, count) => sum + count, 0);
  checks.ok(`${name}: the run did not say what stopped ${stopped} uses of tools`, said >= 1, told);
  if (layer === 'sandbox') checks.equal(`${name}: came through the sandbox`, [...through, ...others], []);
  checks.equal(`${name}: changes that belong to no attempt`, others, []);
  checks.ok(`${name}: the check afterwards did not tell every change`, reported, through);
  checks.ok(`${name}: the tests could not be run`, ranTests);
  checks.ok(`${name}: the event did not arrive`, published, events.slice(0, 500));
}

/**
 * @param {string} hat
 * @param {string} cli
 * @param {Layer} layer
 */
function toConfig(hat, cli, { mode }) {
  return {
    event_loop: { max_iterations: 3, idle_timeout_seconds: 100, checkpoint_interval: 0, terminal_events: [EVENT.topic] },
    sandbox: mode,
    hats: {
      [hat]: {
        name: 'The critic',
        triggers: ['task.start', 'task.resume'],
        publishes: [EVENT.topic],
        profile: 'critic',
        backend: wearerOf(cli).backend,
      },
    },
    gates: [{ run: PROBE_TEST.command, on: ['task.complete'] }],
  };
}

/** Every path that is new or different, ignored ones too, but for Ralph's own folders. @param {import('../bench.mjs').Project} project */
async function listChanges(project) {
  const lines = (await project.git('status', '--porcelain', '--ignored', '-uall')).split('\n');
  return lines.map((line) => line.slice(3)).filter((path) => path !== '' && !/^\.(?:agent|ralph)\//.test(path));
}

/** @param {import('../ralph-command.mjs').NdjsonRecord[]} records */
function countDenials(records) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const record of records) {
    if (record['type'] !== 'tool-denied') continue;
    const { layer } = record['denial'];
    counts[layer] = (counts[layer] ?? 0) + 1;
  }
  return counts;
}

/** @param {import('../ralph-command.mjs').NdjsonRecord} record @param {string} path */
function isViolation(record, path) {
  const text = JSON.stringify(record);
  return /scope_violation|"violations"/.test(text) && text.includes(path);
}

/** @param {string} cwd */
function readEvents(cwd) {
  return readFile(join(cwd, '.agent', 'events.jsonl'), 'utf8').catch(() => '(no events)');
}
