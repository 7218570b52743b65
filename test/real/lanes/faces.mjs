/**
 * Faces come and go while real CLIs work: a team of claude and codex is run without any, and then with faces that are opened and closed at random
 * moments, by their keys and by kill -9. Whatever becomes of them, the run is the same.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closeTerminal, KINDS, killView, nameOf, playVisit, untilDrawn, watchFolder } from '../face-visits.mjs';
import { appendLine, inOrder, playHats } from '../hat-turn.mjs';
import { findNoTerminal, toRecords } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const RUN = ['run', '-p', 'Fill work/result.txt.'];
const RUN_MS = 90_000;
/** The view of `ralph run` is closed at most so long after the run has begun. */
const MAX_VIEW_MS = 4_000;
/** On a machine that is busy with other work no further run is begun after so long. */
const BUDGET_MS = 45_000;
const LOOK_EVERY_MS = 50;
/** Between two faces of the same visitor. */
const MAX_PAUSE_MS = 500;
/** Two look at the same time. */
const VISITORS = 2;
/** Models take their time, so that a moment is often one in the middle of a turn. */
const DELAY_MS = 250;

/** As for property tests: the same at every run, unless RALPH_PROPERTY_SEED says another number or `random`. */
const SEED = toSeed(process.env['RALPH_PROPERTY_SEED'] ?? '20261123');

const CHECK = `import { readFileSync } from 'node:fs';
if (!readFileSync('work/result.txt', 'utf8').includes('right')) throw new Error('the result is not right yet');
`;
const CONFIG = {
  event_loop: { max_iterations: 12, checkpoint_interval: 2 },
  gates: [{ name: 'result', on: ['build.done'], run: 'node check.mjs' }],
  hats: {
    planner: { triggers: ['task.start', 'task.resume'], publishes: ['build.task'], backend: wearerOf('claude').backend },
    builder: {
      triggers: ['build.task', 'build.blocked'],
      publishes: ['build.done'],
      backend: wearerOf('codex').backend,
    },
    reviewer: { triggers: ['build.done'], publishes: ['LOOP_COMPLETE'], backend: wearerOf('claude').backend },
  },
};
/** The gate sends the builder back once. */
const ORDER = ['planner', 'builder', 'builder', 'reviewer'];

/**
 * @typedef {import('../bench.mjs').Bench} Bench
 * @typedef {import('../bench.mjs').Project} Project
 * @typedef {import('../checks.mjs').Checks} Checks
 * @typedef {import('../ralph-command.mjs').RunningRalph} RunningRalph
 * @typedef {import('../face-visits.mjs').WatchedRun} WatchedRun
 * @typedef {import('../face-visits.mjs').Visited} Visited
 * @typedef {import('../face-visits.mjs').Kind} Kind
 *
 * @typedef {object} Fate what becomes of the face that a run is started with
 * @property {string} name
 * @property {boolean} hasView
 * @property {boolean} isClosed before the run has ended
 * @property {(view: RunningRalph, run: WatchedRun) => Promise<void>} meet
 */

/** So many are played however slow it is. */
const MIN_RUNS = 2;
/** @type {readonly Fate[]} */
const FATES = [
  { name: 'run: kill -9 of its view', hasView: true, isClosed: true, meet: killView },
  { name: 'run: terminal closed', hasView: true, isClosed: true, meet: closeTerminal },
  {
    name: 'run: its view left open',
    hasView: true,
    isClosed: false,
    meet: async (view, run) => {
      await untilDrawn(view, run);
      const { exitCode } = await view.result;
      if (exitCode !== 0) throw new Error(`ralph run in a terminal: exit code ${exitCode}\n${view.said().slice(-1_000)}`);
    },
  },
  { name: 'run --no-tui', hasView: false, isClosed: false, meet: async () => {} },
];

/**
 * @param {Bench} bench
 * @param {Checks} checks
 */
