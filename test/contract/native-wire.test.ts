/** What goes over the wire to each kind of provider: real libraries, a server on loopback, captured bodies. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createLibraryModel, createNativeBackend, type NativeAgent, type ProviderKind } from '../../src/agent/index.ts';
import type { Json } from '../../src/core/values/json.ts';
import type { RecordedRequest, Reply } from '../../src/mock-model/index.ts';
import type { TurnRequest } from '../../src/ports/backend.ts';
import type { AssistantMessage, ModelDelta, ModelFile, ModelMessage, ModelRequest, ToolMessage } from '../../src/ports/model.ts';
import { type Body, createTurnBench, useModelServer } from './turn-bench.ts';

const server = useModelServer();

const TOOLS = [
  {
    name: 'read_file',
    description: 'Reads.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  { name: 'bash', description: 'Runs.', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
];

const KINDS: readonly { kind: ProviderKind; base: string; path: string; keyEnv: string; model: string }[] = [
  { kind: 'anthropic', base: '', path: '/v1/messages', keyEnv: 'ANTHROPIC_API_KEY', model: 'claude-sonnet-4-5' },
  { kind: 'openai', base: '/v1', path: '/v1/responses', keyEnv: 'OPENAI_API_KEY', model: 'gpt-5' },
  {
    kind: 'google',
    base: '',
    path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    keyEnv: 'GEMINI_API_KEY',
    model: 'gemini-2.5-pro',
  },
  { kind: 'openai-compatible', base: '/v1', path: '/v1/chat/completions', keyEnv: 'MY_KEY', model: 'qwen' },
];

async function step(kind: ProviderKind, messages: readonly ModelMessage[], parts: Partial<ModelRequest> = {}) {
  const { base, model, keyEnv } = KINDS.find((entry) => entry.kind === kind) as (typeof KINDS)[number];
  const made = await createLibraryModel(
    { kind, model, baseUrl: `${server.url}${base}`, ...(kind === 'openai-compatible' ? { apiKeyEnv: keyEnv } : {}) },
    { [keyEnv]: 'secret-key-123' },
  );
  const heard: string[] = [];
  const note = (delta: ModelDelta): void => {
    if (delta.type !== 'alive') heard.push(`${delta.type}:${delta.text}`);
  };
  const request: ModelRequest = {
    system: 'You are it.',
    messages,
    tools: TOOLS,
    maxOutputTokens: 500,
    cache: { system: true, tools: true, messages: [] },
    ...parts,
  };
  const result = await made.step(request, note, new AbortController().signal);
  return { result, heard, sent: server.requests.at(-1) as RecordedRequest, body: server.bodyOf(server.requests.length) };
}

const ASK: ModelMessage = { role: 'user', text: 'Do it.' };
const BARE: ModelRequest = {
  system: 'x',
  messages: [ASK],
  tools: [],
  maxOutputTokens: null,
  cache: { system: false, tools: false, messages: [] },
};

describe.each(KINDS)('a $kind model', ({ kind, path, base, keyEnv, model }) => {
  it('is asked at the address in the form its own library takes, with the key of the environment', async () => {
    server.replies = [{ text: 'Hello there.' }];
    const { result, heard, sent } = await step(kind, [ASK]);
    expect(sent.path).toBe(path);
    const key = sent.headers['x-api-key'] ?? sent.headers['x-goog-api-key'] ?? sent.headers.authorization;
    expect(key).toContain('secret-key-123');
    expect(result).toMatchObject({
      ok: true,
      finish: 'stop',
      message: { role: 'assistant', parts: [{ type: 'text', text: 'Hello there.' }] },
    });
    expect(
      heard
        .filter((piece) => piece.startsWith('text:'))
        .map((piece) => piece.slice(5))
        .join(''),
    ).toBe('Hello there.');
    const usage = { inputTokens: 1000, cacheReadTokens: 200, outputTokens: 30, costUsd: null };
    expect(result).toMatchObject({ usage });
  });

  it('is asked at the same address where it ends with a slash or has its version already', async () => {
    const version = /^(\/v\d+(?:beta)?)/.exec(path)?.[1] ?? '';
    for (const baseUrl of [`${server.url}${base}/`, `${server.url}${version}`]) {
      const made = await createLibraryModel({ kind, model, baseUrl }, {});
      expect(await made.step(BARE, () => undefined, new AbortController().signal)).toMatchObject({ ok: true });
      expect(server.requests.at(-1)?.path).toBe(path);
    }
  });

  it('is offered the tools, each with its schema, and its parallel calls come back in order', async () => {
    server.replies = [{ text: 'Looking.', calls: CALLS }];
    const { result, sent, body } = await step(kind, [ASK]);
    expect(listOffered(sent.dialect, body)).toEqual([
      { name: 'read_file', required: ['path'] },
      { name: 'bash', required: undefined },
    ]);
    expect(result).toMatchObject({ ok: true, finish: 'tool-calls' });
    const calls = result.ok ? result.message.parts.filter((part) => part.type === 'tool-call') : [];
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['read_file', { path: 'a' }],
      ['bash', { command: 'ls' }],
    ]);
  });

  it('gets thinking back as it gave it, then the results in the order of the calls', async () => {
    server.replies = [{ thinking: 'Hm, so.', text: 'Looking.', calls: CALLS }];
    const first = await step(kind, [ASK]);
    if (!first.result.ok) throw new Error('it failed');
    const { body } = await step(kind, [ASK, first.result.message, toResults(first.result.message)]);
    expect(body).toMatchObject(REPLAYS[kind]);
  });

  it.skipIf(kind === 'openai-compatible')('is shown the file of a result', async () => {
    server.replies = [{ calls: CALLS }];
    const { result } = await step(kind, [ASK]);
    if (!result.ok) throw new Error('it failed');
    const answers = toResults(result.message) as ToolMessage;
    for (const file of [PICTURE, PAPER]) {
      const shown = { ...answers, results: answers.results.map((answer, index) => (index === 0 ? { ...answer, file } : answer)) };
      const { body } = await step(kind, [ASK, result.message, shown]);
      expect(body).toMatchObject(SHOWN[kind]?.(file) ?? {});
    }
  });

  it.each([
    [fail(401, 'bad key'), { class: 'auth' }],
    [fail(429, 'Rate limit reached.', { headers: { 'retry-after': '7' } }), { class: 'transient', retryAfterMs: 7000 }],
    [fail(429, 'You exceeded your current quota.', { code: 'insufficient_quota' }), { class: 'limit' }],
    [fail(500, 'oops'), { class: 'transient' }],
    [fail(529, 'Overloaded'), { class: 'transient' }],
    [fail(400, 'prompt is too long: 210000 tokens > 200000 maximum'), { class: 'context-overflow' }],
    [fail(400, 'tools.0: no such field'), { class: 'bad-request' }],
    [fail(404, 'no such model'), { class: 'bad-request' }],
    [{ text: 'The beginning of something long', fault: 'cut' }, { class: 'transient' }],
    [{ text: 'The beginning of something long', fault: 'short' }, { class: 'transient' }],
    [{ text: 'The beginning of something long', fault: 'malformed' }, { class: 'transient' }],
  ] satisfies readonly (readonly [Reply, object])[])('tells %j as a value', async (reply, failure) => {
    server.replies = [reply];
    const { result } = await step(kind, [ASK]);
    expect(result).toMatchObject({ ok: false, failure });
    expect(JSON.stringify(result)).not.toContain('secret-key-123');
    expect(server.requests).toHaveLength(1);
  });

  it('is not there: that may pass', async () => {
    const made = await createLibraryModel({ kind, model, baseUrl: `http://127.0.0.1:1${base}` }, {});
    expect(await made.step(BARE, () => undefined, new AbortController().signal)).toMatchObject({
      ok: false,
      failure: { class: 'transient', message: expect.stringContaining(`${kind} at http://127.0.0.1:1${base}`) },
    });
  });

  it('says where a key or a model that is refused comes from', async () => {
    server.replies = [fail(401, 'bad key'), fail(404, 'no such model')];
    const failures = [(await step(kind, [ASK])).result, (await step(kind, [ASK])).result].map((result) => JSON.stringify(result));
    expect(failures[0]).toContain(
      `see whether the key in ${kind === 'google' ? 'GOOGLE_GENERATIVE_AI_API_KEY or ' : ''}${keyEnv} is right)`,
    );
    expect(failures[1]).toContain(`see whether there is a model ${model}, and whether base_url is right)`);
  });

  it('stops when it is told to', async () => {
    server.replies = [{ text: 'late', fault: 'hang' }];
    const made = await createLibraryModel({ kind, model, baseUrl: `${server.url}${base}` }, {});
    const stopper = new AbortController();
    const asked = made.step(BARE, () => undefined, stopper.signal);
    setTimeout(() => stopper.abort(), 50);
    expect(await asked).toEqual({ ok: false, failure: { class: 'aborted', message: 'stopped' } });
  });

  it('says when its answer was cut or refused, and tells arguments that are no JSON as they are', async () => {
    server.replies = [
      { text: 'So', finish: 'length' },
      { text: 'No.', finish: 'refusal' },
      { calls: [{ tool: ['bash'], args: '{"command": "l' }] },
    ];
    expect((await step(kind, [ASK])).result).toMatchObject({ ok: true, finish: 'length' });
    expect((await step(kind, [ASK])).result).toMatchObject({ ok: true, finish: 'refusal' });
    // Google's arguments are no text.
    if (kind === 'google') return;
    expect((await step(kind, [ASK])).result).toMatchObject({
      ok: true,
      message: { parts: [{ type: 'tool-call', args: '{"command": "l' }] },
    });
  });

  it.skipIf(kind === 'google')('takes arguments that were written as JSON within JSON', async () => {
    server.replies = [
      {
        calls: [
          { tool: ['bash'], args: JSON.stringify('{"command": "ls"}') },
          { tool: ['bash'], args: '"ls"' },
        ],
      },
    ];
    expect((await step(kind, [ASK])).result).toMatchObject({
      message: { parts: [{ args: { command: 'ls' } }, { args: '"ls"' }] },
    });
  });

  it.runIf(kind !== 'openai-compatible')('needs a key where the server is not on this machine', async () => {
    await expect(createLibraryModel({ kind, model }, {})).rejects.toThrow(
      `${keyEnv === 'GEMINI_API_KEY' ? 'GOOGLE_GENERATIVE_AI_API_KEY and ' : ''}${keyEnv}`,
    );
    await expect(createLibraryModel({ kind, model, apiKeyEnv: 'OTHER_KEY' }, { [keyEnv]: 'x' })).rejects.toThrow('OTHER_KEY');
  });
});

describe('the longest answer', () => {
  it.each([
    ['claude-opus-5', 128_000],
    ['claude-haiku-4-5', 64_000],
    ['kimi-k3', 32_000],
  ])('of %s on the wire of anthropic is its own, where nothing is said', async (model, tokens) => {
    const made = await createLibraryModel({ kind: 'anthropic', model, baseUrl: server.url }, {});
    await made.step(BARE, () => undefined, new AbortController().signal);
    expect(server.bodyOf(1)).toMatchObject({ max_tokens: tokens });
  });
});

describe('effort', () => {
  it.each([
    ['anthropic', 'claude-opus-5', 'low', { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['anthropic', 'claude-opus-4-8', 'medium', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    ['anthropic', 'claude-sonnet-4-6', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['anthropic', 'claude-mythos-preview', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'low', { thinking: { type: 'enabled', budget_tokens: 4000 } }],
    // The budget has to be less than the longest answer, 32,000.
    ['anthropic', 'claude-opus-4-1', 'high', { thinking: { type: 'enabled', budget_tokens: 24_000 }, max_tokens: 32_000 }],
    ['anthropic', 'kimi-k3', 'medium', { thinking: { type: 'enabled', budget_tokens: 12_000 } }],
    ['openai', 'gpt-5.1', 'high', { reasoning: { effort: 'high' } }],
    ['openai', 'o4-mini', 'low', { reasoning: { effort: 'low' } }],
    ['openai', 'gpt-6-sol', 'medium', { reasoning: { effort: 'medium' } }],
    ['openai', 'my-deployment', 'low', { reasoning: { effort: 'low' } }],
    // More than 24,576 are refused.
    ['google', 'gemini-2.5-flash', 'high', { generationConfig: { thinkingConfig: { thinkingBudget: 24_000 } } }],
    ['google', 'gemini-3-flash-preview', 'medium', { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
    // It knows no `medium`.
    ['google', 'gemini-3-pro-preview', 'medium', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }],
    ['google', 'gemini-3.1-pro-preview', 'medium', { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
    ['google', 'gemini-flash-latest', 'low', { generationConfig: { thinkingConfig: { thinkingLevel: 'low' } } }],
    ['openai-compatible', 'anything', 'low', { reasoning_effort: 'low' }],
  ] as const)('goes to %s, %s, as it takes %s', async (kind, model, effort, expected) => {
    expect(await askWith({ kind, model, effort })).toMatchObject(expected);
  });

  it.each([
    ['anthropic', 'claude-3-5-haiku-20241022'],
    ['openai', 'gpt-4.1'],
    ['google', 'gemini-2.0-flash'],
  ] as const)('is not sent to %s, %s, which would refuse it', async (kind, model) => {
    const sent = await askWith({ kind, model, effort: 'high' });
    expect(Object.keys(sent)).not.toContain('thinking');
    expect(Object.keys(sent)).not.toContain('reasoning');
    expect(JSON.stringify(sent)).not.toContain('thinkingConfig');
  });
});

/** The body of the one request of a model that is made of these. */
async function askWith(settings: Pick<Parameters<typeof createLibraryModel>[0], 'kind' | 'model' | 'effort' | 'cacheKey'>): Promise<Body> {
  const base = KINDS.find(({ kind }) => kind === settings.kind)?.base ?? '';
  const made = await createLibraryModel({ ...settings, baseUrl: `${server.url}${base}` }, {});
  await made.step(BARE, () => undefined, new AbortController().signal);
  return server.bodyOf(1);
}

