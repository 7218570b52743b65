/**
 * Real CLIs as the agents of workers: claude on one, codex and our own agent on another. A run that completes, one whose worker is killed, and one whose own process is.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnd } from '../checks.mjs';
import { isSoon, onStage } from '../fleet-stage.mjs';
import { inOrder, playHats } from '../hat-turn.mjs';
import { findByHome } from '../place.mjs';
import { RUN, toRecords, toTurns } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

/** Of the native agent; the names of the others are their own. */
const NATIVE_KEY = 'HOUSE_API_KEY';
/** A worker and a run that are killed are given up soon. */
const LOST_AFTER_S = 3;
const DONE = { text: 'All done.\n\nLOOP_COMPLETE' };

/**
 * @typedef {import('../bench.mjs').Bench} Bench
 * @typedef {import('../checks.mjs').Checks} Checks
 * @typedef {import('../fleet-stage.mjs').Network} Network
 * @typedef {import('../fleet-stage.mjs').Stage} Stage
 * @typedef {import('../fleet-stage.mjs').Worker} Worker
 */

/** Made up. */
const makeSecret = () => `sk-made-up-${randomBytes(12).toString('hex')}`;

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex');

/**
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {Network} network
 */
export async function runOnFleet(bench, checks, network) {
  const keys = { planner: makeSecret(), builder: makeSecret(), reviewer: makeSecret() };
  const tokens = { worker: makeSecret(), run: makeSecret() };
  await onStage(bench, checks, { network }, async (stage) => {
    const project = await bench.createProject('fleet', { config: toTeam(stage) });
    const secrets = [...Object.values(keys), ...Object.values(tokens)];
    bench.play(
      playHats((turn) => {
        // What workers report is kept no longer than the run goes on.
        if (turn.hat === 'reviewer' && turn.step === 1) checkSecrets(checks, stage.store, secrets);
        return playMember(turn);
      }),
    );
    const before = bench.server.requests.length;
    const [first, second] = await startTeam(stage, keys, { SHOP_API_TOKEN: tokens.worker });
    const result = await stage.start(project, [...RUN, '--fleet', stage.url], { SHOP_API_TOKEN: tokens.run }).result;
    checkEnd(checks, result, 0, 'completed');
    checkTurns(checks, result.records, ['planner claude', 'builder codex', 'reviewer native:anthropic']);
    checkTakers(checks, project, [first, second], ['1.1 first', '2.1 second', '3.1 second']);
    checkKeys(checks, bench.server.requests.slice(before), keys);
    for (const hat of Object.keys(keys)) checks.equal(`work/${hat}.txt`, readWork(project, hat), `by the ${hat}`);
    checks.equal('the token that the planner had', readWork(project, 'token'), digest(tokens.worker));
    for (const folder of [stage.store, join(project.cwd, '.ralph')]) checkSecrets(checks, folder, secrets);
    const shown = result.stdout + result.stderr;
    checks.equal(
      'secrets on the screen of the run',
      secrets.filter((secret) => shown.includes(secret)),
      [],
    );
  });
}

/**
 * @param {Stage} stage
 * @param {Record<'planner' | 'builder' | 'reviewer', string>} keys
 * @param {Record<string, string>} token
 */
function startTeam(stage, keys, token) {
  return Promise.all([
    stage.startWorker('first', { cli: 'claude', labels: 'claude', secrets: { ANTHROPIC_API_KEY: keys.planner, ...token }, standIn: 1 }),
    stage.startWorker('second', {
      cli: 'codex',
      labels: 'codex,native',
      secrets: { MOCK_API_KEY: keys.builder, [NATIVE_KEY]: keys.reviewer },
    }),
  ]);
}

/** @param {Stage} stage */
function toTeam({ modelPort }) {
  const planner = { .../** @type {object} */ (wearerOf('claude').backend), env: { SHOP_API_TOKEN: `\${SHOP_API_TOKEN}` } };
  const reviewer = {
    ...{ type: 'native', provider: 'anthropic', model: 'claude-sonnet-4-5' },
    ...{ base_url: `http://127.0.0.1:${modelPort}`, api_key_env: NATIVE_KEY },
  };
  return {
    event_loop: { max_iterations: 6, idle_timeout_seconds: 60 },
    hats: {
      planner: { triggers: ['task.start', 'task.resume'], publishes: ['plan.ready'], backend: planner },
      builder: { triggers: ['plan.ready'], publishes: ['build.done'], backend: wearerOf('codex').backend },
      reviewer: { triggers: ['build.done'], publishes: ['LOOP_COMPLETE'], profile: 'creator', backend: reviewer },
    },
  };
}

