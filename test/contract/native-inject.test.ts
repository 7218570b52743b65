/** What hooks say, as each kind of provider gets it: real libraries, a server on loopback, captured bodies. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createLibraryModel, createNativeBackend, type NativeAgent, type ProviderKind } from '../../src/agent/index.ts';
import type { HookMessage } from '../../src/core/hooks/hook-moments.ts';

import type { ModelMessage } from '../../src/ports/model.ts';
import { type Body, createTurnBench, useModelServer } from './turn-bench.ts';

const TOOLS = [
  { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'bash', description: 'Runs.', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
];
const CALLS = [
  { tool: ['read_file'], args: { path: 'a' } },
  { tool: ['bash'], args: { command: 'ls' } },
];

const RULE = '═'.repeat(60);

type Wire = 'anthropic' | 'openai' | 'google' | 'openai-compatible';
const WIRES: readonly Wire[] = ['anthropic', 'openai', 'google', 'openai-compatible'];
const MODELS: Readonly<Record<Wire, string>> = {
  anthropic: 'claude-opus-4-8',
  openai: 'gpt-5',
  google: 'gemini-2.5-pro',
  'openai-compatible': 'qwen',
};

const bench = createTurnBench();
afterAll(() => bench.remove());
const server = useModelServer([{ text: 'Looking.', thinking: 'Hm, so.', calls: CALLS }, { text: 'Done.' }]);
let turns = 0;

interface Said {
  readonly notes?: readonly string[];
  readonly form?: 'text' | 'json';
  readonly messages?: readonly HookMessage[];
}

const createModel = (kind: ProviderKind, model: string) =>
  createLibraryModel({ kind, model, baseUrl: `${server.url}${kind.startsWith('openai') ? '/v1' : ''}` }, {});

/** The second request of a turn in which hooks said this behind two calls. */
async function secondBody(kind: Wire, { notes = [], messages = [], form = 'text' }: Said, model: string = MODELS[kind]): Promise<Body> {
  const agent: NativeAgent = {
    label: `native:${kind}`,
    hat: 'builder',
    key: kind,
    context: 'fresh',
    limits: {
      maxSteps: 10,
      maxCostUsd: null,
      maxOutputTokens: null,
      contextTokens: 100_000,
      retry: { maxAttempts: 3, baseMs: 1, maxMs: 5 },
    },
    createModel: () => createModel(kind, model),
    openTools: async () => ({
      tools: TOOLS,
      isReadOnly: () => true,
      mayRepeat: async () => true,
      reads: new Map(),
      // The first takes longer than the second.
      call: async (name) => {
        if (name === 'read_file') await new Promise((resolve) => setTimeout(resolve, 20));
        return { kind: 'ran', text: `${name} ran`, isError: false };
      },
      afterAll: async () => ({ hooks: [], notes, messages, denied: null }),
      keep: async () => 'kept.txt',
      noteForm: { kind: form, nonce: 'a1b2c3' },
      redact: (text) => text,
      describeProject: async () => '# Where you work',
      close: async () => undefined,
    }),
    priceOf: () => null,
  };
  turns += 1;
  const folder = join(bench.folder, 'turns', `${turns}.1`);
  mkdirSync(folder, { recursive: true });
  const logs = { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log'), capBytes: 1 << 20 };
  await bench.start(createNativeBackend(agent), { turn: { iteration: turns, attempt: 1 }, logs }).settled();
  return server.bodyOf(2);
}

/** What of a body stands behind the words of the assistant, without marks for the cache. */
function behindAnswer(kind: Wire, body: Body): Body {
  const plain = JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value)));
  if (kind === 'google') return plain.contents.slice(2);
  if (kind === 'openai')
    return plain.input.filter(({ type, role }: Body) => type === 'function_call_output' || role !== undefined).slice(3);
  return plain.messages.slice(kind === 'anthropic' ? 2 : 3);
}

