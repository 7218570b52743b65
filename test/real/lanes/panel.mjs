/** A panel of real CLIs and the native agent: each answers in its own way, one is told of an answer while it works, all vote. */
import { wearerOf } from '../wearers.mjs';

const SLOW_MS = 2500;

/** @param {import('../bench.mjs').Bench} bench @param {import('../checks.mjs').Checks} checks @param {string[]} names */
export async function runPanel(bench, checks, names) {
  const clis = ['claude', 'codex'].filter((name) => names.includes(name));
  const native = { type: 'native', provider: 'anthropic', model: 'claude-sonnet-4-5', base_url: `http://127.0.0.1:${bench.server.port}` };
  const project = await bench.createProject('panel', {
    config: {
      gates: [],
      event_loop: { max_iterations: 2 },
      hats: {
        thinker: {
          triggers: ['task.start', 'task.resume'],
          publishes: ['task.complete'],
          panel: {
            first_injection: 'mid_stream',
            agents: [...clis.map((cli) => ({ id: `real-${cli}`, backend: wearerOf(cli).backend })), { id: 'our-own', backend: native }],
          },
        },
      },
    },
    files: { 'README.md': 'Nothing yet.\n' },
  });
  /** @type {string[]} */
  const bodies = [];
  bench.play((conversation) => {
    const text = JSON.stringify(conversation.turns);
    bodies.push(text);
    if (!text.includes('## HAND IN')) return undefined;
    const hasTool = (/** @type {string} */ tool) => conversation.tools.some(({ name }) => name === tool);
    if (text.includes('Vote for the best answer'))
      return hasTool('vote')
        ? { calls: [{ tool: ['vote'], args: { agent_id: 'agent1', reason: 'It is right.' }, isForced: true }] }
        : { text: 'I have read them.\n\nVOTE: agent1 it is right' };
    if (hasTool('new_answer')) {
      if (text.includes('[UPDATE: agent'))
        return { calls: [{ tool: ['new_answer'], args: { content: 'I have seen yours, and say: 42.' }, isForced: true }] };
      return { delayMs: SLOW_MS, calls: [{ tool: ['list_files'], args: { path: '.', limit: bodies.length + 5 }, isForced: true }] };
    }
    return { text: `The answer is 42, says number ${bodies.length}.` };
  });
  const result = await project.ralph(['run', '-p', 'What is the answer?', '--no-tui'], { timeoutMs: 120_000 });
  checks.equal('exit code', result.exitCode, 0);
  checks.ok('no winner', /agent1 won with 3 of 3 votes/.test(result.stdout + result.stderr), result.stdout + result.stderr);
  const shown = JSON.parse((await project.ralph(['panel', 'show', '--format', 'json'])).stdout);
  const panel = shown.panel ?? shown;
  checks.equal(
    'who voted',
    panel.agents.map((/** @type {{ status: string }} */ { status }) => status),
    [...clis.map(() => 'voted'), 'voted'],
  );
  checks.ok('our own agent was told of no answer', panel.updates.length > 0, JSON.stringify(panel.updates));
  checks.ok(
    'a name was told',
    bodies.every((text) => !text.includes('real-claude') && !text.includes('real-codex') && !text.includes('our-own')),
  );
  checks.equal('processes left', await bench.alive(), []);
}