/** Says the keys that its shell is given, and writes one file. @param {import('../hat-turn.mjs').HatTurn} turn */
function playMember(turn) {
  const topic = { planner: 'plan.ready', builder: 'build.done' }[turn.hat];
  const look = `echo "the keys: $ANTHROPIC_API_KEY $MOCK_API_KEY $${NATIVE_KEY} $SHOP_API_TOKEN"`;
  const count = turn.hat === 'planner' ? ' && printf %s "$SHOP_API_TOKEN" | sha256sum | cut -c1-64 > work/token.txt' : '';
  return inOrder(
    turn,
    { text: 'I write my file.', shell: `${look}; mkdir -p work && echo 'by the ${turn.hat}' > work/${turn.hat}.txt${count}` },
    topic === undefined ? DONE : { text: 'I publish.', shell: `"$RALPH_BIN" emit ${topic} 'by the ${turn.hat}'` },
    { text: 'I have published.' },
  );
}

/**
 * The worker of codex is killed while codex works; what it left is ended by the next one on that machine, which takes the turn.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {Network} network
 */
export async function runLostWorker(bench, checks, network) {
  const order = { cli: 'codex', labels: 'codex', secrets: { MOCK_API_KEY: makeSecret() } };
  const sleep = `sleep 307.${randomBytes(3).readUIntBE(0, 3)}`;
  await onStage(bench, checks, { network, lostAfter: LOST_AFTER_S }, async (stage) => {
    const project = await bench.createProject('lost-worker', {
      config: {
        cli: { backend: 'codex' },
        event_loop: { max_iterations: 3, idle_timeout_seconds: 60, retry: { base_seconds: 0.1 } },
      },
    });
    bench.play(playHats((turn) => inOrder(turn, { text: 'This takes a while.', shell: `echo half > result.txt; ${sleep}` }, DONE)));
    const first = await stage.startWorker('first', order);
    const running = stage.start(project, [...RUN, '--fleet', stage.url]);
    const isAtWork = async () => (await findByHome(first.home)).some(({ command }) => command === sleep);
    if (!(await isSoon(isAtWork))) throw new Error(`codex did not begin: ${running.said().slice(-800)}${running.noted()}`);
    bench.play(playHats((turn) => inOrder(turn, { text: 'Quickly now.', shell: 'echo whole > result.txt' }, DONE)));
    process.kill(first.pid, 'SIGKILL');
    const second = await stage.startWorker('second', order);
    checks.ok('the codex of the killed worker goes on beside the next worker', !(await isAtWork()));
    const result = await running.result;
    checkEnd(checks, result, 0, 'completed');
    checkTakers(checks, project, [first, second], ['1.1 first', '1.2 second']);
    checks.equal('result.txt', readFileSync(join(project.cwd, 'result.txt'), 'utf8'), 'whole\n');
  });
}

/**
 * The process of the run is killed while codex works. The worker of claude goes on with the run, without codex or a key of it, and the run comes home to a machine that has
 * no agent at all.
 *
 * @param {Bench} bench
 * @param {Checks} checks
 * @param {Network} network
 */
export async function runLostRun(bench, checks, network) {
  const keys = { planner: makeSecret(), builder: makeSecret(), reviewer: makeSecret() };
  const token = { SHOP_API_TOKEN: makeSecret() };
  await onStage(bench, checks, { network, lostAfter: LOST_AFTER_S }, async (stage) => {
    const project = await bench.createProject('lost-run', { config: toTeam(stage) });
    /** @type {() => void} */
    let kill = () => {};
    bench.play(
      playHats((turn) => {
        if (turn.hat === 'builder' && turn.step === 1) kill();
        return playMember(turn);
      }),
    );
    const [first, second] = await startTeam(stage, keys, token);
    const running = stage.start(project, [...RUN, '--fleet', stage.url], token);
    kill = () => running.kill('SIGKILL');
    const { signal, stdout } = await running.result;
    checks.equal('what ended the run’s own process', signal, 'SIGKILL');
    if (!(await isSoon(async () => / ended here/.test(first.said()))))
      throw new Error(`${stdout.slice(-800)}${first.said()}${second.said()}`);
    const home = await stage.start(project, ['resume'], token).result;
    checks.equal('resume at home', [home.exitCode, home.stderr.includes('This run has ended')], [0, true]);
    if (home.exitCode !== 0) checks.ok('what it said', false, home.stdout + home.stderr + first.said());
    checkTakers(checks, project, [first, second], ['1.1 first', '2.1 second', '3.1 second']);
    for (const hat of Object.keys(keys)) checks.equal(`work/${hat}.txt`, readWork(project, hat), `by the ${hat}`);
    const secrets = [...Object.values(keys), ...Object.values(token)];
    for (const folder of [stage.store, join(project.cwd, '.ralph')]) checkSecrets(checks, folder, secrets);
  });
}