describe('the key of the cache', () => {
  it('goes to openai, which takes requests of one key to one place, and to nobody else', async () => {
    expect(await askWith({ kind: 'openai', model: 'gpt-5', cacheKey: 'ralph-1' })).toMatchObject({ prompt_cache_key: 'ralph-1' });
  });

  it.each(['anthropic', 'google', 'openai-compatible'] as const)('does not go to %s', async (kind) => {
    expect(JSON.stringify(await askWith({ kind, model: 'm', cacheKey: 'ralph-1' }))).not.toContain('ralph-1');
  });
});

describe('an openai-compatible server', () => {
  it('gets no key that was not named for it', async () => {
    const made = await createLibraryModel(
      { kind: 'openai-compatible', model: 'm', baseUrl: `${server.url}/v1` },
      { OPENAI_API_KEY: 'sk-not-for-you' },
    );
    await made.step(BARE, () => undefined, new AbortController().signal);
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain('sk-not-for-you');
  });
});

function fail(status: number, message: string, { headers = {}, code = '' } = {}): Reply {
  return { http: { status, headers, body: { error: { message, code } } } };
}

const CALLS = [
  { tool: ['read_file'], args: { path: 'a' } },
  { tool: ['bash'], args: { command: 'ls' } },
];

function toResults({ parts }: AssistantMessage): ModelMessage {
  const calls = parts.filter((part) => part.type === 'tool-call');
  return { role: 'tool', results: calls.map(({ id, name }, index) => ({ id, name, text: `result ${index + 1}`, isError: index === 1 })) };
}

