/** What `ralph web` costs: from an input on disk to a client, memory and seeking in long runs, what a run pays for being watched. */
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, row, summarise } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const RUN_ID = '20261121-101010-abcde';
const TOKEN = 'bench-token-that-nobody-else-knows';
const EVENTS = 200;
/** Further apart than frames are held back, as inputs of a run are. */
const PAUSE_MS = 45;
const SEEKS = 200;
const LENGTHS = [10_000, 100_000];
const TURNS = 100;
const RUNS = 5;

export async function benchFaces() {
  return withBundle(new URL('./faces.ts', import.meta.url), async (file) => {
    const { writeJournal } = await import(pathToFileURL(file).href);
    return [...(await benchLatency(writeJournal)), ...(await benchLong(writeJournal)), ...(await benchWatched())];
  });
}

/** From just before an input is appended and synced to its frame at the client; beside a byte that goes the same way: append, sync, fs.watch, HTTP. */
async function benchLatency(writeJournal) {
  return withFolder({ token: TOKEN }, async (cwd) => {
    const journal = writeJournal(join(cwd, '.ralph/runs', RUN_ID, 'journal.jsonl'), RUN_ID, 1000);
    const web = await startWeb(cwd);
    const ours = await timeInputs(web, journal);
    web.stop();
    const theirs = await timeBytes(cwd);
    journal.close();
    const ratio = `${(at(ours, 0.5) / at(theirs, 0.5)).toFixed(2)} x, ${(at(ours, 0.99) / at(theirs, 0.99)).toFixed(2)} x`;
    const note = `${EVENTS} inputs, 1,000 before them`;
    return [
      row(
        'from an input to its frame at a client, p50 and p99',
        toPair(ours),
        `append, sync, fs.watch, HTTP ${toPair(theirs)}`,
        ratio,
        note,
      ),
    ];
  });
}

async function timeInputs(web, journal) {
  const key = (await web.json('/api/runs')).runs[0].key;
  const waiting = new Map();
  const stream = await web.open(`/api/stream?run=${key}`);
  let rest = '';
  const isReady = new Promise((resolve) => stream.once('data', resolve));
  stream.on('data', (chunk) => {
    const now = performance.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const seq = Number(/^id: (\d+)$/m.exec(block)?.[1] ?? 0);
      waiting.get(seq)?.(now);
    }
  });
  await isReady;
  const times = [];
  for (let count = 0; count < EVENTS; count += 1) {
    await pause(PAUSE_MS + Math.random() * 10);
    const startedAt = performance.now();
    const seq = journal.append();
    times.push(await new Promise((resolve) => waiting.set(seq, (now) => resolve(now - startedAt))));
  }
  stream.destroy();
  return times;
}

const ANCHOR = `
const { watch } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  response.writeHead(200);
  response.write('.');
  watch(process.argv[1], () => response.write('x'));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

async function timeBytes(cwd) {
  const path = join(cwd, 'anchor');
  writeFileSync(path, '');
  const child = spawn(process.execPath, ['-e', ANCHOR, path], { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
  const response = await new Promise((resolve) => get({ port, host: '127.0.0.1' }, resolve));
  let told = () => undefined;
  await new Promise((resolve) => response.once('data', resolve));
  response.on('data', () => told(performance.now()));
  response.on('error', () => undefined);
  const file = openSync(path, 'a');
  const line = `${'x'.repeat(500)}\n`;
  const times = [];
  for (let count = 0; count < EVENTS; count += 1) {
    await pause(PAUSE_MS + Math.random() * 10);
    const startedAt = performance.now();
    const end = new Promise((resolve) => {
      told = resolve;
    });
    writeSync(file, line);
    fdatasyncSync(file);
    times.push((await end) - startedAt);
  }
  closeSync(file);
  child.kill();
  return times;
}

/** A long run: until its first frame, its past states, the memory of the server. */
async function benchLong(writeJournal) {
  const rows = [];
  for (const inputs of LENGTHS)
    rows.push(
      ...(await withFolder({ token: TOKEN }, async (cwd) => {
        const path = join(cwd, '.ralph/runs', RUN_ID, 'journal.jsonl');
        writeJournal(path, RUN_ID, inputs).close();
        const parseMs = timeSync(() =>
          readFileSync(path, 'utf8')
            .split('\n')
            .forEach((line) => line === '' || JSON.parse(line)),
        );
        const web = await startWeb(cwd);
        const listMs = await time(() => web.json('/api/runs'));
        const { key } = (await web.json('/api/runs')).runs[0];
        const openMs = await time(() => web.json(`/api/runs/${key}/frame`));
        const seeks = [];
        for (let count = 0; count < SEEKS; count += 1)
          seeks.push(await time(() => web.json(`/api/runs/${key}/frame?seq=${1 + Math.floor(Math.random() * inputs)}`)));
        const pages = [];
        for (let count = 0; count < SEEKS; count += 1)
          pages.push(await time(() => web.json(`/api/runs/${key}/turns?from=${Math.floor((Math.random() * inputs) / 2)}&count=100`)));
        const timelineMs = await time(() => web.json(`/api/runs/${key}/timeline?slots=500`));
        const memory = readMemory(web.pid);
        web.stop();
        const name = inputs.toLocaleString('en');
        return [
          row(
            `${name} inputs: opened until the first frame`,
            ms(openMs),
            `split and JSON.parse ${ms(parseMs)}`,
            `${(openMs / parseMs).toFixed(2)} x`,
            `the list before it ${ms(listMs)}`,
          ),
          row(
            `${name} inputs: a past state, p50 and p99`,
            toPair(seeks),
            'at most 50 ms',
            `a page of 100 turns ${toPair(pages)}`,
            `timeline of 500 slots ${ms(timelineMs)}`,
          ),
          row(
            `${name} inputs: memory of the server`,
            `${memory.now} MB, at most ${memory.peak} MB`,
            `at most ${inputs > 10_000 ? 200 : 120} MB`,
            '',
            '',
          ),
        ];
      })),
    );
  return rows;
}

const AGENT = `#!/bin/sh
echo working
n=$(cat count 2>/dev/null || echo 0)
n=$((n + 1))
echo $n > count
[ $n -ge ${TURNS} ] && echo LOOP_COMPLETE
exit 0
`;

/** A run of many short turns, with and without somebody who looks at it. */
async function benchWatched() {
  const config = `cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: ${TURNS + 1} }\nisolation: off\ngates: []\n`;
  return withFolder({ token: TOKEN, 'ralph.yml': config, 'agent.sh': AGENT }, async (cwd) => {
    const [alone, watched] = [[], []];
    for (let run = 0; run < RUNS; run += 1) {
      alone.push(await timeRun(cwd, false));
      watched.push(await timeRun(cwd, true));
    }
    const read = (runs, name) => summarise(runs.map((run) => run[name]));
    const toShare = (name) => `${((read(watched, name).min / read(alone, name).min - 1) * 100).toFixed(1)} %`;
    const toRow = (what, name, note) =>
      row(what, ms(read(watched, name).min), `nobody looks ${ms(read(alone, name).min)}`, toShare(name), note);
    const cpu = `min of ${RUNS}; medians ${ms(read(watched, 'cpuMs').median)} and ${ms(read(alone, 'cpuMs').median)}`;
    const wall = `medians ${ms(read(watched, 'wallMs').median)} and ${ms(read(alone, 'wallMs').median)}; the server's own ${ms(read(watched, 'webMs').median)} of a core are in it where cores are scarce`;
    return [
      toRow(`time of a core that a run of ${TURNS} short turns takes while a page is told of it`, 'cpuMs', cpu),
      toRow('its time in all', 'wallMs', wall),
    ];
  });
}

