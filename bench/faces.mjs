/** What `ralph web` costs: from an input on disk to a client, memory and seeking in long runs. */
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withBundle } from './bundle.mjs';
import { cleanEnvironment, ms, pause, row, shareOf, time, timeSync, toPair } from './measure.mjs';
import { startWeb, TOKEN } from './web-server.mjs';
import { withFolder } from './workspace.mjs';

const RUN_ID = '20261121-101010-abcde';
const EVENTS = 200;
/** Further apart than frames are held back, as inputs of a run are. */
const PAUSE_MS = 45;
const SEEKS = 200;
const LENGTHS = [10_000, 100_000];

export async function benchFaces() {
  return withBundle(new URL('./faces.ts', import.meta.url), async (file) => {
    const { writeJournal } = await import(pathToFileURL(file).href);
    return [...(await benchLatency(writeJournal)), ...(await benchLong(writeJournal))];
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
    const ratio = `${(shareOf(ours, 0.5) / shareOf(theirs, 0.5)).toFixed(2)} x, ${(shareOf(ours, 0.99) / shareOf(theirs, 0.99)).toFixed(2)} x`;
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

/** In MB (Linux). */
function readMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  return { now: read('VmRSS'), peak: read('VmHWM') };
}