function listOffered(dialect: string | undefined, body: Body): readonly { name: string; required: unknown }[] {
  const tools: Body[] = dialect === 'gemini' ? body.tools[0].functionDeclarations : body.tools;
  return tools.map((tool) => {
    const { name, input_schema: input, parameters } = tool.function ?? tool;
    return { name, required: (input ?? parameters).required };
  });
}

const PICTURE: ModelFile = { mediaType: 'image/png', data: 'aW1hZ2U=' };
const PAPER: ModelFile = { mediaType: 'application/pdf', data: 'cGFwZXI=' };

/** What a request holds of a file. */
const SHOWN: Partial<Record<ProviderKind, (file: ModelFile) => object>> = {
  anthropic: ({ mediaType, data }) => {
    const source = { type: 'base64', media_type: mediaType, data };
    const content = [
      { type: 'text', text: 'result 1' },
      { type: mediaType.startsWith('image/') ? 'image' : 'document', source },
    ];
    return { messages: [{}, {}, { content: [{ type: 'tool_result', content }, { content: 'result 2' }] }] };
  },
  openai: ({ mediaType, data }) => {
    const url = `data:${mediaType};base64,${data}`;
    const shown = mediaType.startsWith('image/') ? { type: 'input_image', image_url: url } : { type: 'input_file', file_data: url };
    return {
      input: expect.arrayContaining([
        expect.objectContaining({ output: [{ type: 'input_text', text: 'result 1' }, expect.objectContaining(shown)] }),
      ]),
    };
  },
  // This one takes it beside the result.
  google: ({ mediaType, data }) => ({
    contents: [{}, {}, { parts: expect.arrayContaining([{ inlineData: { mimeType: mediaType, data } }]) }],
  }),
};