/**
 * Who took which turn: by the journal, and by what the workers said.
 *
 * @param {Checks} checks
 * @param {import('../bench.mjs').Project} project
 * @param {Worker[]} workers
 * @param {string[]} expected turn and worker
 */
function checkTakers(checks, { cwd }, workers, expected) {
  const runs = join(cwd, '.ralph', 'runs');
  const [run = ''] = readdirSync(runs, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const inputs = toRecords(readFileSync(join(runs, run, 'journal.jsonl'), 'utf8')).map((line) => line['input']);
  const takers = inputs
    .filter(({ type }) => type === 'iteration-spawned')
    .map((turn) => `${turn.iteration}.${turn.attempt} ${turn.worker}`);
  checks.equal('who took which turn', takers, expected);
  for (const { name, said } of workers) {
    const taken = said().match(/: taken\.$/gm)?.length ?? 0;
    checks.equal(`turns that ${name} says to have taken`, taken, expected.filter((turn) => turn.endsWith(` ${name}`)).length);
  }
}

/** @param {import('../bench.mjs').Project} project @param {string} name */
function readWork(project, name) {
  try {
    return readFileSync(join(project.cwd, 'work', `${name}.txt`), 'utf8').trim();
  } catch {
    return '(missing)';
  }
}

/**
 * @param {Checks} checks
 * @param {import('../ralph-command.mjs').NdjsonRecord[]} records
 * @param {string[]} expected
 */
function checkTurns(checks, records, expected) {
  const turns = toTurns(records).map(({ hat, backend, outcome }) => `${hat} ${backend}${outcome === 'succeeded' ? '' : `: ${outcome}`}`);
  checks.equal('turns', turns, expected);
}

/**
 * Each asked the model with the key of its own worker.
 *
 * @param {Checks} checks
 * @param {import('../../../src/mock-model/index.ts').RecordedRequest[]} requests
 * @param {Record<string, string>} keys by hat
 */
function checkKeys(checks, requests, keys) {
  for (const [hat, key] of Object.entries(keys)) {
    const asked = requests.filter(({ script }) => script === hat).map(({ headers }) => JSON.stringify(headers).includes(key));
    checks.equal(`${hat}: whether it asked, and always with its key`, [asked.length > 1, asked.every((has) => has)], [true, true]);
  }
}

/**
 * A key is in no file of a folder, and is told of there: the agents have said it.
 *
 * @param {Checks} checks
 * @param {string} folder
 * @param {string[]} secrets
 */
function checkSecrets(checks, folder, secrets) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ path: join(parentPath, name), text: readAll(join(parentPath, name)) }));
  const marks = ['[redacted: ANTHROPIC_API_KEY]', '[redacted: MOCK_API_KEY]'];
  checks.equal(
    `keys of which ${folder} tells nothing`,
    marks.filter((mark) => !files.some(({ text }) => text.includes(mark))),
    [],
  );
  const told = files.filter(({ text }) => secrets.some((secret) => text.includes(secret)));
  checks.equal(
    `files of ${folder} with a secret`,
    told.map(({ path }) => path),
    [],
  );
}

/** Of messages to the server parts are in base64: they are read, too. @param {string} path */
function readAll(path) {
  const text = readFileSync(path, 'latin1');
  const coded = text.match(/[A-Za-z0-9+/]{40,}/g) ?? [];
  return [text, ...coded.map((piece) => Buffer.from(piece, 'base64').toString('latin1'))].join('\n');
}
