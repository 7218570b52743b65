/**
 * A mock model server on loopback that speaks the wire formats of the real agent CLIs. It plays scripts: a prompt that
 * holds `[[script:NAME]]` gets the turns of that script, and the shell tool calls in it use whatever tool the client offers.
 * No dependency, no state per connection: everything is decided from the request itself.
 */
import { createServer } from 'node:http';
import { anthropic } from './model/anthropic.mjs';
import { augment } from './model/augment.mjs';
import { auxiliary } from './model/auxiliary.mjs';
import { chat } from './model/chat.mjs';
import { gemini } from './model/gemini.mjs';
import { responses } from './model/responses.mjs';
import { findScript, prepare, replyAt } from './model/script.mjs';
import { record } from './model/values.mjs';

const DIALECTS = [anthropic, responses, chat, gemini, augment];
const MAX_RECORDED_CHARACTERS = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * @param {import('./model/types.d.ts').ModelServerOptions} [options]
 * @returns {Promise<import('./model/types.d.ts').ModelServer>} listening on 127.0.0.1, on a free port
 */
export async function startModelServer(options = {}) {
  const scripts = new Map(Object.entries(options.scripts ?? {}));
  /** @type {import('./model/types.d.ts').RecordedRequest[]} */
  const requests = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    answer({ request, response, scripts, requests, handler: options.handler }).catch((error) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    setScript: (name, turns) => void scripts.set(name, turns),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * @typedef {object} Exchange
 * @property {import('node:http').IncomingMessage} request
 * @property {import('node:http').ServerResponse} response
 * @property {Map<string, import('./model/types.d.ts').Reply[]>} scripts
 * @property {import('./model/types.d.ts').RecordedRequest[]} requests
 * @property {import('./model/types.d.ts').Handler | undefined} handler
 */

/** @param {Exchange} exchange */
async function answer(exchange) {
  const { request, response, requests } = exchange;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await readBody(request);
  const body = parseJson(raw);
  /** @type {import('./model/types.d.ts').RecordedRequest} */
  const entry = {
    at: Date.now(),
    method: request.method ?? '',
    path: url.pathname + url.search,
    agent: request.headers['user-agent'] ?? '',
    dialect: undefined,
    model: undefined,
    script: undefined,
    answer: '',
    body: raw.slice(0, MAX_RECORDED_CHARACTERS),
  };
  requests.push(entry);
  const dialect = DIALECTS.find((candidate) => request.method === 'POST' && candidate.matches(url.pathname));
  if (dialect === undefined) {
    const { status, value } = auxiliary(request.method ?? '', url.pathname);
    entry.answer = String(status);
    sendJson(response, status, value);
    return;
  }
  const conversation = dialect.read(body, url);
  const script = findScript(conversation);
  Object.assign(entry, { dialect: dialect.name, model: conversation.model, script: script?.name });
  const turns = script === undefined ? undefined : exchange.scripts.get(script.name);
  const scripted = turns === undefined || script === undefined ? undefined : replyAt(turns, script.step);
  const reply = exchange.handler?.(conversation) ?? scripted;
  entry.script ??= reply?.name;
  const ready = prepare(reply ?? { text: 'Ok' }, conversation, `mock${String(requests.length).padStart(6, '0')}`);
  entry.answer = reply === undefined ? 'auxiliary' : (reply.fault ?? (ready.call === undefined ? 'text' : 'call'));
  if (reply?.delayMs !== undefined) await pause(reply.delayMs);
  await play(response, dialect, conversation, ready, reply?.fault);
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {import('./model/types.d.ts').Dialect} dialect
 * @param {import('./model/types.d.ts').Conversation} conversation
 * @param {import('./model/types.d.ts').ReadyReply} reply
 * @param {import('./model/types.d.ts').Fault | undefined} fault
 */
async function play(response, dialect, conversation, reply, fault) {
  const inStream = fault === 'hang' || fault === 'cut' || fault === 'malformed';
  if (fault !== undefined && !inStream) {
    const { status, headers, body } = dialect.error(fault);
    sendJson(response, status, body, headers);
    return;
  }
  if (!conversation.streaming) {
    // A whole answer cannot be cut or malformed, but it can fail to come.
    if (fault !== 'hang') sendJson(response, 200, dialect.whole(reply, conversation));
    return;
  }
  const frames = dialect.frames(reply, conversation);
  response.writeHead(200, { 'content-type': dialect.contentType, 'cache-control': 'no-cache' });
  const half = Math.max(1, Math.floor(frames.length / 2));
  if (fault === 'malformed') frames.splice(half, 0, 'data: {"type":"broken\n\n');
  for (const frame of inStream && fault !== 'malformed' ? frames.slice(0, half) : frames) response.write(frame);
  if (fault === 'hang') return;
  // Flushed first, so that the client has read the first half when the connection breaks.
  if (fault === 'cut') await pause(50);
  if (fault === 'cut') response.destroy();
  else response.end();
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((wake) => setTimeout(wake, ms));
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {unknown} value
 * @param {Record<string, string>} [headers]
 */
function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<string>}
 */
async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error('request body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @param {string} raw
 * @returns {Record<string, unknown>}
 */
function parseJson(raw) {
  try {
    return record(JSON.parse(raw));
  } catch {
    return {};
  }
}
