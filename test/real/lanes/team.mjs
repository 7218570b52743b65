/**
 * A team in which every hat is worn by another real CLI: work is planned, handed on from hat to hat by every channel there is, once sent
 * back by a gate, and declared complete. Everything is looked at from outside: exit code, records, files, git, the model server's requests.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendLine, inOrder, playHats } from '../hat-turn.mjs';
import { toPublished, toRecords, toTurns } from '../ralph-command.mjs';
import { acpWearerOf, wearerOf } from '../wearers.mjs';

const OBJECTIVE = 'Fill the folder work/, one file for each of the team.';
const CHECK = `import { readFileSync } from 'node:fs';
for (const path of process.argv.slice(2)) {
  if (!readFileSync(path, 'utf8').includes('right')) throw new Error(path + ' is not right yet');
}
`;
const WRONG_TOPIC = 'dinner.ready';
/** What one answer of the mock model costs with the prices that opencode and pi are given, in US dollars. */
const ANSWER_USD = 0.00351;

/**
 * @typedef {object} Member
 * @property {string} hat
 * @property {import('../wearers.mjs').Wearer} wearer
 * @property {string} topic what it publishes
 * @property {'emit' | 'line' | 'tag'} by how
 */

/** @type {ReadonlyArray<{ cli: string, hat: string, topic: string, by: Member['by'] }>} */
const ROLES = [
  { cli: 'codex', hat: 'builder', topic: 'build.done', by: 'line' },
  { cli: 'opencode', hat: 'tester', topic: 'test.passed', by: 'emit' },
  { cli: 'gemini', hat: 'reviewer', topic: 'review.approved', by: 'tag' },
  { cli: 'pi', hat: 'writer', topic: 'docs.done', by: 'line' },
  { cli: 'copilot', hat: 'packager', topic: 'package.ready', by: 'emit' },
  { cli: 'qwen', hat: 'translator', topic: 'text.translated', by: 'line' },
  { cli: 'cline', hat: 'designer', topic: 'design.done', by: 'emit' },
  { cli: 'auggie', hat: 'gardener', topic: 'garden.tidy', by: 'line' },
  { cli: 'acp', hat: 'auditor', topic: 'audit.done', by: 'emit' },
];

/**
 * @param {string[]} installed short names of the CLIs that are there
 * @returns {Member[]} in the order in which they hand over; the planner comes before and after them
 */
function chooseMembers(installed) {
  return ROLES.flatMap(({ cli, ...role }) => {
    if (cli === 'acp') {
      const wearer = acpWearerOf(installed);
      return wearer === undefined ? [] : [{ ...role, wearer }];
    }
    return installed.includes(cli) ? [{ ...role, wearer: wearerOf(cli) }] : [];
  });
}

/** @param {Member[]} members */
function toConfig(members) {
  const hats = members.map(({ hat, topic, wearer }, index) => [
    hat,
    { name: `The ${hat}`, triggers: [members[index - 1]?.topic ?? 'plan.ready'], publishes: [topic], backend: wearer.backend },
  ]);
  const planner = {
    name: 'The planner',
    triggers: ['task.start', 'task.resume', members.at(-1)?.topic],
    publishes: ['plan.ready'],
    backend: wearerOf('claude').backend,
  };
  return {
    event_loop: { max_iterations: 30, idle_timeout_seconds: 60, checkpoint_interval: 3 },
    hats: { planner, ...Object.fromEntries(hats) },
    gates: [
      { on: ['build.done'], run: 'node check.mjs work/builder.txt' },
      { run: `node check.mjs ${members.map(({ hat }) => `work/${hat}.txt`).join(' ')}` },
    ],
  };
}

/** What a hat says to the next, so that it can be found again in the next one's prompt. @param {string} hat */
const payloadOf = (hat) => `evidence of the ${hat}`;

/** Every hat keeps what its shell was given, for the checks. @param {string} hat */
const keepEnvironment = (hat) =>
  `mkdir -p work .agent/workspace && { env | grep ^RALPH_ | sort; command -v ralph || echo no ralph; } > .agent/workspace/${hat}.env`;

/** @param {Member[]} members */
function play(members) {
  return playHats((turn) => {
    if (turn.hat === 'planner') return playPlanner(turn, members);
    const member = members.find(({ hat }) => hat === turn.hat);
    return member === undefined ? undefined : playMember(turn, member);
  });
}

