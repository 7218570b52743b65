/**
 * A panel of real CLIs and the native agent: those that can hand in by the tools of Ralph's server, one by its last message, our own by its tools. One is told of
 * an answer while it works, all vote.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onStage } from '../fleet-stage.mjs';
import { toRecords } from '../ralph-command.mjs';
import { wearerOf } from '../wearers.mjs';

const SLOW_MS = 2500;
/** Of the native agent; the names of the others are their own. */
const NATIVE_KEY = 'ANTHROPIC_API_KEY';
/** Who is told so hands in by its last message. */
const SPEAKER = 'real-speaker';
const IN_WORDS = 'Call nothing: say it.';

/**
 * @typedef {object} Members
 * @property {string[]} clis
 * @property {string[]} speakers
 */

/** @param {import('../bench.mjs').Bench} bench @param {import('../checks.mjs').Checks} checks @param {string[]} names */
export async function runPanel(bench, checks, names) {
  const clis = ['claude', 'codex'].filter((name) => names.includes(name));
  const members = { clis, speakers: clis.includes('claude') ? [SPEAKER] : [] };
  const project = await createProject(bench, 'panel', toPanel(members, bench.server.port));
  const bodies = playPanel(bench);
  const result = await project.ralph(['run', '-p', 'What is the answer?', '--no-tui'], { timeoutMs: 120_000 });
  await checkPanel(checks, project, { members, result, bodies });
  checkConversations(checks, clis, bodies);
  checks.equal('processes left', await bench.alive(), []);
}

/**
 * The same panel, whose rounds workers have: claude on one, codex and our own agent on another. Its own machine has none of them.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../fleet-stage.mjs').Network} network
 */
export async function runPanelOnFleet(bench, checks, network) {
  const members = { clis: ['claude', 'codex'], speakers: [SPEAKER] };
  await onStage(bench, checks, { network }, async (stage) => {
    const project = await createProject(bench, 'panel-fleet', toPanel(members, stage.modelPort));
    const bodies = playPanel(bench);
    await Promise.all([
      stage.startWorker('first', { cli: 'claude', labels: 'claude', slots: 2, secrets: { ANTHROPIC_API_KEY: makeKey() } }),
      stage.startWorker('second', {
        cli: 'codex',
        labels: 'codex,native',
        slots: 2,
        secrets: { MOCK_API_KEY: makeKey(), [NATIVE_KEY]: makeKey() },
      }),
    ]);
    const result = await stage.start(project, ['run', '-p', 'What is the answer?', '--no-tui', '--fleet', stage.url]).result;
    await checkPanel(checks, project, { members, result, bodies });
    checks.equal('which worker had the rounds of which agent', readTakers(project), ['0 first', '1 second', '2 first', '3 second']);
  });
}

const makeKey = () => `sk-made-up-${randomBytes(12).toString('hex')}`;

/** @param {import('../bench.mjs').Bench} bench @param {string} name @param {object} panel */
function createProject(bench, name, panel) {
  const thinker = { triggers: ['task.start', 'task.resume'], publishes: ['task.complete'], panel };
  const config = { gates: [], event_loop: { max_iterations: 2 }, hats: { thinker } };
  return bench.createProject(name, { config, files: { 'README.md': 'Nothing yet.\n' } });
}

/** @param {Members} members @param {number} port of the model */
function toPanel({ clis, speakers }, port) {
  const native = {
    ...{ type: 'native', provider: 'anthropic', model: 'claude-sonnet-4-5' },
    ...{ base_url: `http://127.0.0.1:${port}`, api_key_env: NATIVE_KEY },
  };
  return {
    first_injection: 'mid_stream',
    agents: [
      ...clis.map((cli) => ({ id: `real-${cli}`, backend: wearerOf(cli).backend, instructions: `It says the mark of ${cli}.` })),
      ...speakers.map((id) => ({ id, backend: wearerOf('claude').backend, instructions: IN_WORDS })),
      { id: 'our-own', backend: native },
    ],
  };
}

/**
 * What the model says to each of them.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @returns {string[]} what it was asked, in order, as the panel goes on
 */