export async function runWithFaces(bench, checks) {
  const startedAt = Date.now();
  const noTerminal = findNoTerminal();
  if (noTerminal !== undefined) checks.note(`skip: what needs a terminal: ${noTerminal}`);
  const kinds = KINDS.filter(({ needsTerminal }) => noTerminal === undefined || !needsTerminal);
  bench.play(playHats(playTurn));
  const calm = await playCalm(bench, checks);
  if (calm === undefined) return;
  const dealer = createDealer(kinds);
  /** @type {Visited[]} */
  const all = [];
  const fates = FATES.filter(({ hasView }) => noTerminal === undefined || !hasView);
  /** @type {Fate[]} */
  const played = [];
  for (const fate of fates) {
    if (played.length >= MIN_RUNS && Date.now() - startedAt > BUDGET_MS) break;
    all.push(...(await playBesideFaces(bench, checks, { fate, calm, dealer })));
    played.push(fate);
  }
  for (const { name } of fates.slice(played.length)) checks.note(`skip: ${name}: the machine is slow`);
  const done = new Set(all.filter(({ isWithin }) => isWithin).map(({ name }) => name));
  const wanted = [...kinds.map(nameOf), ...played.filter(({ isClosed }) => isClosed).map(({ name }) => name)];
  const missing = wanted.filter((name) => !done.has(name));
  checks.equal('never opened and closed while a run was under way', missing, []);
  checks.note(`${all.length} faces, ${all.filter(({ isWithin }) => isWithin).length} of them closed while the run went on (seed ${SEED})`);
}

/** @param {import('../hat-turn.mjs').HatTurn} turn */
function playTurn(turn) {
  const reply = toReply(turn);
  return reply === undefined ? undefined : { delayMs: DELAY_MS, ...reply };
}

/** Each turn leaves a line, so that one too many is seen in the files. @param {import('../hat-turn.mjs').HatTurn} turn */
function toReply(turn) {
  const { hat, prompt } = turn;
  const log = (/** @type {string} */ words) => `mkdir -p work && echo '${hat}: ${words}' >> work/log.txt`;
  const publish = (/** @type {string} */ topic, /** @type {string} */ payload) => ({
    text: 'I publish.',
    shell: hat === 'builder' ? appendLine(topic, payload) : `"$RALPH_BIN" emit ${topic} '${payload}'`,
  });
  const end = { text: `The ${hat} has published.` };
  if (hat === 'planner') return inOrder(turn, { text: 'I plan.', shell: log('a plan') }, publish('build.task', 'one file'), end);
  if (hat === 'reviewer') return inOrder(turn, { text: 'I look.', shell: log('all is good') }, { text: 'It is good.\n\nLOOP_COMPLETE' });
  if (hat !== 'builder') return undefined;
  const content = prompt.includes('is not right yet') ? 'right' : 'nearly';
  const write = { text: 'I build.', shell: `${log(content)} && echo ${content} > work/result.txt` };
  return inOrder(turn, write, publish('build.done', `it is ${content}`), end);
}

/**
 * The run that nobody looks at.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @returns {Promise<Awaited<ReturnType<typeof readFacts>> | undefined>} undefined where there is nothing to compare with
 */
async function playCalm(bench, checks) {
  const project = await createProject(bench, 'faces-none');
  const startedAt = Date.now();
  const since = bench.server.requests.length;
  const result = await project.ralph([...RUN, '--no-tui'], { timeoutMs: RUN_MS });
  checks.equal('without a face: exit code', result.exitCode, 0);
  if (result.exitCode !== 0) {
    checks.ok('without a face: what it said', false, (result.stderr + result.stdout).slice(-1_500));
    return undefined;
  }
  const facts = await readFacts(bench, project, await findRun(project), { exitCode: result.exitCode, since });
  const hats = facts.turns.map(({ hat }) => hat);
  checks.equal('without a face: turns', hats, ORDER);
  checks.equal('without a face: backends', [...new Set(facts.turns.map(({ backend }) => backend))].sort(), ['claude', 'codex']);
  checks.equal('without a face: processes left', await bench.alive(), []);
  const { events, inputs } = facts;
  checks.note(`without a face: ${hats.length} turns, ${events.length} events, ${inputs.length} inputs, ${secondsSince(startedAt)}`);
  return facts;
}

