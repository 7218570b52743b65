import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModelServer } from '../dist/mock-model.js';
import { cleanEnvironment, ms, row, summarise } from './measure.mjs';

const RALPH = fileURLToPath(new URL('../bin/ralph.js', import.meta.url));
const RUNS = 5;
const BYTES_PER_TOKEN = 4;

const SIZES = [3, 10, 50];
const FILES = 20_000;

export async function benchPanels() {
  return [...(await benchModels()), ...(await benchSizes()), ...(await benchWorkspace())];
}

/** What a panel of three native agents costs that answer at once and vote, beside the same three answers by one agent after the other. */
async function benchModels() {
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

/** Panels of scripted agents that answer at once and vote, beside as many hats that answer one after the other in one run. */
async function benchSizes() {
  const rows = [];
  const memory = [];
  for (const size of SIZES) {
    const panel = makeScripted(size, true);
    const chain = makeScripted(size, false);
    try {
      const [together, apart] = [[], []];
      for (let round = 0; round <= RUNS_OF_SIZES; round += 1) {
        together.push(await runOnce(NO_SERVER, panel));
        apart.push(await runOnce(NO_SERVER, chain));
      }
      const best = (runs) => runs.slice(1).reduce((least, run) => (run.durationMs < least.durationMs ? run : least));
      const [ours, theirs] = [best(together), best(apart)];
      memory.push({ size, ours: ours.peakMb, theirs: theirs.peakMb });
      const note = `${ms(ours.durationMs / size)} for an agent with its two prompts and its copy of the folder; ${ours.peakMb} MB beside ${theirs.peakMb} MB`;
      rows.push(
        row(
          `a panel of ${size} scripted agents that answer and vote, a whole process`,
          ms(ours.durationMs),
          `${size} hats, one after the other ${ms(theirs.durationMs)}`,
          `${(ours.durationMs / theirs.durationMs).toFixed(2)} x`,
          `${note}; min of ${RUNS_OF_SIZES}`,
        ),
      );
    } finally {
      for (const folder of [panel, chain]) rmSync(folder, { recursive: true, force: true });
    }
  }
  const [least, most] = [memory[0], memory.at(-1)];
  const perAgent = (most.ours - least.ours) / (most.size - least.size);
  return [
    ...rows,
    row(
      'memory of one more agent of a panel',
      `${perAgent.toFixed(2)} MB`,
      `a hat more ${((most.theirs - least.theirs) / (most.size - least.size)).toFixed(2)} MB`,
      '',
      `from ${least.size} to ${most.size} agents`,
    ),
  ];
}

/** A panel of three in a folder of many files, beside copying it three times: each agent has a copy, and each of the others one of what it hands in. */
async function benchWorkspace() {
  const panel = makeScripted(3, true);
  const copies = mkdtempSync(join(tmpdir(), 'ralph-bench-copies-'));
  try {
    const empty = await runOnce(NO_SERVER, panel);
    for (let file = 0; file < FILES; file += 1) {
      const folder = join(panel, 'src', `part-${file % 200}`);
      if (file < 200) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `file-${file}.txt`), `line ${file}\n`.repeat(20));
    }
    const [ours, theirs] = [[], []];
    for (let round = 0; round <= RUNS_OF_SIZES; round += 1) {
      ours.push(await runOnce(NO_SERVER, panel));
      const startedAt = performance.now();
      for (let copy = 0; copy < 3; copy += 1) spawnSync('cp', ['-r', join(panel, 'src'), join(copies, `${round}-${copy}`)]);
      theirs.push(performance.now() - startedAt);
    }
    const best = Math.min(...ours.slice(1).map(({ durationMs }) => durationMs));
    const { min } = summarise(theirs.slice(1));
    const more = best - empty.durationMs;
    return [
      row(
        `a panel of three in a folder of ${FILES} files, beside an empty one`,
        `${ms(more)} more`,
        `three times \`cp -r\` ${ms(min)}`,
        `${(more / min).toFixed(2)} x`,
        `three copies to work in, three snapshots, six shared ones; min of ${RUNS_OF_SIZES}`,
      ),
    ];
  } finally {
    for (const folder of [panel, copies]) rmSync(folder, { recursive: true, force: true });
  }
}

const NO_SERVER = { requests: [] };
const RUNS_OF_SIZES = 2;

function makeScripted(size, isPanel) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-panel-'));
  const ids = Array.from({ length: size }, (_, index) => `member-${index + 1}`);
  const step = (tool, args) => `    - steps:\n        - calls: [{tool: ${tool}, args: ${JSON.stringify(args)}}]\n        - text: Done.\n`;
  const own = (_id, index) =>
    isPanel
      ? step('new_answer', { content: `Answer of number ${index}.` }) + step('vote', { agent_id: 'agent1', reason: 'It is right.' })
      : step('emit_event', { topic: index === size - 1 ? 'task.complete' : `done.${index + 1}`, payload: `Answer of number ${index}.` });
  writeFileSync(join(folder, 'model.yml'), `hats:\n${ids.map((id, index) => `  ${id}:\n${own(id, index)}`).join('')}`);
  const hats = isPanel
    ? `  team:\n    profile: thinker\n    triggers: [task.start, task.resume]\n    publishes: [task.complete]\n    panel: {tie: first, injection: off, agents: [${ids.map((id) => `{id: ${id}}`).join(', ')}]}\n`
    : ids
        .map(
          (id, index) =>
            `  ${id}:\n    profile: thinker\n    triggers: [${index === 0 ? 'task.start, task.resume' : `done.${index}`}]\n    publishes: [${index === size - 1 ? 'task.complete' : `done.${index + 1}`}]\n`,
        )
        .join('');
  writeFileSync(
    join(folder, 'ralph.yml'),
    `cli: {backend: {type: native, provider: scripted, script: model.yml}}\nevent_loop: {prompt: Answer, recovery_hat: ${isPanel ? 'team' : ids[0]}}\ngates: []\nprofiles: {thinker: {allow: []}}\nhats:\n${hats}`,
  );
  return folder;
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
