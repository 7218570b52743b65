import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { textAt } from '../stream/read-fields.ts';
import type { StreamEnd } from '../stream/translator.ts';
import type { AcpTask } from './translate.ts';
import { createAcpTranslator } from './translate.ts';

const FOLDER = new URL('../../../fixtures/transcripts/', import.meta.url);
const EXIT = { exitCode: 0, signal: null, stderrTail: '', now: Date.UTC(2026, 10, 21) };
const ANSWER = 'The event is in the file.\n\nLOOP_COMPLETE';

interface Recorded {
  readonly from: 'client' | 'agent';
  readonly message: JsonObject;
}

interface Talk extends StreamEnd {
  readonly all: readonly BackendEvent[];
  readonly messages: readonly string[];
  readonly sent: readonly JsonObject[];
  readonly isFinished: boolean;
}

/** Plays the agent's part to a new conversation. Our requests are numbered as the recorder's were, as long as we ask for the same. */
function talk(agentSays: readonly JsonObject[], task: Partial<AcpTask> = {}): Talk {
  const translator = createAcpTranslator({ prompt: 'Do it', cwd: '/home/tester/project', isBypass: true, ...task });
  const sent = [...(translator.dialogue?.open() ?? [])];
  const all: BackendEvent[] = [];
  for (const message of agentSays) {
    all.push(...translator.line(JSON.stringify(message)));
    sent.push(...(translator.dialogue?.replies() ?? []));
  }
  const isFinished = translator.isFinished();
  const end = translator.end(EXIT);
  all.push(...end.events);
  const text = all.map((event) => (event.type === 'text' ? event.text : event.type === 'message-end' ? '\u0000' : '')).join('');
  return { ...end, all, isFinished, messages: text.split('\u0000').slice(0, -1), sent: sent.map((line) => JSON.parse(line) as JsonObject) };
}