async function timeRun(cwd, isWatched) {
  rmSync(join(cwd, 'count'), { force: true });
  const web = isWatched ? await startWeb(cwd) : null;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [RALPH, 'run', '-p', 'x', '--no-tui', '-q'], { cwd, env: toEnvironment(cwd), stdio: 'ignore' });
  let cpuMs = 0;
  const look = setInterval(() => {
    cpuMs = readCpuMs(child.pid) || cpuMs;
  }, 10);
  const done = new Promise((resolve) => child.once('exit', resolve));
  let frames = 0;
  let webBefore = 0;
  if (web !== null) {
    let row;
    while (row === undefined) row = (await web.json('/api/runs')).runs.find(({ state }) => state === 'running');
    webBefore = readCpuMs(web.pid);
    const stream = await web.open(`/api/stream?run=${row.key}`);
    stream.on('error', () => undefined);
    stream.on('data', () => {
      frames += 1;
    });
  }
  const code = await done;
  clearInterval(look);
  const wallMs = performance.now() - startedAt;
  const webMs = web === null ? 0 : readCpuMs(web.pid) - webBefore;
  web?.stop();
  if (code !== 0 || (web !== null && frames < TURNS / 4)) throw new Error(`the run ended with ${code}, ${frames} frames were told`);
  return { wallMs, cpuMs, webMs };
}

/** What a process itself, without those that it started, has had of a core; 0 where it is gone (Linux, 100 ticks a second). */
function readCpuMs(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0;
  }
}

function toEnvironment(cwd) {
  return cleanEnvironment({ XDG_STATE_HOME: join(cwd, 'state') });
}

/** `ralph web` in a folder, and ways to ask it. */
async function startWeb(cwd) {
  const path = join(cwd, 'token');
  rmSync(path);
  writeFileSync(path, TOKEN, { mode: 0o600 });
  const child = spawn(process.execPath, [RALPH, 'web', '--port', '0', '--token-file', path], {
    cwd,
    env: toEnvironment(cwd),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = await new Promise((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text)));
    child.stderr.once('data', (text) => setTimeout(() => reject(new Error(String(text))), 500));
  });
  const { port } = new URL(said.trim());
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { Authorization: `Bearer ${TOKEN}` } }, resolve);
      sent.once('error', reject);
      sent.end();
    });
  return {
    pid: child.pid,
    open: async (path) => (await ask(path)).setEncoding('utf8'),
    json: async (path) => {
      const response = await ask(path);
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`);
      return JSON.parse(text);
    },
    stop: () => child.kill('SIGTERM'),
  };
}

/** In MB (Linux). */
function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

const pause = (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs));

async function time(act) {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

function timeSync(act) {
  const startedAt = performance.now();
  act();
  return performance.now() - startedAt;
}

function at(times, share) {
  return times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.floor(times.length * share))];
}

function toPair(times) {
  return `${at(times, 0.5).toFixed(1)} and ${ms(at(times, 0.99))}`;
}