/** What the second request holds of the first answer and its results. */
const REPLAYS: Readonly<Record<ProviderKind, object>> = {
  anthropic: {
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm, so.', signature: 'sig_mock000001' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_mock000001', name: 'read_file', input: { path: 'a' } },
          { type: 'tool_use', id: 'toolu_mock000001_1', name: 'bash', input: { command: 'ls' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_mock000001', content: 'result 1' },
          { type: 'tool_result', tool_use_id: 'toolu_mock000001_1', content: 'result 2', is_error: true },
        ],
      },
    ],
  },
  openai: {
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [
      { role: 'developer' },
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'enc_mock000001', summary: [{ type: 'summary_text', text: 'Hm, so.' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', call_id: 'call_mock000001', name: 'read_file', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'call_mock000001_1', name: 'bash', arguments: '{"command":"ls"}' },
      { type: 'function_call_output', call_id: 'call_mock000001', output: 'result 1' },
      { type: 'function_call_output', call_id: 'call_mock000001_1', output: 'result 2' },
    ],
  },
  google: {
    contents: [
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'Hm, so.', thought: true },
          { text: 'Looking.' },
          { functionCall: { name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'sig_mock000001' },
          { functionCall: { name: 'bash', args: { command: 'ls' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read_file', response: { content: 'result 1' } } },
          { functionResponse: { name: 'bash', response: { content: 'result 2' } } },
        ],
      },
    ],
  },
  'openai-compatible': {
    messages: [
      { role: 'system' },
      { role: 'user' },
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning_content: 'Hm, so.',
        tool_calls: [
          { id: 'call_mock000001', function: { name: 'read_file', arguments: '{"path":"a"}' } },
          { id: 'call_mock000001_1', function: { name: 'bash', arguments: '{"command":"ls"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_mock000001', content: 'result 1' },
      { role: 'tool', tool_call_id: 'call_mock000001_1', content: 'result 2' },
    ],
  },
};

describe('the native agent over the wire', () => {
  const bench = createTurnBench();
  afterAll(() => bench.remove());

  /** A turn with two tools that say what they were called with. */
  function run(kind: ProviderKind, parts: Partial<NativeAgent> = {}, request: Partial<TurnRequest> = {}) {
    const { base, model } = KINDS.find((entry) => entry.kind === kind) as (typeof KINDS)[number];
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
      createModel: () => createLibraryModel({ kind, model, baseUrl: `${server.url}${base}` }, {}),
      openTools: async () => ({
        tools: TOOLS,
        isReadOnly: () => true,
        mayRepeat: async () => true,
        reads: new Map(),
        // The first takes longer than the second: results still come in the order of the calls.
        call: async (name: string, args: Json) => {
          if (name === 'read_file') await new Promise((resolve) => setTimeout(resolve, 20));
          return { kind: 'ran', text: `${name} ${JSON.stringify(args)}`, isError: false };
        },
        afterAll: async () => null,
        keep: async () => 'kept.txt',
        noteForm: { kind: 'text', nonce: 'a1b2c3' },
        redact: (text: string) => text,
        describeProject: async () => '# Where you work',
        close: async () => undefined,
      }),
      priceOf: () => null,
      ...parts,
    };
    turns += 1;
    const folder = join(bench.folder, 'turns', `${turns}.1`);
    mkdirSync(folder, { recursive: true });
    const logs = { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log'), capBytes: 1 << 20 };
    return bench.start(createNativeBackend(agent), { turn: { iteration: turns, attempt: 1 }, logs, ...request });
  }
  let turns = 0;

  it('marks for the cache of anthropic: the system text, the last tool, the last two messages of ours', async () => {
    server.replies = [{ calls: CALLS }, { calls: CALLS }, { text: 'Done.' }];
    expect(await run('anthropic').settled()).toMatchObject({ status: 'succeeded', toolCalls: 4 });
    const body = server.bodyOf(3);
    expect(body.system.at(-1).cache_control).toEqual({ type: 'ephemeral' });
    expect(body.tools.map((tool: Body) => tool.cache_control !== undefined)).toEqual([false, true]);
    const marked = body.messages.map((message: Body) => [message.role, message.content.at(-1).cache_control !== undefined]);
    expect(marked).toEqual([
      ['user', false],
      ['assistant', false],
      ['user', true],
      ['assistant', false],
      ['user', true],
    ]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  it.each(KINDS.map(({ kind }) => kind))('gives the results to %s in the order of the calls', async (kind) => {
    server.replies = [{ text: 'Both.', calls: CALLS }, { text: 'Done.' }];
    const turn = run(kind);
    expect(await turn.settled()).toMatchObject({
      status: 'succeeded',
      usage: { inputTokens: 2000, outputTokens: 60, cacheReadTokens: 400 },
    });
    expect(turn.text()).toBe('Both.Done.');
    const body = JSON.stringify(server.bodyOf(2));
    const places = ['read_file {', 'bash {'].map((text) => body.indexOf(JSON.stringify(text).slice(1, -1)));
    expect(places[0]).toBeGreaterThan(0);
    expect(places[1]).toBeGreaterThan(places[0] as number);
  });

  it('gives openai each thought right before the calls that came of it, and no ids of calls, which were not kept there', async () => {
    server.replies = [{ thinking: 'Hm.', calls: CALLS }, { thinking: 'So.', calls: CALLS }, { text: 'Done.' }];
    expect(await run('openai').settled()).toMatchObject({ status: 'succeeded' });
    const answered = ['reasoning', 'function_call', 'function_call', 'function_call_output', 'function_call_output'];
    const items: readonly Body[] = server.bodyOf(3).input.slice(2);
    expect(items.map(({ type }) => type)).toEqual([...answered, ...answered]);
    for (const { type, id, encrypted_content: thought } of items)
      expect([type, id === undefined, thought === undefined]).toEqual([type, type !== 'reasoning', type !== 'reasoning']);
  });

  it('waits as long as it is asked to, and tries again', async () => {
    server.replies = [fail(429, 'Rate limit reached.', { headers: { 'retry-after': '0' } }), fail(503, ''), { text: 'Now.' }];
    const turn = run('openai');
    expect(await turn.settled()).toMatchObject({ status: 'succeeded' });
    expect(turn.events.filter(({ type }) => type === 'retry')).toHaveLength(2);
  });

  it('gives up after some tries, and tells the class of the failure', async () => {
    server.replies = Array.from({ length: 3 }, () => fail(529, 'Overloaded'));
    expect(await run('anthropic').settled()).toMatchObject({ status: 'failed', failure: { class: 'transient' } });
    expect(server.requests).toHaveLength(3);
  });

  it('does not wait within a turn for a limit that lasts', async () => {
    server.replies = [fail(429, 'Rate limit reached.', { headers: { 'retry-after': '3600' } })];
    const { failure } = await run('anthropic').settled();
    expect(failure).toMatchObject({ class: 'limit' });
    expect((failure?.resetAt ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
  });

  it('goes on behind words that were heard when the connection broke, each heard once', async () => {
    server.replies = [{ text: 'EVENT:build.done\nand then', fault: 'cut' }, { text: 'the rest.' }];
    const turn = run('anthropic');
    expect(await turn.settled()).toMatchObject({ status: 'succeeded' });
    const said = turn.text();
    expect(said.match(/EVENT/g)).toHaveLength(1);
    expect(said.endsWith('the rest.')).toBe(true);
    const { messages } = server.bodyOf(2);
    expect(messages.map((message: Body) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(said.startsWith(messages[1].content[0].text)).toBe(true);
  });

  it('summarises and goes on where the provider says that it is too long, once', async () => {
    const tooLong = fail(400, 'prompt is too long: 300000 tokens > 200000 maximum');
    server.replies = [{ calls: CALLS }, tooLong, { text: 'The notes: it was read.' }, { text: 'Done.' }];
    const turn = run('anthropic');
    expect(await turn.settled()).toMatchObject({ status: 'succeeded' });
    expect(turn.text()).toBe('Done.');
    const last = JSON.stringify(server.bodyOf(4).messages);
    expect(last).toContain('Do it');
    expect(last).toContain('The notes: it was read.');
  });

  it('asks once more where the answer is empty, and lets it be then', async () => {
    server.replies = [{ calls: CALLS }, {}, {}];
    expect(await run('anthropic').settled()).toMatchObject({ status: 'succeeded' });
    expect(server.requests).toHaveLength(3);
    const { messages } = server.bodyOf(3);
    expect(messages.map((message: Body) => message.role)).toEqual(['user', 'assistant', 'user']);
    expect(messages[2].content.map((block: Body) => block.type)).toEqual(['tool_result', 'tool_result', 'text']);
  });

  it.each(KINDS.map(({ kind }) => kind))('is not silent while arguments or keep-alives come from %s', async (kind) => {
    const long = Array.from({ length: 6 }, (_, index) => ({ tool: ['bash'], args: { command: `echo ${index} ${'x'.repeat(40)}` } }));
    server.replies = [{ calls: long, paceMs: 60, keepAlives: 20 }, { text: 'Done.' }];
    const turn = run(kind, {}, { idleTimeoutMs: 1000 });
    expect(await turn.settled()).toMatchObject({ status: 'succeeded', failure: null, toolCalls: 6 });
    // One a second is told, not each of the pieces.
    expect(turn.events.filter(({ type }) => type === 'alive').length).toBeLessThan(15);
  });

  it('is silent where the stream stands still', async () => {
    server.replies = [{ text: 'The beginning of something long', fault: 'hang' }];
    const turn = run('anthropic', {}, { idleTimeoutMs: 300 });
    expect(await turn.settled()).toMatchObject({ status: 'failed', failure: { class: 'idle-timeout' } });
  });

  it('is not silent while the summary of a long conversation comes', async () => {
    const tooLong = fail(400, 'prompt is too long: 300000 tokens > 200000 maximum');
    server.replies = [{ calls: CALLS }, tooLong, { text: 'The notes: it was read.', paceMs: 60, keepAlives: 20 }, { text: 'Done.' }];
    const turn = run('anthropic', {}, { idleTimeoutMs: 1000 });
    expect(await turn.settled()).toMatchObject({ status: 'succeeded', failure: null });
    expect(turn.text()).toBe('Done.');
  });
});