/**
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {{ fate: Fate, calm: Awaited<ReturnType<typeof readFacts>>, dealer: ReturnType<typeof createDealer> }} order
 * @returns {Promise<Visited[]>}
 */
async function playBesideFaces(bench, checks, { fate, calm, dealer }) {
  const { name, hasView, isClosed, meet } = fate;
  const project = await createProject(bench, `faces-${name.replace(/\W+/g, '-')}`);
  const startedAt = Date.now();
  const since = bench.server.requests.length;
  const options = hasView ? { inTerminal: true, env: { TERM: 'xterm-256color' } } : {};
  const started = project.start(hasView ? RUN : [...RUN, '--no-tui'], { timeoutMs: RUN_MS, ...options });
  const run = await findRun(project);
  const random = createRandom(`${SEED} ${name}`);
  /** @type {Visited[]} */
  const visits = [];
  const visitors = Array.from({ length: VISITORS }, async (_, index) =>
    visit({ project, run, dealer, visits, random: createRandom(`${SEED} ${name} ${index}`) }),
  );
  await noteProblems(checks, name, [
    ...visitors,
    (async () => {
      if (isClosed) await pause(random() * MAX_VIEW_MS);
      const met = run.inputs();
      await meet(started, run);
      if (isClosed) visits.push({ name, inputs: [met, run.inputs()], isWithin: !run.hasEnded(), hasSeen: true });
    })(),
    untilEnd(run),
  ]);
  const exitCode = hasView ? undefined : (await started.result).exitCode;
  const facts = await readFacts(bench, project, run, { exitCode, since });
  checkSame(checks, name, facts, calm);
  checks.equal(`${name}: processes left`, await untilNobody(bench), []);
  const faces = visits.map(({ name: face, inputs, isWithin }) => `${face} (#${inputs.join(' to #')}${isWithin ? '' : ', past the end'})`);
  const { turns, events, inputs } = facts;
  const counts = `${turns.length} turns, ${events.length} events, ${inputs.length} inputs`;
  checks.note(`${name}: ${counts}, ${secondsSince(startedAt)}; ${faces.join('; ')}`);
  return visits;
}

/**
 * One face after the other, until the run has ended.
 *
 * @param {{ project: Project, run: WatchedRun, dealer: ReturnType<typeof createDealer>, visits: Visited[], random: () => number }} order
 */
async function visit({ project, run, dealer, visits, random }) {
  for (;;) {
    await pause(random() * MAX_PAUSE_MS);
    if (run.hasEnded()) return;
    const { kind, number } = dealer.deal();
    visits.push(await playVisit(kind, { project, run, number, share: random() }));
  }
}

/**
 * Waits for all, whatever becomes of one.
 *
 * @param {Checks} checks
 * @param {string} name
 * @param {Promise<void>[]} works
 */
async function noteProblems(checks, name, works) {
  for (const result of await Promise.allSettled(works)) {
    if (result.status === 'rejected') checks.ok(name, false, result.reason instanceof Error ? result.reason.message : result.reason);
  }
}

/**
 * @param {Checks} checks
 * @param {string} name
 * @param {Awaited<ReturnType<typeof readFacts>>} facts
 * @param {Awaited<ReturnType<typeof readFacts>>} calm
 */
function checkSame(checks, name, facts, calm) {
  for (const key of /** @type {(keyof typeof calm)[]} */ (Object.keys(calm))) checks.equal(`${name}: ${key}`, facts[key], calm[key]);
}

/**
 * What a run was, without times, numbers of processes and names that are new in each.
 *
 * @param {Bench} bench
 * @param {Project} project
 * @param {WatchedRun} run
 * @param {{ exitCode: number | null | undefined, since: number }} seen exitCode: of its process, undefined where nobody but Ralph could see it;
 *   since: how many requests the model server had had before
 */