const IDS = {
  anthropic: ['toolu_mock000001', 'toolu_mock000001_1'],
  openai: ['call_mock000001', 'call_mock000001_1'],
  google: ['call_mock000001', 'call_mock000001_1'],
  'openai-compatible': ['call_mock000001', 'call_mock000001_1'],
} as const satisfies Record<Wire, readonly [string, string]>;

const toFunctionResponse = (id: string, name: string, content: string): Body => ({
  functionResponse: { id, name, response: { name, content } },
});

/** The results of both calls, and what stands behind them. */
const GOLDEN: Readonly<
  Record<Wire, (last: string, said: { readonly first?: string; readonly word?: string; readonly order?: string }) => Body>
> = {
  anthropic: (last, { first = 'read_file ran', word, order }) => [
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: IDS.anthropic[0], content: first },
        { type: 'tool_result', tool_use_id: IDS.anthropic[1], content: last },
        ...(word === undefined ? [] : [{ type: 'text', text: word }]),
      ],
    },
    ...(order === undefined ? [] : [{ role: 'system', content: [{ type: 'text', text: order }] }]),
  ],
  openai: (last, { first = 'read_file ran', word, order }) => [
    { type: 'function_call_output', call_id: IDS.openai[0], output: first },
    { type: 'function_call_output', call_id: IDS.openai[1], output: last },
    ...(word === undefined ? [] : [{ role: 'user', content: [{ type: 'input_text', text: word }] }]),
    ...(order === undefined ? [] : [{ role: 'developer', content: order }]),
  ],
  google: (last, { first = 'read_file ran', word, order }) => [
    {
      role: 'user',
      parts: [toFunctionResponse(IDS.google[0], 'read_file', first), toFunctionResponse(IDS.google[1], 'bash', last)],
    },
    ...[word, order].flatMap((text) => (text === undefined ? [] : [{ role: 'user', parts: [{ text }] }])),
  ],
  'openai-compatible': (last, { first = 'read_file ran', word, order }) => [
    { role: 'tool', tool_call_id: IDS['openai-compatible'][0], content: first },
    { role: 'tool', tool_call_id: IDS['openai-compatible'][1], content: last },
    ...[word, order].flatMap((content) => (content === undefined ? [] : [{ role: 'user', content }])),
  ],
};

describe('what hooks say over the wire', () => {
  it.each(WIRES)('is given to %s as a message of the user behind all results', async (kind) => {
    expect(behindAnswer(kind, await secondBody(kind, { messages: ['WORD'] }))).toEqual(GOLDEN[kind]('bash ran', { word: 'WORD' }));
  });

  it.each(WIRES)('is given to %s within the last result', async (kind) => {
    expect(behindAnswer(kind, await secondBody(kind, { notes: ['NOTE'] }))).toEqual(GOLDEN[kind](`bash ran\n\n${NOTE}`, {}));
  });

  it.each(WIRES)('is given to %s as system notes of results that are JSON, where that is configured', async (kind) => {
    const first = '{"output":"read_file ran"}';
    const last = '{"output":"bash ran","system_notes":["NOTE","and \\"more\\""]}';
    const body = await secondBody(kind, { notes: ['NOTE', 'and "more"'], form: 'json' });
    expect(behindAnswer(kind, body)).toEqual(GOLDEN[kind](last, { first }));
  });

  it.each(WIRES)('is given to %s with the authority of the system where it has that, else as the words of the user', async (kind) => {
    expect(behindAnswer(kind, await secondBody(kind, { messages: [{ system: 'ORDER' }] }))).toEqual(
      GOLDEN[kind]('bash ran', { order: 'ORDER' }),
    );
  });

  it('is never a message of the system for a Claude that takes none there', async () => {
    const body = await secondBody('anthropic', { messages: [{ system: 'ORDER' }] }, 'claude-sonnet-5');
    expect(behindAnswer('anthropic', body)).toEqual(GOLDEN.anthropic('bash ran', { word: 'ORDER' }));
  });

  it('has the words of the user before those of the system', async () => {
    const body = await secondBody('anthropic', { messages: [{ system: 'ORDER' }, 'WORD'] });
    expect(behindAnswer('anthropic', body)).toEqual(GOLDEN.anthropic('bash ran', { word: 'WORD', order: 'ORDER' }));
  });
});