/**
 * @param {import('../hat-turn.mjs').HatTurn} turn
 * @param {Member[]} members
 */
function playPlanner(turn, members) {
  const last = members.at(-1);
  if (last !== undefined && turn.prompt.includes(payloadOf(last.hat))) {
    return inOrder(turn, { text: 'I look at what there is.', shell: 'cat work/*.txt' }, { text: 'Everything is there.\n\nLOOP_COMPLETE' });
  }
  const publish = `ralph emit plan.ready '${payloadOf('planner')}'`;
  return inOrder(
    turn,
    { text: 'I ask for dinner.', shell: `${keepEnvironment('planner')}; ralph emit ${WRONG_TOPIC} now` },
    // A refusal names what is allowed: only who reads it goes on.
    turn.lastResult.includes('plan.ready') ? { text: 'Then the plan.', shell: publish } : { text: `I was told: ${turn.lastResult}` },
    { text: 'The plan is out.' },
  );
}

/**
 * @param {import('../hat-turn.mjs').HatTurn} turn
 * @param {Member} member
 */
function playMember(turn, { hat, topic, by }) {
  // The builder's first attempt is what the gate is for.
  const content = hat === 'builder' && !turn.prompt.includes('is not right yet') ? 'nearly' : 'right';
  const write = { text: 'I write my file.', shell: `${keepEnvironment(hat)} && echo ${content} > work/${hat}.txt` };
  const payload = payloadOf(hat);
  if (by === 'tag') return inOrder(turn, write, { text: `My file is there.\n\n<event topic="${topic}">${payload}</event>` });
  const publish = by === 'emit' ? `"$RALPH_BIN" emit ${topic} '${payload}'` : appendLine(topic, payload);
  return inOrder(turn, write, { text: 'I publish.', shell: publish }, { text: `The ${hat} has published.` });
}