async function readFacts(bench, project, { runId, folder }, { exitCode, since }) {
  const status = JSON.parse((await project.ralph(['status', runId, '--format', 'json'])).stdout);
  // What a gate said names the folder.
  const events = toRecords((await project.ralph(['events', runId, '--format', 'json'])).stdout.replaceAll(project.cwd, 'FOLDER'));
  const inputs = toRecords(await readFile(join(folder, 'journal.jsonl'), 'utf8'));
  const paths = (await project.git('ls-files', '-co', '--exclude-standard')).split('\n').filter((path) => path !== '');
  const asked = bench.server.requests.slice(since).filter(({ answer }) => answer === 'call' || answer === 'text');
  return {
    requests: ORDER.map((hat) => asked.filter(({ script }) => script === hat).length),
    end: { exitCode: exitCode ?? status.exitCode, told: status.exitCode, reason: status.end?.reason, isAlive: status.isAlive },
    events: events.map(({ id, topic, source, to, status: fate, payload }) => ({ id, topic, source, to, fate, payload })),
    turns: /** @type {any[]} */ (status.turns).map(
      ({ iteration, attempt, hat, backend, status: outcome, exitCode: code, toolCalls, leftovers }) => ({
        iteration,
        attempt,
        hat,
        backend,
        outcome,
        code,
        toolCalls,
        leftovers,
      }),
    ),
    inputs: inputs.map(({ input }) => input.type),
    files: await Promise.all(paths.map(async (path) => [path, await readFile(join(project.cwd, path), 'utf8')])),
    commits: (await project.git('log', '--format=%s')).replaceAll(runId, 'RUN').trim().split('\n'),
  };
}

/** @param {Bench} bench @param {string} name */
function createProject(bench, name) {
  return bench.createProject(name, { config: CONFIG, files: { 'check.mjs': CHECK } });
}

/**
 * The only run of a project, as soon as it has an input.
 *
 * @param {Project} project
 * @returns {Promise<WatchedRun>}
 */
async function findRun({ cwd }) {
  const runs = join(cwd, '.ralph', 'runs');
  const end = Date.now() + RUN_MS;
  while (Date.now() < end) {
    const [name] = await readdir(runs).catch(() => []);
    if (name !== undefined && existsSync(join(runs, name, 'journal.jsonl'))) return watchFolder(join(runs, name));
    await pause(LOOK_EVERY_MS);
  }
  throw new Error('no run began');
}

/** @param {WatchedRun} run */
async function untilEnd(run) {
  const end = Date.now() + RUN_MS;
  while (!run.hasEnded()) {
    if (Date.now() > end) throw new Error(`the run did not end; it is at #${run.inputs()}`);
    await pause(LOOK_EVERY_MS);
  }
}

/** A process that was the run tells of its end when that is written already. @param {Bench} bench */
async function untilNobody(bench) {
  const end = Date.now() + 10_000;
  let alive = await bench.alive();
  while (alive.length > 0 && Date.now() < end) {
    await pause(LOOK_EVERY_MS);
    alive = await bench.alive();
  }
  return alive;
}

/**
 * Deals the kinds in a seeded order, each as often as the others.
 *
 * @param {readonly Kind[]} kinds
 */
function createDealer(kinds) {
  const random = createRandom(`${SEED} deck`);
  /** @type {Kind[]} */
  let deck = [];
  let number = 0;
  return {
    deal: () => {
      if (deck.length === 0)
        deck = kinds
          .map((kind) => ({ kind, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ kind }) => kind);
      number += 1;
      return { kind: /** @type {Kind} */ (deck.pop()), number };
    },
  };
}

/**
 * @param {string} seed
 * @returns {() => number} numbers from 0 to below 1, the same for the same seed
 */
function createRandom(seed) {
  let count = 0;
  return () => {
    count += 1;
    return createHash('sha256').update(`${seed} ${count}`).digest().readUInt32BE() / 2 ** 32;
  };
}

/** @param {string} asked */
function toSeed(asked) {
  return asked === 'random' ? String(Date.now()) : asked;
}

/** @param {number} startedAt */
function secondsSince(startedAt) {
  return `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
}
