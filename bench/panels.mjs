import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModelServer } from '../dist/mock-model.js';
import { cleanEnvironment, ms, row, summarise } from './measure.mjs';

const RALPH = fileURLToPath(new URL('../bin/ralph.js', import.meta.url));
const RUNS = 5;
const BYTES_PER_TOKEN = 4;

/** What a panel of three native agents costs that answer at once and vote, beside the same three answers by one agent after the other. */
export async function benchPanels() {
  const server = await startModelServer({ handler: () => reply(server.requests.at(-1)?.body ?? '', server.requests.length) });
  const panel = makeFolder(server.url, 'panel: {injection: off, agents: [{id: one}, {id: two}, {id: three}]}');
  const alone = makeFolder(server.url, '');
  try {
    const [together, apart] = [[], []];
    for (let round = 0; round <= RUNS; round += 1) {
      together.push(await runOnce(server, panel));
      const three = [];
      for (let agent = 0; agent < 3; agent += 1) three.push(await runOnce(server, alone));
      apart.push(three.reduce((sum, { durationMs }) => sum + durationMs, 0));
    }
    const best = together.slice(1).reduce((least, run) => (run.durationMs < least.durationMs ? run : least));
    const { min } = summarise(apart.slice(1));
    return [
      row(
        'a panel of three that answer at once and vote, a whole process',
        ms(best.durationMs),
        `three runs of one agent ${ms(min)}`,
        `${(best.durationMs / min).toFixed(2)} x`,
        `${best.requests} requests, ${best.bytes} bytes (about ${Math.round(best.bytes / BYTES_PER_TOKEN)} tokens), ${best.peakMb} MB; min of ${RUNS}`,
      ),
    ];
  } finally {
    await server.close();
    for (const folder of [panel, alone]) rmSync(folder, { recursive: true, force: true });
  }
}

function reply(body, count) {
  if (body.includes('Vote for the best answer')) return call('vote', { agent_id: 'agent1', reason: 'It is right.' });
  if (body.includes('new_answer')) return call('new_answer', { content: `Paris, says number ${count}.` });
  return { text: 'Paris.\n\nLOOP_COMPLETE' };
}

function call(name, args) {
  return { calls: [{ tool: [name], args, isForced: true }] };
}

function makeFolder(url, panel) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-panel-'));
  writeFileSync(
    join(folder, 'ralph.yml'),
    `
cli: {backend: {type: native, provider: openai-compatible, model: some-model, base_url: "${url}/v1"}}
event_loop: {prompt: What is the capital of France?, max_iterations: 1}
gates: []
profiles: {thinker: {allow: []}}
hats:
  thinker:
    profile: thinker
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    instructions: Answer the question.
    ${panel}
`,
  );
  return folder;
}

/** One run of the command, with the most memory that it held. */
async function runOnce(server, cwd) {
  server.requests.length = 0;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [RALPH, 'run', '--no-tui', '-q'], {
    cwd,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let peakKb = 0;
  const look = () => {
    try {
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0));
    } catch {
      // It has ended, or this system tells nothing of it.
    }
  };
  const timer = setInterval(look, 10);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`a run in ${cwd} ended with ${code}`);
  const bytes = server.requests.reduce((sum, { body }) => sum + body.length, 0);
  return { durationMs: performance.now() - startedAt, requests: server.requests.length, bytes, peakMb: Math.round(peakKb / 1024) };
}
