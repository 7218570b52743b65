import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBuiltInTools, createLibraryModel, createNativeBackend, openTools, type ProviderKind } from '../src/agent/index.ts';
import { accept } from '../src/core/values/result.ts';
import { type ModelServer, startModelServer } from '../src/mock-model/index.ts';
import type { TurnRequest } from '../src/ports/backend.ts';

/** Where a kind of provider is on the server, and what a client of it sends. */
const KINDS: Readonly<Record<ProviderKind, { readonly base: string; readonly path: string; readonly model: string }>> = {
  anthropic: { base: '', path: '/v1/messages', model: 'claude-sonnet-4-5' },
  openai: { base: '/v1', path: '/v1/responses', model: 'gpt-5' },
  google: { base: '', path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', model: 'gemini-2.5-flash' },
  'openai-compatible': { base: '/v1', path: '/v1/chat/completions', model: 'm' },
};

export const PROVIDERS = Object.keys(KINDS) as readonly ProviderKind[];

/** A provider that calls a tool in every answer but the last of a turn. */
export function serve(steps: number): Promise<ModelServer> {
  let number = 0;
  // Each time from another line on: the same call again and again would be a circle, and end the turn.
  const call = (offset: number) => ({ tool: ['read_file'], args: { path: 'file.txt', offset } });
  return startModelServer({
    handler: () => (++number % steps === 0 ? { text: 'Done.' } : { text: 'I look at it.', calls: [call(number % steps)] }),
  });
}

/** Milliseconds of a whole turn of the agent: that many calls of the model, each with a tool call, the transcript on disk before the next. */
export async function runTurn(kind: ProviderKind, url: string, folder: string, iteration: number): Promise<number> {
  const request = toRequest(folder, iteration);
  const { base, model } = KINDS[kind];
  const backend = createNativeBackend({
    label: 'native',
    hat: 'builder',
    key: 'k',
    context: 'fresh',
    limits: { maxSteps: 1000, maxCostUsd: null, maxOutputTokens: null, contextTokens: 1e9, retry: { maxAttempts: 1, baseMs: 1, maxMs: 1 } },
    createModel: () => createLibraryModel({ kind, model, baseUrl: `${url}${base}` }, {}),
    openTools: async (turn, signal) => openTools(toToolSettings(folder), turn, signal),
    priceOf: () => null,
  });
  const startedAt = performance.now();
  const result = await backend.start(request, () => undefined).result;
  const ms = performance.now() - startedAt;
  if (result.status !== 'succeeded') throw new Error(`the turn ended as ${result.status}: ${result.failure?.message}`);
  return ms;
}

/** Milliseconds of the same requests as bare HTTP calls, the answers read to their end. */
export async function callRaw(kind: ProviderKind, url: string, bodies: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  for (const body of bodies) {
    const response = await fetch(`${url}${KINDS[kind].path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await response.text();
  }
  return performance.now() - startedAt;
}

function toToolSettings(folder: string): Parameters<typeof openTools>[0] {
  return {
    tools: createBuiltInTools([]),
    policy: null,
    workspace: folder,
    stateDir: join(folder, '.ralph'),
    scratchpad: join(folder, '.agent/scratchpad.md'),
    quality: {},
    publishes: [],
    publish: async (topic) => accept(topic),
    search: null,
    allowedPrivateHosts: [],
    close: async () => undefined,
  };
}

function toRequest(folder: string, iteration: number): TurnRequest {
  const stdoutPath = join(folder, '.ralph', 'turns', `${iteration}.1`, 'stdout.log');
  mkdirSync(dirname(stdoutPath), { recursive: true });
  return {
    turn: { iteration, attempt: 1 },
    prompt: 'Do it',
    promptFile: '',
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    marker: '',
    timeoutMs: 0,
    idleTimeoutMs: 0,
    logs: { stdoutPath, stderrPath: stdoutPath, capBytes: 0 },
  };
}
