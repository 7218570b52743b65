import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { tryOr } from '../core/values/result.ts';
import { anthropicDialect } from './anthropic.ts';
import { augmentDialect } from './augment.ts';
import { chatDialect } from './chat.ts';
import { geminiDialect } from './gemini.ts';
import { responsesDialect } from './responses.ts';
import { findScript, prepare, replyAt } from './script.ts';
import { record } from './values.ts';
import type { Conversation, Dialect, Handler, ModelServer, ModelServerOptions, ReadyReply, RecordedRequest, Reply } from './wire-types.ts';

const DIALECTS = [anthropicDialect, responsesDialect, chatDialect, geminiDialect, augmentDialect];
const MODELS = ['mock-model', 'claude-sonnet-4-5', 'gpt-5.5', 'gemini-2.5-flash'];
const MAX_RECORDED_CHARACTERS = 1024 * 1024;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Starts a mock model server that speaks the wire formats of the real agent CLIs. It answers by scripts: a prompt that
 * holds `[[script:NAME]]` gets the replies of that script, and the tool calls in it use whatever tool the client offers.
 * No dependency, no state per connection: everything is decided from the request itself.
 *
 * @returns a server that listens on 127.0.0.1, on a free port
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const scripts = new Map(Object.entries(options.scripts ?? {}));
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    answer({ request, response, scripts, requests, handler: options.handler }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
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

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly scripts: ReadonlyMap<string, readonly Reply[]>;
  readonly requests: RecordedRequest[];
  readonly handler: Handler | undefined;
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, requests } = exchange;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const raw = await readBody(request);
  const entry: RecordedRequest = {
    at: Date.now(),
    method: request.method ?? '',
    path: url.pathname + url.search,
    agent: request.headers['user-agent'] ?? '',
    headers: request.headers,
    dialect: undefined,
    model: undefined,
    script: undefined,
    answer: '',
    body: raw.slice(0, MAX_RECORDED_CHARACTERS),
  };
  requests.push(entry);
  const dialect = DIALECTS.find((candidate) => request.method === 'POST' && candidate.matches(url.pathname));
  if (dialect === undefined) {
    const { status, value } = answerOther(request.method ?? '', url.pathname);
    entry.answer = String(status);
    sendJson(response, status, value);
    return;
  }
  const conversation = dialect.read(
    tryOr(() => record(JSON.parse(raw)), {}),
    url,
  );
  const script = findScript(conversation);
  Object.assign(entry, { dialect: dialect.name, model: conversation.model, script: script?.name });
  const turns = script === undefined ? undefined : exchange.scripts.get(script.name);
  const scripted = turns === undefined || script === undefined ? undefined : replyAt(turns, script.step);
  const reply = exchange.handler?.(conversation, entry) ?? scripted;
  entry.script ??= reply?.name;
  const ready = prepare(reply ?? { text: 'Ok' }, conversation, `mock${String(requests.length).padStart(6, '0')}`);
  entry.answer =
    reply === undefined ? 'auxiliary' : (reply.fault ?? reply.http?.status.toString() ?? (ready.calls.length === 0 ? 'text' : 'call'));
  if (reply?.delayMs !== undefined) await pause(reply.delayMs);
  if (reply?.http === undefined) await sendReply(response, dialect, conversation, ready, reply ?? {});
  else sendJson(response, reply.http.status, reply.http.body, reply.http.headers);
}

async function sendReply(
  response: ServerResponse,
  dialect: Dialect,
  conversation: Conversation,
  reply: ReadyReply,
  { fault, paceMs, keepAlives = 0 }: Reply,
): Promise<void> {
  const inStream = fault === 'hang' || fault === 'cut' || fault === 'short' || fault === 'malformed';
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
  const frames = [...Array.from({ length: keepAlives }, () => ': alive\n\n'), ...dialect.frames(reply, conversation)];
  response.writeHead(200, { 'content-type': dialect.contentType, 'cache-control': 'no-cache' });
  const half = Math.max(1, Math.floor(frames.length / 2));
  if (fault === 'malformed') frames.splice(half, 0, 'data: {"type":"broken\n\n');
  for (const frame of inStream && fault !== 'malformed' ? frames.slice(0, half) : frames) {
    if (paceMs !== undefined) await pause(paceMs);
    response.write(frame);
  }
  if (fault === 'hang') return;
  // Flushed first, so that the client has read the first half when the connection breaks.
  if (fault === 'cut') await pause(50);
  if (fault === 'cut') response.destroy();
  else response.end();
}

function sendJson(response: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new Error('request body too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Everything a client asks that is no model call: token counts, model lists, sign-in checks. The answers are harmless. */
function answerOther(method: string, path: string): { readonly status: number; readonly value: unknown } {
  if (method === 'HEAD') return { status: 200, value: {} };
  if (path.endsWith('/count_tokens')) return { status: 200, value: { input_tokens: 1200 } };
  if (path.endsWith(':countTokens')) return { status: 200, value: { totalTokens: 1200 } };
  if (path.endsWith('/get-models')) return { status: 200, value: augmentModels() };
  if (path.endsWith('/v1beta/models')) {
    return {
      status: 200,
      value: { models: MODELS.map((id) => ({ name: `models/${id}`, inputTokenLimit: 128_000, outputTokenLimit: 8_192 })) },
    };
  }
  if (path.endsWith('/models')) {
    return {
      status: 200,
      value: { object: 'list', data: MODELS.map((id) => ({ id, object: 'model', type: 'model', display_name: id })), has_more: false },
    };
  }
  return { status: 404, value: { error: { message: 'The mock server has nothing here.', type: 'not_found_error', code: 404 } } };
}

function augmentModels(): unknown {
  const model = { name: 'mock-model', suggested_prefix_char_count: 1000, suggested_suffix_char_count: 1000 };
  return { default_model: 'mock-model', models: [model], feature_flags: {}, languages: [], user: { id: 'mock', email: 'mock@localhost' } };
}
