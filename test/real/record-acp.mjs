/** Records the JSON-RPC traffic, both ways, between a small Agent Client Protocol client and a real CLI. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ACP_ARGV } from './cli-argv.mjs';
import { modelOf } from './cli-config.mjs';
import { record, records, startModelServer, text } from './model-server.mjs';
import { createPlace } from './place.mjs';
import { killTree } from './run-bounded.mjs';
import { PROMPT_LINES, SCENARIOS } from './scenarios.mjs';
import { createScrubber, pruneLongLines } from './scrub.mjs';

const ANSWER_TIMEOUT_MS = 20_000;
const EXIT_TIMEOUT_MS = 3_000;
const METHOD_NOT_FOUND = -32601;

/** What the client does besides prompting: the kind of permission it grants, and when it cancels. */
/** @type {ReadonlyArray<{ name: string, grant: 'allow_once' | 'reject_once', cancelAfterMs?: number, only?: string[] }>} */
export const ACP_SCENARIOS = [
  { name: 'success', grant: 'allow_once' },
  // The others run tools without asking.
  { name: 'permission-denied', grant: 'reject_once', only: ['gemini', 'copilot', 'qwen'] },
  { name: 'error-auth', grant: 'allow_once' },
  { name: 'hang', grant: 'allow_once', cancelAfterMs: 3_000 },
];

/**
 * @param {import('./clis.mjs').InstalledCli} cli
 * @param {{ name: string, grant: 'allow_once' | 'reject_once', cancelAfterMs?: number, only?: string[] }} scenario
 * @param {string} folder where the folder of recordings is
 * @returns {Promise<string>} one line about what was seen
 */
export async function recordAcp({ spec, bin, folder: install }, scenario, folder) {
  const turns = SCENARIOS.find(({ name }) => name === scenario.name)?.turns ?? [];
  const server = await startModelServer({ scripts: { [scenario.name]: turns } });
  const place = await createPlace(spec.name, server.port);
  const args = ACP_ARGV[spec.name]?.(modelOf(spec.name)) ?? [];
  const startedAt = Date.now();
  const child = spawn(bin, args, { cwd: place.cwd, env: place.env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  try {
    const client = createClient(child, scenario.grant);
    const prompt = [...PROMPT_LINES, '', `[[script:${scenario.name}]]`].join('\n');
    const outcome = await converse(client, { cwd: place.cwd, prompt, cancelAfterMs: scenario.cancelAfterMs }).catch((error) =>
      String(error),
    );
    child.stdin.end();
    const end = await Promise.race([exited, pause(EXIT_TIMEOUT_MS).then(() => undefined)]);
    const scrub = createScrubber({ home: place.home, cwd: place.cwd, install, port: server.port });
    const meta = {
      cli: spec.name,
      version: spec.version,
      scenario: scenario.name,
      argv: [spec.bin, ...args],
      prompt,
      exitCode: end?.code ?? null,
      signal: end?.signal ?? null,
      exitsOnEndOfInput: end !== undefined,
      durationMs: Math.round((Date.now() - startedAt) / 100) * 100,
      recordedAt: new Date().toISOString().slice(0, 10),
    };
    const target = join(folder, `acp-${spec.name}`);
    await mkdir(target, { recursive: true });
    const lines = client.traffic.map((line) => JSON.stringify(line)).join('\n');
    await writeFile(join(target, `${scenario.name}.traffic.jsonl`), `${pruneLongLines(scrub(lines))}\n`);
    await writeFile(join(target, `${scenario.name}.meta.json`), `${JSON.stringify(meta, null, 2)}\n`);
    return `${outcome}, ${client.traffic.length} messages, ${end === undefined ? 'does not end on end of input' : `exit ${end.code ?? end.signal}`}`;
  } finally {
    await killTree(child.pid);
    await place.dispose();
    await server.close();
  }
}

/**
 * @param {ReturnType<typeof createClient>} client
 * @param {{ cwd: string, prompt: string, cancelAfterMs: number | undefined }} options
 * @returns {Promise<string>} how the prompt ended
 */
async function converse(client, { cwd, prompt, cancelAfterMs }) {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  await client.request('initialize', { protocolVersion: 1, clientCapabilities });
  const session = record((await client.request('session/new', { cwd, mcpServers: [] }))['result']);
  const sessionId = text(session['sessionId']);
  if (cancelAfterMs !== undefined) setTimeout(() => client.notify('session/cancel', { sessionId }), cancelAfterMs).unref();
  const answer = await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
  // Updates may trail the answer.
  await pause(300);
  return 'error' in answer ? `error ${JSON.stringify(answer['error']).slice(0, 160)}` : text(record(answer['result'])['stopReason']);
}

/**
 * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} child
 * @param {'allow_once' | 'reject_once'} grant
 */
function createClient(child, grant) {
  /** @type {Array<{ from: 'client' | 'agent', message: unknown }>} */
  const traffic = [];
  /** @type {Map<unknown, (message: Record<string, unknown>) => void>} */
  const waiting = new Map();
  let nextId = 1;
  child.stdin.on('error', () => {});
  /** @param {Record<string, unknown>} message */
  const send = (message) => {
    const whole = { jsonrpc: '2.0', ...message };
    traffic.push({ from: 'client', message: whole });
    child.stdin.write(`${JSON.stringify(whole)}\n`);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parseLine(line);
    traffic.push({ from: 'agent', message: message ?? line });
    if (message === undefined) return;
    if ('method' in message && 'id' in message) send({ id: message['id'], ...answerAgent(message, grant) });
    else if ('id' in message) waiting.get(message['id'])?.(message);
  });
  return {
    traffic,
    /** @param {string} method @param {Record<string, unknown>} params */
    notify: (method, params) => send({ method, params }),
    /**
     * @param {string} method
     * @param {Record<string, unknown>} params
     * @returns {Promise<Record<string, unknown>>}
     */
    request(method, params) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`no answer to ${method}`)), ANSWER_TIMEOUT_MS);
        waiting.set(id, (message) => {
          clearTimeout(limit);
          resolve(message);
        });
        send({ id, method, params });
      });
    },
  };
}

/**
 * @param {Record<string, unknown>} message
 * @param {'allow_once' | 'reject_once'} grant
 */
function answerAgent(message, grant) {
  if (message['method'] !== 'session/request_permission') return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
  const options = records(record(message['params'])['options']);
  // Agents name their options differently; only the kind means the same everywhere.
  const chosen = options.find((option) => option['kind'] === grant) ?? options[0];
  return { result: { outcome: { outcome: 'selected', optionId: chosen?.['optionId'] } } };
}

/** @param {string} line */
function parseLine(line) {
  try {
    return record(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((wake) => setTimeout(wake, ms));
}
