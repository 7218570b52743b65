import { type IncomingHttpHeaders, type IncomingMessage, request as sendRequest } from 'node:http';
import type { RunList, RunListRow } from '../wire/run-list.ts';
import type { StreamTimes } from './event-stream.ts';
import { createFakeRun, type FakeRun, RUN_ID, START } from './run-fixtures.ts';
import type { ServedRuns } from './served-runs.ts';
import { startWebServer, type WebServer } from './start-web-server.ts';

export const KEY = 'abc123';
export const TOKEN = 'a-token-of-the-tests-that-nobody-guesses';

/** What a test says of a server. */
export interface ServerWords {
  readonly runs?: Readonly<Record<string, FakeRun>>;
  readonly canSteer?: boolean;
  readonly now?: () => number;
  readonly times?: StreamTimes;
  readonly requestMs?: number;
  readonly list?: ServedRuns['list'];
}

/** A server on loopback, and a way to ask it. */
export interface TestServer {
  readonly server: WebServer;
  readonly own: string;
  readonly ask: (request: TestRequest) => Promise<TestAnswer>;
  /** Asks as the page does: with the token. */
  readonly get: (path: string) => Promise<TestAnswer>;
  readonly post: (path: string, body: unknown) => Promise<TestAnswer>;
  readonly stream: (path: string) => Promise<TestStream>;
  readonly faults: readonly unknown[];
}

export interface TestRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of what is no JSON: `null`. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at
  readonly json: any;
}

/** What a stream has sent so far. */
export interface TestStream {
  readonly response: IncomingMessage;
  readonly text: () => string;
  /** The data of the events of a kind. */
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at
  readonly events: (name: string) => readonly any[];
  readonly close: () => void;
}

const started: WebServer[] = [];

/** Ends the servers of a test. */
export async function closeServers(): Promise<void> {
  for (const server of started.splice(0)) await server.close();
}

export const PAGE = { html: '<!doctype html><title>Ralph</title>', script: ['sha256-c2NyaXB0'], style: ['sha256-c3R5bGU='] };

export async function openServer(words: ServerWords = {}): Promise<TestServer> {
  const { runs = { [KEY]: createFakeRun() }, canSteer = true, now = Date.now, times, requestMs } = words;
  const row: RunListRow = {
    ...{
      key: KEY,
      runId: RUN_ID,
      folder: '~/site',
      title: 'Build it.',
      state: 'running',
      attention: null,
      startedAt: START,
      reason: null,
    },
    ...{ at: START, iterations: 0, maxIterations: null, costUsd: null, working: [] },
  };
  const list = words.list ?? (async (): Promise<RunList> => ({ runs: [row], at: now(), unread: [], canSteer }));
  const faults: unknown[] = [];
  const server = await startWebServer({
    page: PAGE,
    source: { list, open: (key) => runs[key]?.run ?? null, onListChange: () => () => undefined },
    address: '127.0.0.1',
    port: 0,
    token: TOKEN,
    canSteer,
    now,
    onFault: (error) => faults.push(error),
    ...(times !== undefined && { times }),
    ...(requestMs !== undefined && { requestMs }),
  });
  started.push(server);
  const own = `127.0.0.1:${server.port}`;
  const withToken = { Authorization: `Bearer ${TOKEN}` };
  const ask = (request: TestRequest): Promise<TestAnswer> => send(server.port, { ...request, headers: { Host: own, ...request.headers } });
  return {
    server,
    own,
    faults,
    ask,
    get: (path) => ask({ path, headers: withToken }),
    post: (path, body) =>
      ask({ path, method: 'POST', headers: { ...withToken, 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    stream: (path) => openStream(server.port, path, { Host: own, ...withToken }),
  };
}

function send(port: number, { path, method = 'GET', headers = {}, body }: TestRequest): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest({ host: '127.0.0.1', port, path, method, headers: toHeaders(headers), setHost: false, agent: false });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += String(chunk);
      const isJson = response.headers['content-type']?.startsWith('application/json') === true;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: isJson ? JSON.parse(text) : null });
    });
    sent.end(body);
  });
}

function openStream(port: number, path: string, headers: TestRequest['headers']): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const sent = sendRequest({ host: '127.0.0.1', port, path, headers: toHeaders(headers ?? {}), setHost: false, agent: false });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('error', () => undefined);
      const events = (name: string) =>
        text
          .split('\n\n')
          .slice(0, -1)
          .filter((block) => block.startsWith(`event: ${name}\n`) && block.includes('\ndata: '))
          .map((block) => JSON.parse(block.slice(block.indexOf('\ndata: ') + 7)));
      resolve({ response, text: () => text, events, close: () => response.destroy() });
    });
    sent.end();
  });
}

function toHeaders(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]));
}

/** Waits until something is so, some seconds at most. */
export async function until(look: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!look()) {
    if (Date.now() > end) throw new Error('It did not come to be.');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
