import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { BackendEvent } from '../../src/core/backends/backend-event.ts';
import { type ModelServer, type RecordedRequest, type Reply, startModelServer } from '../../src/mock-model/index.ts';
import type { Backend, RunningTurn, TurnRequest, TurnResult } from '../../src/ports/backend.ts';
import { findByMarker } from '../../src/process/index.ts';

/** A turn under test: what it told, and what became of it. */
export interface ObservedTurn extends RunningTurn {
  readonly events: readonly BackendEvent[];
  /** All assistant text. */
  readonly text: () => string;
  /** Resolves once an event of this type was told. */
  readonly heard: (type: BackendEvent['type']) => Promise<void>;
  /** The result, and a while later, so that what comes too late is seen. */
  readonly settled: () => Promise<TurnResult>;
}

/** A folder of its own, programs in it, and turns whose processes can be counted. */
export interface TurnBench {
  readonly folder: string;
  readonly install: (name: string, script: string) => string;
  readonly read: (name: string) => string;
  readonly start: (backend: Backend, request?: Partial<TurnRequest>, observe?: (event: BackendEvent) => void) => ObservedTurn;
  /** Processes of turns of this bench that are alive. */
  readonly alive: () => number;
  readonly remove: () => void;
}

let benches = 0;

/** Makes a bench; its programs find node and the system's tools on their PATH. */
export function createTurnBench(): TurnBench {
  benches += 1;
  const folder = mkdtempSync(join(tmpdir(), 'ralph-backend-'));
  const marker = `bench-${process.pid}-${benches}`;
  mkdirSync(join(folder, 'work'));
  writeFileSync(join(folder, 'prompt.md'), 'Do it');
  const base: TurnRequest = {
    turn: { iteration: 1, attempt: 1 },
    prompt: 'Do it',
    promptFile: join(folder, 'prompt.md'),
    cwd: join(folder, 'work'),
    env: { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, RALPH_HAT: 'builder' },
    marker,
    timeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    logs: { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log'), capBytes: 64 << 20 },
  };
  return {
    folder,
    install(name, script) {
      writeFileSync(join(folder, name), script);
      chmodSync(join(folder, name), 0o755);
      return join(folder, name);
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    start: (backend, request, observe) => observeTurn(backend, { ...base, ...request }, observe),
    alive: () => findByMarker(marker).length,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function observeTurn(backend: Backend, request: TurnRequest, observe: (event: BackendEvent) => void = () => {}): ObservedTurn {
  const events: BackendEvent[] = [];
  const waiting: { type: string; resolve: () => void }[] = [];
  const turn = backend.start(request, (event) => {
    events.push(event);
    for (const entry of waiting) if (entry.type === event.type) entry.resolve();
    observe(event);
  });
  return {
    ...turn,
    events,
    text: () => events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    heard: (type) => new Promise((resolve) => (events.some((event) => event.type === type) ? resolve() : waiting.push({ type, resolve }))),
    async settled() {
      const result = await turn.result;
      const told = events.length;
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (events.length !== told) throw new Error('an event came after the result');
      return result;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at freely
export type Body = any;

/** A model server on loopback, a new one for each test of a file. */
export interface TestedServer {
  /** What it answers, request by request; then that there is nothing more. */
  replies: readonly Reply[];
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** The body of a request, by its number from 1 on. */
  readonly bodyOf: (number: number) => Body;
}

/** Starts the server before each test of the file and closes it behind it. */
export function useModelServer(replies: readonly Reply[] = []): TestedServer {
  let server: ModelServer;
  const tested: TestedServer = {
    replies,
    get url() {
      return server.url;
    },
    get requests() {
      return server.requests;
    },
    bodyOf: (number) => JSON.parse(server.requests[number - 1]?.body ?? ''),
  };
  beforeEach(async () => {
    tested.replies = replies;
    server = await startModelServer({ handler: () => tested.replies[server.requests.length - 1] ?? { text: 'Nothing more.' } });
  });
  afterEach(() => server.close());
  return tested;
}