function replay(agent: string, scenario: string): Talk & { readonly recorded: readonly JsonObject[] } {
  const lines = readFileSync(new URL(`${agent}/${scenario}.traffic.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n');
  const traffic = lines.map((line) => JSON.parse(line) as Recorded);
  const said = traffic.filter(({ from }) => from === 'agent').map(({ message }) => withoutModes(message));
  const recorded = traffic.filter(({ from }) => from === 'client').map(({ message }) => message);
  const ask = recorded.find((message) => message['method'] === 'session/prompt') as { params: { prompt: { text: string }[] } } | undefined;
  return { ...talk(said, { prompt: ask?.params.prompt[0]?.text ?? '', isBypass: scenario !== 'permission-denied' }), recorded };
}

/** The recorder changed no modes. */
function withoutModes(message: JsonObject): JsonObject {
  const { modes: _modes, configOptions: _options, ...result } = (message['result'] ?? {}) as Record<string, never>;
  return textAt(result, 'sessionId') === '' ? message : { ...message, result };
}

const USAGE = { inputTokens: 2000, outputTokens: 60, cacheReadTokens: 400, cacheWriteTokens: 0, costUsd: null };

describe.each([
  ['acp-gemini', { ...USAGE, inputTokens: 2400, cacheReadTokens: null, cacheWriteTokens: null }],
  // It tells the tokens of its last call only: with two they are not known.
  ['acp-opencode', { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: 0.00702 }],
  ['acp-qwen', { ...USAGE, cacheWriteTokens: null }],
  ['acp-copilot', USAGE],
  ['acp-auggie', { ...USAGE, inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null }],
])('the conversation with %s', (agent, usage) => {
  it('is said word for word as it was recorded', () => {
    const { sent, recorded } = replay(agent, 'success');
    expect(sent).toEqual(recorded);
  });

  it('tells text, one tool call, usage and the session', () => {
    const turn = replay(agent, 'success');
    expect(turn).toMatchObject({ verdict: 'succeeded', failure: null, toolCalls: 1, isFinished: true });
    expect(turn.usage).toEqual(usage);
    expect(turn.messages.at(-1)).toBe(ANSWER);
    expect(turn.all.filter((event) => event.type === 'tool-end')).toMatchObject([{ ok: true }]);
    expect(turn.sessionId).toMatch(/^(00000000-|ses_)/);
  });

  it('is a refused key where the agent says so', () => {
    expect(replay(agent, 'error-auth')).toMatchObject({ verdict: 'failed', failure: { class: 'auth' }, isFinished: true });
  });
});

describe('a permission', () => {
  it.each(['acp-gemini', 'acp-copilot', 'acp-qwen'])('is refused as recorded where nothing is bypassed: %s', (agent) => {
    const { sent, recorded } = replay(agent, 'permission-denied');
    expect(sent).toEqual(recorded);
  });

  it('that offers nothing we know is cancelled', () => {
    const { sent } = talk([
      { jsonrpc: '2.0', id: 'a', method: 'session/request_permission', params: { options: [{ optionId: 'x', kind: 'odd' }] } },
    ]);
    expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'a', result: { outcome: { outcome: 'cancelled' } } });
  });
});

const INITIALIZED = { jsonrpc: '2.0', id: 1, result: { protocolVersion: 1 } };
const session = (result: object): JsonObject => ({ jsonrpc: '2.0', id: 2, result: { sessionId: 's1', ...result } });

describe('a new session', () => {
  const modes = { currentModeId: 'read-only', availableModes: [{ id: 'read-only' }, { id: 'full-access' }] };

  it('is put into the mode in which nobody is asked, and given its model, before the prompt', () => {
    const { sent } = talk([INITIALIZED, session({ modes }), { jsonrpc: '2.0', id: 3, result: {} }, { jsonrpc: '2.0', id: 4, result: {} }], {
      model: 'm',
    });
    expect(sent.slice(2)).toEqual([
      { jsonrpc: '2.0', id: 3, method: 'session/set_mode', params: { sessionId: 's1', modeId: 'full-access' } },
      { jsonrpc: '2.0', id: 4, method: 'session/set_model', params: { sessionId: 's1', modelId: 'm' } },
      { jsonrpc: '2.0', id: 5, method: 'session/prompt', params: { sessionId: 's1', prompt: [{ type: 'text', text: 'Do it' }] } },
    ]);
  });

  it('keeps its mode under default permissions, and where it is the right one', () => {
    const methods = (result: object, task: Partial<AcpTask> = {}): unknown[] =>
      talk([INITIALIZED, session(result)], task).sent.map(({ method }) => method);
    expect(methods({ modes }, { isBypass: false }).at(-1)).toBe('session/prompt');
    expect(methods({ modes: { ...modes, currentModeId: 'full-access' } }).at(-1)).toBe('session/prompt');
  });

  it('is set up through its options where it has those', () => {
    const configOptions = [
      { id: 'm', category: 'model', currentValue: 'a', options: [] },
      { id: 'p', category: 'mode', currentValue: 'auto', options: [{ value: 'yolo' }] },
    ];
    const { sent } = talk([INITIALIZED, session({ configOptions }), { jsonrpc: '2.0', id: 3, result: {} }], { model: 'b' });
    expect(sent.slice(2).map(({ params }) => params)).toEqual([
      { sessionId: 's1', configId: 'p', value: 'yolo' },
      { sessionId: 's1', configId: 'm', value: 'b' },
    ]);
  });

  it('goes on with a warning when a setting is refused', () => {
    const refused = { jsonrpc: '2.0', id: 3, error: { code: -32602, message: 'no such mode' } };
    const { sent, all } = talk([INITIALIZED, session({ modes }), refused]);
    expect(sent.at(-1)).toMatchObject({ method: 'session/prompt' });
    expect(all).toContainEqual({ type: 'warning', message: 'the agent refused the mode full-access: no such mode' });
  });

  it('that cannot be had ends the turn', () => {
    const refused = { jsonrpc: '2.0', id: 2, error: { code: -32000, message: 'Authentication required: Call authenticate' } };
    expect(talk([INITIALIZED, refused])).toMatchObject({ verdict: 'failed', failure: { class: 'auth' }, isFinished: true });
  });
});

it('what is told before the prompt is no answer to it', () => {
  const chunk = {
    jsonrpc: '2.0',
    method: 'session/update',
    params: { update: { sessionUpdate: 'agent_message_chunk', content: { text: '[MODE_UPDATE] yolo' } } },
  };
  expect(talk([INITIALIZED, chunk, session({}), { jsonrpc: '2.0', id: 3, result: { stopReason: 'end_turn' } }]).messages).toEqual([]);
});

describe('the end of a prompt', () => {
  const ended = (stopReason: string) => talk([INITIALIZED, session({}), { jsonrpc: '2.0', id: 3, result: { stopReason } }]);

  it.each([
    ['end_turn', 'succeeded'],
    ['max_tokens', 'succeeded'],
    ['refusal', 'failed'],
    ['max_turn_requests', 'failed'],
    ['cancelled', 'failed'],
  ])('for %s has %s', (stopReason, verdict) => expect(ended(stopReason).verdict).toBe(verdict));

  it('is missing when the agent just goes away', () => {
    expect(talk([INITIALIZED, session({})])).toMatchObject({ verdict: 'missing', isFinished: false });
  });
});

it.each([
  { code: -32603, message: 'Internal error: Unauthorized' },
  { code: -32603, message: 'Internal error: Invalid Authentication' },
  { code: -32603, message: 'Internal error', data: { details: '401 The key was not accepted.' } },
  { code: -32603, message: 'Internal error', data: { details: '401 status code (no body)' } },
  { code: -32603, message: 'Internal error: The key was not accepted.', data: { statusCode: 401 } },
])('a refused key is one whatever the protocol calls it: %j', (error) => {
  expect(talk([INITIALIZED, session({}), { jsonrpc: '2.0', id: 3, error }])).toMatchObject({ failure: { class: 'auth' } });
});

it('a failure of which nothing is told but the code of the protocol may pass', () => {
  const error = { code: -32603, message: 'Internal error' };
  expect(talk([INITIALIZED, session({}), { jsonrpc: '2.0', id: 3, error }])).toMatchObject({ failure: { class: 'transient' } });
});

it('a request that we do not understand is answered with an error, so that no agent waits', () => {
  const { sent } = talk([{ jsonrpc: '2.0', id: 7, method: 'fs/read_text_file', params: {} }]);
  expect(sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found' } });
});

it('cancelling names the session, and says nothing before there is one', () => {
  const translator = createAcpTranslator({ prompt: 'x', cwd: '/', isBypass: true });
  expect(translator.dialogue?.cancel?.()).toEqual([]);
  translator.dialogue?.open();
  translator.line(JSON.stringify(INITIALIZED));
  translator.line(JSON.stringify(session({})));
  translator.dialogue?.replies();
  expect(translator.dialogue?.cancel?.().map((line) => JSON.parse(line))).toEqual([
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } },
  ]);
});

it('the session begins with the servers of tools that the turn brings, and with none else', () => {
  const toServers = (task: Partial<AcpTask>): unknown =>
    talk([INITIALIZED], task).sent.flatMap(({ method, params }) =>
      method === 'session/new' ? [(params as JsonObject)['mcpServers']] : [],
    );
  expect(toServers({})).toEqual([[]]);
  const toolServers = [{ name: 'ralph', command: '/r/ralph', args: ['mcp'] }];
  expect(toServers({ toolServers })).toEqual([[{ name: 'ralph', command: '/r/ralph', args: ['mcp'], env: [] }]]);
});

describe('what people say while it works', () => {
  const WORDS = [
    { id: 'c1', text: 'use the old API', by: 'ann' },
    { id: 'c2', text: 'and no tests', by: 'bob' },
  ];
  const update = (sessionUpdate: string, text = ''): JsonObject => ({
    jsonrpc: '2.0',
    method: 'session/update',
    params: { sessionId: 's1', update: { sessionUpdate, content: { type: 'text', text } } },
  });
  const result = (id: number, inputTokens: number, stopReason = 'end_turn'): JsonObject => ({
    jsonrpc: '2.0',
    id,
    result: { stopReason, usage: { inputTokens, outputTokens: 1 } },
  });

  /** A conversation that has come to its prompt, in which both then say something. */
  function begin() {
    const translator = createAcpTranslator({ prompt: 'Do it', cwd: '/p', isBypass: true });
    translator.dialogue?.open();
    const sent: JsonObject[] = [];
    const say = (message: JsonObject): readonly BackendEvent[] => {
      const events = translator.line(JSON.stringify(message));
      sent.push(...(translator.dialogue?.replies() ?? []).map((line) => JSON.parse(line) as JsonObject));
      return events;
    };
    say(INITIALIZED);
    say(session({}));
    sent.length = 0;
    return { translator, sent, say };
  }

  it('is one more prompt in the same session once it has answered, and it is told that it has them when it begins to answer', () => {
    const { translator, sent, say } = begin();
    say(update('agent_message_chunk', 'I look.'));
    for (const words of WORDS) expect(translator.dialogue?.tell?.(words)).toEqual([]);
    expect(say(result(3, 100)).filter(({ type }) => type === 'injected')).toEqual([]);
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 4,
        method: 'session/prompt',
        params: { sessionId: 's1', prompt: [{ type: 'text', text: 'ann: use the old API\n\nbob: and no tests' }] },
      },
    ]);
    expect(translator.isFinished()).toBe(false);
    expect(say(update('usage_update'))).toEqual([]);
    expect(say(update('tool_call'))).toContainEqual({ type: 'injected', ids: ['c1', 'c2'], call: 0 });
    say(update('agent_message_chunk', 'With the old one.'));
    say(result(4, 130));
    expect(translator.isFinished()).toBe(true);
    expect(translator.end(EXIT)).toMatchObject({ verdict: 'succeeded', usage: { inputTokens: 130, outputTokens: 1 } });
  });

  it('adds what gemini used for each prompt', () => {
    const { translator, say } = begin();
    for (const words of WORDS) translator.dialogue?.tell?.(words);
    const quota = (id: number, input_tokens: number): JsonObject => ({
      jsonrpc: '2.0',
      id,
      result: { stopReason: 'end_turn', _meta: { quota: { token_count: { input_tokens, output_tokens: 1 } } } },
    });
    say(quota(3, 100));
    say(quota(4, 30));
    expect(translator.end(EXIT).usage).toMatchObject({ inputTokens: 130, outputTokens: 2 });
  });

  it.each([
    ['was cut off', result(3, 1, 'max_tokens')],
    ['refused', result(3, 1, 'refusal')],
    ['failed', { jsonrpc: '2.0', id: 3, error: { code: 500, message: 'no' } }],
  ])('is kept for the next prompt of the run where it %s', (_, message) => {
    const { translator, sent, say } = begin();
    for (const words of WORDS) translator.dialogue?.tell?.(words);
    say(message);
    expect([translator.isFinished(), sent]).toEqual([true, []]);
  });

  it('is not said to an agent that was asked to end its turn', () => {
    const { translator, sent, say } = begin();
    for (const words of WORDS) translator.dialogue?.tell?.(words);
    translator.dialogue?.cancel?.();
    say(result(3, 1));
    expect([translator.isFinished(), sent]).toEqual([true, []]);
  });

  it('was not heard where its prompt fails', () => {
    const { translator, say } = begin();
    for (const words of WORDS) translator.dialogue?.tell?.(words);
    say(result(3, 1));
    const events = say({ jsonrpc: '2.0', id: 4, error: { code: 500, message: 'no' } });
    expect([events.filter(({ type }) => type === 'injected'), translator.end(EXIT).verdict]).toEqual([[], 'failed']);
  });
});
