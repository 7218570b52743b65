import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'rolldown';
import { ms, row, summarise } from './measure.mjs';

const STEPS = 20;
const ROUNDS = 9;

/**
 * What the native agent adds to a step over the bare call of the provider on loopback: the library, the tool call, the transcript on disk. The server has a
 * thread of its own; both sides send the same bodies, turn by turn.
 */
export async function benchNative() {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  const file = await bundle();
  const room = await import(pathToFileURL(file).href);
  const rows = [];
  try {
    writeFileSync(join(folder, 'file.txt'), 'one line\n'.repeat(40));
    let iteration = 0;
    for (const kind of room.PROVIDERS) {
      const bodies = await recordBodies(room, kind, folder, () => ++iteration);
      const server = await startServer(file);
      const agent = [];
      const raw = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        agent.push((await room.runTurn(kind, server.url, folder, ++iteration)) / STEPS);
        raw.push((await room.callRaw(kind, server.url, bodies)) / STEPS);
      }
      await server.close();
      const [ours, theirs] = [summarise(agent.slice(1)).median, summarise(raw.slice(1)).median];
      rows.push(
        row(
          `native agent, one step, ${kind}`,
          ms(ours),
          `bare HTTP call ${ms(theirs)}`,
          `${(ours / theirs).toFixed(1)} x`,
          `${(ours - theirs).toFixed(1)} ms more; a real model takes seconds`,
        ),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

/** The packages of the providers stay imports, so the bundle has to be where they are found. */
async function bundle() {
  const folder = fileURLToPath(new URL('../node_modules/.cache/ralph/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'bench-native.mjs');
  await build({
    input: fileURLToPath(new URL('native.ts', import.meta.url)),
    platform: 'node',
    external: [/^@ai-sdk\//],
    output: { file, format: 'esm', codeSplitting: false },
    logLevel: 'silent',
  });
  return file;
}

async function recordBodies(room, kind, folder, next) {
  const server = await room.serve(STEPS);
  await room.runTurn(kind, server.url, folder, next());
  await server.close();
  return server.requests.map(({ body }) => body);
}

async function startServer(file) {
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     import(workerData).then(async ({ serve }) => parentPort.postMessage((await serve(${STEPS})).url));`,
    { eval: true, workerData: pathToFileURL(file).href },
  );
  const url = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { url, close: () => worker.terminate() };
}