function playPanel(bench) {
  /** @type {string[]} */
  const bodies = [];
  bench.play((conversation) => {
    const text = JSON.stringify(conversation.turns);
    bodies.push(text);
    if (!text.includes('## HAND IN')) return undefined;
    const last = conversation.turns.at(-1);
    const results = (last?.results ?? []).join('\n');
    if (/is in\. End your turn now/.test(results)) return { text: 'I have handed in.' };
    const isVote = text.lastIndexOf('Vote for the best answer') > text.lastIndexOf('Do the work in your folder');
    const isNative = conversation.tools.some(({ name }) => name === 'list_files');
    // claude shows tools of servers only when they are searched for, and takes a call by the whole name.
    const isClaude = conversation.tools.some(({ name }) => name === 'ToolSearch');
    const toCall = (/** @type {string} */ tool, /** @type {Record<string, string>} */ args) => ({
      calls: [{ tool: [isClaude ? `mcp__ralph__${tool}` : tool, `*${tool}`], args, isForced: isNative || isClaude }],
    });
    if (text.includes(IN_WORDS)) return { text: isVote ? 'I have read them.\n\nVOTE: agent1 it is right' : 'A speaker says 42.' };
    if (isVote) return toCall('vote', { agent_id: 'agent1', reason: 'It is right.' });
    if (isNative && !text.includes('[UPDATE: agent'))
      return { delayMs: SLOW_MS, calls: [{ tool: ['list_files'], args: { path: '.', limit: bodies.length + 5 }, isForced: true }] };
    const content = isNative ? 'I have seen yours, and say: 42.' : `By a tool, number ${bodies.length}: 42.`;
    return toCall('new_answer', { content });
  });
  return bodies;
}

/**
 * @param {import('../checks.mjs').Checks} checks
 * @param {import('../bench.mjs').Project} project
 * @param {{ members: Members, result: import('../ralph-command.mjs').RalphResult, bodies: string[] }} seen
 */
async function checkPanel(checks, project, { members: { clis, speakers }, result, bodies }) {
  const all = clis.length + speakers.length + 1;
  checks.equal('exit code', result.exitCode, 0);
  checks.ok('no winner', new RegExp(` won with ${all} of ${all} votes`).test(result.stdout + result.stderr), result.stdout + result.stderr);
  const shown = JSON.parse((await project.ralph(['panel', 'show', '--format', 'json'])).stdout);
  const panel = shown.panel ?? shown;
  checks.equal(
    'who voted',
    panel.agents.map((/** @type {{ status: string }} */ { status }) => status),
    Array.from({ length: all }, () => 'voted'),
  );
  const answers = JSON.stringify(shown.answers);
  checks.equal('who handed in by a tool', answers.match(/By a tool, number/g)?.length ?? 0, clis.length);
  checks.equal('who handed in by its last message', answers.match(/A speaker says/g)?.length ?? 0, speakers.length);
  checks.ok('our own agent was told of no answer', panel.updates.length > 0, JSON.stringify(panel.updates));
  checks.ok(
    'a name was told',
    bodies.every((text) => !['real-claude', 'real-codex', SPEAKER, 'our-own'].some((id) => text.includes(id))),
  );
}

/**
 * All vote in the conversation in which they answered. On a worker with several places an agent may get another one, and begin a new conversation.
 *
 * @param {import('../checks.mjs').Checks} checks
 * @param {string[]} clis
 * @param {string[]} bodies
 */
function checkConversations(checks, clis, bodies) {
  // A conversation that goes on holds the first prompt once, and then what the vote is about.
  for (const cli of clis) {
    const votes = bodies.filter((text) => text.includes(`says the mark of ${cli}`) && text.includes('Vote for the best answer'));
    checks.ok(`no vote of ${cli} in its first conversation`, votes.length > 0, `${bodies.length} requests`);
    checks.ok(
      `the task was repeated to ${cli}`,
      votes.every((text) => text.split('What is the answer?').length === 2 && text.split('## HAND IN').length > 2),
    );
  }
}

/** Which workers had rounds of each agent, by the journal: agents by their place in the file. @param {import('../bench.mjs').Project} project */
function readTakers({ cwd }) {
  const runs = join(cwd, '.ralph', 'runs');
  const [run = ''] = readdirSync(runs, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  const inputs = toRecords(readFileSync(join(runs, run, 'journal.jsonl'), 'utf8')).map((line) => line['input']);
  const starts = inputs.flatMap((input) => (input.type === 'panel-moved' && input.move.kind === 'round-started' ? [input.move] : []));
  return [...new Set(starts.map(({ agent, worker }) => `${agent} ${worker}`))].sort();
}