/** The person's own unfinished work: none of it is the run's to touch. @param {import('../bench.mjs').Project} project */
async function leaveOwnWork(project) {
  await writeFile(join(project.cwd, 'notes.md'), 'first line\nmy second line\n');
  await writeFile(join(project.cwd, 'private.txt'), 'mine\n');
  await writeFile(join(project.cwd, 'staged.txt'), 'staged, not committed\n');
  await project.git('add', 'staged.txt');
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {string[]} installed
 */
export async function runTeam(bench, checks, installed) {
  const members = chooseMembers(installed);
  const project = await bench.createProject('team', {
    config: toConfig(members),
    files: { 'check.mjs': CHECK, 'notes.md': 'first line\n' },
  });
  await leaveOwnWork(project);
  bench.play(play(members));
  const before = bench.server.requests.length;
  const result = await project.ralph(['run', '-c', 'ralph.yml', '-p', OBJECTIVE, '--no-tui', '--format', 'ndjson'], { timeoutMs: 150_000 });
  checks.equal('exit code', result.exitCode, 0);
  if (result.exitCode !== 0) checks.ok('what it said', false, (result.stderr + result.stdout.slice(-1_500)).trim());
  const first = result.records[0] ?? {};
  const end = result.records.at(-1) ?? {};
  checks.equal('first line', [first['v'], first['kind']], [1, 'run']);
  checks.equal('end', [end['kind'], end['reason'], end['exitCode']], ['end', 'completed', 0]);
  checkTurns(checks, members, toTurns(result.records));
  checkEvents(checks, members, toPublished(result.records));
  checkRequests(checks, members, bench.server.requests.slice(before));
  await checkFiles(checks, members, project);
  await checkReading(checks, project, result.records);
  checks.equal('processes left', await bench.alive(), []);
}

/** The hats in the order in which they have turns. @param {Member[]} members */
function toOrder(members) {
  const builder = members.filter(({ hat }) => hat === 'builder').map(({ hat }) => hat);
  return ['planner', ...builder, ...members.map(({ hat }) => hat), 'planner'];
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {Member[]} members
 * @param {import('../ralph-command.mjs').Turn[]} turns
 */
function checkTurns(checks, members, turns) {
  checks.equal(
    'turns',
    turns.map(({ hat }) => hat),
    toOrder(members),
  );
  for (const turn of turns) {
    const { label, counts, prices, tellsTools } = members.find(({ hat }) => hat === turn.hat)?.wearer ?? wearerOf('claude');
    const by = members.find(({ hat }) => hat === turn.hat)?.by;
    const isLast = turn.hat === 'planner' && turn.iteration > 1;
    const calls = isLast || by === 'tag' ? 1 : 2;
    const name = `turn ${turn.iteration} of ${turn.hat} (${label})`;
    checks.equal(`${name}: outcome`, [turn.outcome, turn.message], ['succeeded', '']);
    checks.equal(`${name}: backend`, turn.backend, label);
    checks.equal(`${name}: tool calls`, turn.toolCalls, tellsTools ? calls : null);
    checks.ok(`${name}: no session id`, typeof turn.sessionId === 'string' && turn.sessionId !== '');
    checks.equal(`${name}: left processes behind`, turn.leftovers, label === 'cline' ? turn.leftovers : 0);
    checkUsage(checks, name, turn, { label, counts, prices, answers: calls + 1 });
  }
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} name
 * @param {import('../ralph-command.mjs').Turn} turn
 * @param {{ label: string, counts: boolean, prices: boolean, answers: number }} known
 */
function checkUsage(checks, name, { usage }, { label, counts, prices, answers }) {
  const { inputTokens, cacheReadTokens, outputTokens, costUsd } = usage;
  if (!counts) checks.equal(`${name}: tokens`, [inputTokens, outputTokens], [null, null]);
  else {
    // Clients may ask more than the turn's own answers (titles, memory), never less. Over the protocol some do not tell cached tokens apart.
    const cached = label.startsWith('acp:') ? 0 : 200;
    const enough = [inputTokens, cacheReadTokens, outputTokens].map(
      (count, kind) => (count ?? 0) >= answers * ([1000, cached, 30][kind] ?? 0),
    );
    checks.equal(`${name}: enough tokens (${inputTokens}, ${cacheReadTokens}, ${outputTokens})`, enough, [true, true, true]);
  }
  if (!prices) checks.equal(`${name}: cost`, costUsd, label.startsWith('acp:') || label === 'cline' ? costUsd : null);
  else if (label === 'claude') checks.ok(`${name}: cost`, (costUsd ?? 0) > 0, costUsd);
  else checks.equal(`${name}: cost`, costUsd?.toFixed(5), (answers * ANSWER_USD).toFixed(5));
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {Member[]} members
 * @param {ReturnType<typeof toPublished>} published
 */
function checkEvents(checks, members, published) {
  const blocked = ['build.blocked', 'quality_gate', ['builder'], 'target'];
  const expected = [
    ['task.start', 'system', ['planner'], 'trigger'],
    ['plan.ready', 'planner', [members[0]?.hat], 'trigger'],
    blocked,
    ...members.map(({ hat, topic }, index) => [topic, hat, [members[index + 1]?.hat ?? 'planner'], 'trigger']),
    ['task.complete', 'planner', [], 'terminal'],
  ];
  checks.equal(
    'events',
    published.map(({ topic, source, to, how }) => [topic, source, to, how]),
    expected,
  );
  for (const { hat, topic } of members) {
    checks.equal(`payload of ${topic}`, published.find((event) => event.topic === topic)?.payload, payloadOf(hat));
  }
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {Member[]} members
 * @param {import('../../../src/mock-model/index.ts').RecordedRequest[]} requests
 */
function checkRequests(checks, members, requests) {
  for (const { hat, wearer } of [{ hat: 'planner', wearer: wearerOf('claude') }, ...members]) {
    const asked = requests.filter(({ script, answer }) => script === hat && (answer === 'call' || answer === 'text'));
    checks.ok(`the model server was not asked for ${hat}`, asked.length >= 2, asked.length);
    const others = asked.filter(({ dialect, agent }) => dialect !== wearer.dialect || !wearer.agent.test(agent));
    checks.equal(
      `${hat}: requests that ${wearer.cli} does not make`,
      others.map(({ dialect, agent }) => `${dialect} ${agent}`),
      [],
    );
  }
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {Member[]} members
 * @param {import('../bench.mjs').Project} project
 */
async function checkFiles(checks, members, project) {
  const read = (/** @type {string} */ path) => readFile(join(project.cwd, path), 'utf8').catch(() => '(missing)');
  for (const { hat } of members) checks.equal(`work/${hat}.txt`, (await read(`work/${hat}.txt`)).trim(), 'right');
  for (const { hat } of [{ hat: 'planner', wearer: wearerOf('claude') }, ...members]) {
    checkEnvironment(checks, hat, await read(`.agent/workspace/${hat}.env`));
  }
  checks.equal('notes.md', await read('notes.md'), 'first line\nmy second line\n');
  checks.equal('private.txt', await read('private.txt'), 'mine\n');
  const status = (await project.git('status', '--porcelain')).split('\n').filter((line) => line !== '' && !line.endsWith(' work/'));
  checks.equal('git status', status, [' M notes.md', 'A  staged.txt', '?? private.txt']);
  const committed = (await project.git('log', '--format=', '--name-only')).split('\n').filter((path) => path !== '');
  checks.ok('no checkpoint holds the work', committed.includes('work/builder.txt'), committed);
  checks.equal(
    'own files in checkpoints',
    committed.filter((path) => /private|staged|^\.ralph|^\.agent/.test(path)),
    [],
  );
  checks.equal('commits of notes.md', (await project.git('log', '--format=%s', '--', 'notes.md')).trim(), 'The work begins');
}

/** What auggie wears. */
const HAT_OF_LOGIN_SHELL = 'gardener';

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {string} hat
 * @param {string} text what `env` and `command -v ralph` said in the hat's shell
 */
function checkEnvironment(checks, hat, text) {
  const names = text.split('\n').map((line) => line.split('=')[0]);
  const missing = ['RALPH_BIN', 'RALPH_EVENTS_FILE', 'RALPH_RUN_ID', 'RALPH_ITERATION', 'RALPH_HAT'].filter(
    (name) => !names.includes(name),
  );
  checks.equal(`${hat}: variables missing in its shell`, missing, []);
  checks.ok(`${hat}: RALPH_HAT in its shell`, text.includes(`\nRALPH_HAT=${hat}\n`));
  // A login shell may make its PATH anew; its prompt names the program by RALPH_BIN.
  const found = hat === HAT_OF_LOGIN_SHELL ? /^RALPH_BIN=.*\/ralph$/m : /\/ralph\n$/;
  checks.ok(`${hat}: its shell does not find \`ralph\``, found.test(text), text.split('\n').at(-2));
}

/**
 * What is told of the run afterwards is what was told while it ran.
 *
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../bench.mjs').Project} project
 * @param {import('../ralph-command.mjs').NdjsonRecord[]} records
 */
async function checkReading(checks, project, records) {
  const runId = records[0]?.['runId'];
  const events = await project.ralph(['events', '--format', 'json']);
  const rows = toRecords(events.stdout);
  const seen = toPublished(records).map(({ id, topic, source, to }) => [id, topic, source, to]);
  checks.equal(
    'events read back',
    rows.map((row) => [row['id'], row['topic'], row['source'], row['to']]).filter(([, topic]) => topic !== `planner.scope_violation`),
    seen,
  );
  for (const key of ['id', 'seq', 'ts', 'iteration', 'topic', 'source', 'target', 'payload']) {
    checks.ok(`events --format json has no ${key}`, rows.length > 0 && rows.every((row) => key in row));
  }
  const [, second] = toTurns(records);
  const prompt = await project.ralph(['show', runId, '2', '--prompt']);
  checks.ok(
    'show --prompt lacks the payload of the event',
    prompt.stdout.includes(payloadOf('planner')),
    prompt.stdout.slice(0, 300) + prompt.stderr,
  );
  const retold = await project.ralph(['show', runId, '3', '--prompt']);
  checks.ok(
    'show --prompt lacks what the gate said',
    retold.stdout.includes('is not right yet'),
    retold.stdout.slice(0, 300) + retold.stderr,
  );
  const output = await project.ralph(['show', runId, '2', '--output']);
  checks.ok(
    'show --output lacks the final text',
    output.stdout.includes(second?.finalText || '(none)'),
    output.stdout.slice(0, 300) + output.stderr,
  );
  const ps = await project.ralph(['ps']);
  checks.equal('ralph ps: exit code', ps.exitCode, 0);
  checks.ok('ralph ps shows processes', !/\b\d+\.\d+\b/.test(ps.stdout), ps.stdout);
  const again = await project.ralph(['resume']);
  checks.equal('resume of a completed run: exit code', again.exitCode, 0);
}
