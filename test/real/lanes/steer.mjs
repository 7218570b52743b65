/** A person steers a run of a real CLI from a second terminal: answers what its agent asks, and tells it something meanwhile. */
import { playHats } from '../hat-turn.mjs';

const QUESTION = 'Drop the old table?';
const SENTENCE = 'use the old API of the shop';
/** Plain: gemini refuses commands in commands. */
const ASK = `"$RALPH_BIN" ask "${QUESTION}" --choices drop,keep --default keep`;
/** Where tools are searched for, the first step is the search; claude does not list them at first. */
const ASK_CALL = {
  tool: ['mcp__ralph__ask_person', '*ask_person'],
  args: { question: QUESTION, choices: ['drop', 'keep'], default: 'keep' },
  isForced: true,
};
const LOOK_EVERY_MS = 150;
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} SteeredWearer
 * @property {string} label
 * @property {unknown} backend
 * @property {boolean} isTold whether it is told in the midst of its turn; else with the next prompt
 * @property {boolean} [asksByTool] it asks by the tool of Ralph's server, not from its shell
 */

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../checks.mjs').Checks} checks
 * @param {SteeredWearer} wearer
 * @returns {Promise<Pick<import('../tells-page.mjs').Hearing, 'askedBy' | 'given'>>} what it did
 */
export async function runSteered(bench, checks, { label, backend, isTold, asksByTool = false }) {
  const project = await bench.createProject(`steer-${label.replace(/\W/g, '-')}${asksByTool ? '-tool' : ''}`, {
    config: {
      ...(asksByTool ? { cli: { backend, emit_tool: 'on' }, human: { ask: 'on' } } : { cli: { backend } }),
      gates: [],
      event_loop: { max_iterations: 4 },
    },
    files: { 'README.md': 'Nothing yet.\n' },
  });
  /** @type {Set<string>} */
  const heardIn = new Set();
  let most = 0;
  let lastAnswer = '';
  const play = playHats((turn) => {
    if (turn.lastResult !== '') lastAnswer = turn.lastResult;
    if (turn.prompt.includes(SENTENCE) || turn.lastResult.includes(SENTENCE)) return { text: 'I heard it.\n\nLOOP_COMPLETE' };
    if (asksByTool) return /answer/.test(turn.lastResult) ? { text: 'Done.\n\nLOOP_COMPLETE' } : { text: 'I ask.', calls: [ASK_CALL] };
    return turn.step === 0 ? { text: 'I ask.', shell: ASK } : { text: 'Done.\n\nLOOP_COMPLETE' };
  });
  bench.play((conversation) => {
    const said = JSON.stringify(conversation.turns).split(SENTENCE).length - 1;
    most = Math.max(most, said);
    // Side calls that a client makes by itself (a title) offer no tools: they are no conversation of the agent.
    if (said > 0 && conversation.tools.length > 0) heardIn.add(conversation.turns.find(({ role }) => role === 'user')?.text ?? '');
    return play(conversation);
  });
  const run = project.start(['run', '-p', 'Do it.', '--no-tui'], { timeoutMs: 120_000 });
  const asked = await waitFor(async () => (await project.ralph(['asks'])).stdout.includes(QUESTION));
  checks.ok('the question was never listed', asked);
  const told = await project.ralph(['tell', SENTENCE]);
  checks.ok(`tell: ${told.stdout}${told.stderr}`, told.exitCode === 0 && /in the journal \(#\d+\)/.test(told.stdout), told.stdout);
  checks.equal('answer', (await project.ralph(['answer', 'drop'])).exitCode, 0);
  const result = await run.result;
  checks.equal('exit code', result.exitCode, 0);
  checks.ok('the agent has another answer', /\bdrop\b/.test(lastAnswer), lastAnswer);
  checks.equal('the sentence in one request', most, 1);
  checks.equal('conversations with the sentence', heardIn.size, 1);
  const status = JSON.parse((await project.ralph(['status', '--format', 'json'])).stdout);
  checks.equal(
    'what was told',
    status.tells.map((/** @type {{ text: string }} */ { text }) => text),
    [SENTENCE],
  );
  const given = status.tells[0]?.given ?? null;
  const { iteration, call } = given ?? {};
  checks.equal('who has it', { iteration, isMidway: call !== null }, { iteration: isTold ? 1 : 2, isMidway: isTold });
  checks.equal('what was asked', status.questions[0]?.answer?.choice, 'drop');
  checks.equal('questions', status.questions.length, 1);
  checks.equal('turns', status.turns.length, isTold ? 1 : 2);
  checks.equal('processes left', await bench.alive(), []);
  return { askedBy: asksByTool ? 'tool' : 'shell', given: given === null ? null : { turn: iteration, calls: call } };
}

/** @param {() => Promise<boolean>} look */
async function waitFor(look) {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    if (await look()) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return false;
}