/** How a text of a hook stands behind a result. */
const NOTE = [RULE, 'SYSTEM CONTEXT a1b2c3 (not part of the output of the tool):', 'NOTE', RULE].join('\n');

const SAID: Said = { notes: ['NOTE'], messages: ['WORD', { system: 'ORDER' }] };

describe('a conversation into which hooks speak', () => {
  it('has for Anthropic every result first, right behind the answer, in the order of the calls', async () => {
    const { messages } = await secondBody('anthropic', SAID);
    const calls = messages[1].content.filter(({ type }: Body) => type === 'tool_use');
    const types = messages[2].content.map(({ type }: Body) => type);
    expect([messages[1].role, messages[2].role]).toEqual(['assistant', 'user']);
    expect(messages[2].content.slice(0, calls.length).map((part: Body) => part.tool_use_id)).toEqual(calls.map(({ id }: Body) => id));
    expect(types).toEqual(['tool_result', 'tool_result', 'text']);
  });

  it('has for OpenAI Chat every call answered before any other role', async () => {
    const { messages } = await secondBody('openai-compatible', SAID);
    const at = messages.findIndex(({ role }: Body) => role === 'assistant');
    const asked = messages[at].tool_calls.map(({ id }: Body) => id);
    const answered = messages.slice(at + 1, at + 1 + asked.length);
    expect(answered.map(({ role, tool_call_id }: Body) => [role, tool_call_id])).toEqual(asked.map((id: string) => ['tool', id]));
  });

  it('has for OpenAI Responses nothing between thought, words, calls and results', async () => {
    const { input } = await secondBody('openai', SAID);
    expect(input.slice(2).map(({ type, role }: Body) => type ?? role)).toEqual([
      'reasoning',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'user',
      'developer',
    ]);
  });

  it('has for Gemini as many results as calls with nothing beside them, the proof of the thought, and our turn last', async () => {
    const { contents } = await secondBody('google', SAID);
    const keysOf = (content: Body): readonly string[] => content.parts.flatMap((part: Body) => Object.keys(part));
    const calls = keysOf(contents[1]).filter((key) => key === 'functionCall');
    expect(keysOf(contents[2])).toEqual(calls.map(() => 'functionResponse'));
    expect(JSON.stringify(contents[1])).toContain('thoughtSignature');
    expect(contents.at(-1)).toMatchObject({ role: 'user' });
  });

  it.each(WIRES)('has for %s a result for each call that a crash cut off', async (kind) => {
    const calls = ['c1', 'c2'].map((id) => ({ type: 'tool-call' as const, id, name: 'bash', args: {} }));
    const results = [
      { id: 'c1', name: 'bash', text: 'ran', isError: false },
      { id: 'c2', name: 'bash', text: 'Interrupted before this call was run: nothing was done.', isError: true },
    ];
    const model = await createModel(kind, MODELS[kind]);
    const told: readonly ModelMessage[] = [
      { role: 'user', text: 'Do it.' },
      { role: 'assistant', parts: calls },
      { role: 'tool', results },
      { role: 'user', text: 'WORD' },
    ];
    server.replies = [{ text: 'Done.' }];
    await model.step(
      { system: 'S', messages: told, tools: TOOLS, maxOutputTokens: 500, cache: { system: true, tools: true, messages: [] } },
      () => undefined,
      new AbortController().signal,
    );
    const body = server.requests[0]?.body ?? '';
    const shown = body.match(/"functionResponse"|"function_call_output"|"tool_result"|"role":"tool"/g);
    expect(shown).toHaveLength(2);
    expect(body.indexOf('nothing was done')).toBeLessThan(body.indexOf('WORD'));
  });
});
