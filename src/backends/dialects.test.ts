import { describe, expect, it } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { createTranslator } from './clis.ts';
import type { StreamEnd } from './stream/translator.ts';

/** What recordings against a scripted server do not show: shapes from the CLIs' own documentation and from reports of their users. */
const NOW = Date.UTC(2026, 0, 1);

function play(
  format: string,
  lines: readonly object[],
  exitCode = 0,
): StreamEnd & { readonly all: readonly BackendEvent[]; readonly finished: readonly boolean[] } {
  const translator = createTranslator(format, 'Do it');
  const finished: boolean[] = [];
  const all = lines.flatMap((line) => {
    const events = translator.line(JSON.stringify(line));
    finished.push(translator.isFinished());
    return [...events];
  });
  const end = translator.end({ exitCode, signal: null, stderrTail: '', now: NOW });
  return { ...end, all: [...all, ...end.events], finished };
}
const textOf = (events: readonly BackendEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : event.type === 'message-end' ? '|' : '')).join('');

describe('claude', () => {
  const assistant = (text: string, more: object = {}): object => ({
    type: 'assistant',
    message: { id: text, content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    ...more,
  });
  const result = (more: object = {}): object => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'ok',
    session_id: 's',
    ...more,
  });

  it('gives whole messages as text where no pieces came', () => {
    expect(textOf(play('claude', [assistant('one'), assistant('two'), result()]).all)).toBe('one|two|');
  });

  it('does not give what a sub-agent says, but shows its tools', () => {
    const sub = { parent_tool_use_id: 'toolu_1' };
    const tool = {
      type: 'assistant',
      ...sub,
      message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Grep', input: { pattern: 'x' } }] },
    };
    const { all, toolCalls } = play('claude', [assistant('sub', sub), tool, assistant('main'), result()]);
    expect(textOf(all)).toBe('main|');
    expect(all).toContainEqual({ type: 'tool-start', id: 't', name: 'Grep', summary: 'x' });
    expect(toolCalls).toBe(1);
  });

  it('tells what each answer has used so far, once, also where no result ever comes', () => {
    const partial = (event: object): object => ({ type: 'stream_event', event, parent_tool_use_id: null });
    const start = (id: string, usage: object): object => partial({ type: 'message_start', message: { id, usage } });
    const delta = (output_tokens: number): object => partial({ type: 'message_delta', usage: { output_tokens } });
    const begun = { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 1 };
    const whole = { type: 'assistant', message: { id: 'a', content: [], usage: begun } };
    const turn = play(
      'claude',
      [start('a', begun), whole, whole, delta(40), start('b', { input_tokens: 150, output_tokens: 1 }), delta(2)],
      1,
    );
    const told = turn.all.flatMap((event) => (event.type === 'usage' ? [[event.usage.inputTokens, event.usage.outputTokens]] : []));
    expect(told).toEqual([
      [100, 1],
      [100, 40],
      [250, 41],
      [250, 42],
    ]);
    expect(turn.usage).toMatchObject({ inputTokens: 250, outputTokens: 42, cacheReadTokens: 7, costUsd: null });
  });

  it('a refused key is a refusal from its second announcement on, and none any more once the model answers', () => {
    const retry = (attempt: number, error_status: number): object => ({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      error_status,
      error: 'x',
    });
    const translator = createTranslator('claude', 'Do it');
    const say = (line: object): unknown => {
      translator.line(JSON.stringify(line));
      return translator.refusal?.(NOW);
    };
    expect(say(retry(1, 529))).toBeNull();
    translator.line(JSON.stringify(assistant('well')));
    expect(say(retry(1, 401))).toMatchObject({ isRepeated: false, failure: { class: 'auth' } });
    expect(say(retry(2, 401))).toMatchObject({ isRepeated: true });
    expect(say({ type: 'stream_event', event: { type: 'message_start', message: { id: 'm' } }, parent_tool_use_id: null })).toBeNull();
  });

  it('what it tried again after without saying more is a passing trouble', () => {
    const turn = play(
      'claude',
      [{ type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, error_status: null, error: 'unknown' }],
      143,
    );
    expect(turn.trouble).toMatchObject({ class: 'transient' });
  });

  it('gives thinking once', () => {
    const partial = (event: object): object => ({ type: 'stream_event', event, parent_tool_use_id: null });
    const { all } = play('claude', [
      partial({ type: 'message_start', message: { id: 'm' } }),
      partial({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking: 'hm' } }),
      { type: 'assistant', message: { id: 'm', content: [{ type: 'thinking', thinking: 'hm' }] }, parent_tool_use_id: null },
    ]);
    expect(all.filter(({ type }) => type === 'thinking')).toEqual([{ type: 'thinking', text: 'hm' }]);
  });

  it('counts the tokens of all models where the result tells them', () => {
    const modelUsage = {
      a: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 4 },
      b: { inputTokens: 10, outputTokens: 20 },
    };
    expect(play('claude', [result({ modelUsage, usage: { input_tokens: 1 }, total_cost_usd: 0.5 })]).usage).toEqual({
      inputTokens: 11,
      outputTokens: 22,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      costUsd: 0.5,
    });
  });

  it('tells its retries, and they explain a turn that got no further', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 2,
      max_retries: 10,
      retry_delay_ms: 1500,
      error_status: 529,
      error: 'overloaded',
    };
    const { all, verdict, failure, trouble } = play('claude', [retry], 143);
    expect(all[0]).toEqual({ type: 'retry', message: 'overloaded (529), try 2 of 10', delayMs: 1500 });
    expect({ verdict, class: failure?.class, trouble: trouble?.class }).toEqual({
      verdict: 'missing',
      class: 'transient',
      trouble: 'transient',
    });
    expect(play('claude', [retry, assistant('on we go')], 143).trouble).toBeNull();
  });

  it.each([
    [{ result: `Claude AI usage limit reached|${NOW / 1000 + 3600}` }, [], 'limit', NOW + 3_600_000],
    [
      { result: "You've hit your limit · resets soon" },
      [{ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: NOW / 1000 + 60 } }],
      'limit',
      NOW + 60_000,
    ],
    [
      { result: "You've hit your limit" },
      [{ type: 'rate_limit_event', rate_limit_info: { status: 'allowed_warning', resetsAt: NOW / 1000 + 60 } }],
      'limit',
      undefined,
    ],
    [{ result: 'Credit balance is too low', api_error_status: 400 }, [], 'limit', undefined],
    [{ result: 'API Error: boom', api_error_status: 529 }, [], 'transient', undefined],
    [{ result: 'Invalid API key · Please run /login' }, [], 'auth', undefined],
    [{ result: undefined, subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' }, [], 'agent', undefined],
  ] as const)('fails with %j', (more, before, failureClass, resetAt) => {
    const { verdict, failure } = play('claude', [...before, result({ is_error: true, ...more })], 1);
    expect({ verdict, class: failure?.class, resetAt: failure?.resetAt }).toEqual({ verdict: 'failed', class: failureClass, resetAt });
  });

  it('has failed at its turn limit, whatever is_error says', () => {
    expect(play('claude', [result({ subtype: 'error_max_turns', result: undefined })]).failure?.message).toBe('error max turns');
  });

  it('has not finished when it goes on after a result', () => {
    expect(play('claude', [result(), assistant('more'), result()]).finished).toEqual([true, false, true]);
  });

  it('is understood without message ids, as amp speaks it', () => {
    const bare = (text: string): object => ({
      type: 'assistant',
      message: { content: [{ type: 'text', text }] },
      parent_tool_use_id: null,
    });
    expect(textOf(play('claude', [bare('one'), bare('two'), result()]).all)).toBe('one|two|');
  });
});

describe('codex', () => {
  const item = (type: string, body: object): object => ({ type, item: { id: 'i1', ...body } });

  it('shows edits, MCP calls and searches as tools, once', () => {
    const { all, toolCalls } = play('codex', [
      item('item.completed', {
        type: 'file_change',
        changes: [
          { kind: 'update', path: 'a.ts' },
          { kind: 'add', path: 'b.ts' },
        ],
        status: 'completed',
      }),
      item('item.started', { type: 'mcp_tool_call', server: 'hats', tool: 'emit', arguments: { topic: 'x' } }),
      item('item.completed', { type: 'mcp_tool_call', server: 'hats', tool: 'emit', status: 'failed', error: { message: 'refused' } }),
      item('item.completed', { type: 'web_search', query: 'how' }),
    ]);
    expect(toolCalls).toBe(3);
    expect(all.map((event) => ('summary' in event ? `${event.type} ${event.name} ${event.summary}` : event.type))).toEqual([
      'tool-start edit update a.ts, add b.ts',
      'tool-end edit ',
      'tool-start hats.emit {"topic":"x"}',
      'tool-end hats.emit refused',
      'tool-start web search how',
      'tool-end web search ',
    ]);
  });

  it('tells an edit that could not be written as stopped by the system, one that was declined as stopped by its own rules', () => {
    const edit = (status: string): object =>
      item('item.completed', { type: 'file_change', changes: [{ kind: 'add', path: 'a.ts' }], status });
    const denialsOf = (status: string): readonly unknown[] =>
      play('codex', [edit(status)]).all.flatMap((event) => (event.type === 'tool-denied' ? [[event.denial.layer, event.denial.use]] : []));
    expect(['completed', 'failed', 'declined'].map(denialsOf)).toEqual([[], [['os', 'add a.ts']], [['flags', 'add a.ts']]]);
  });

  it('shows the command without the shell around it', () => {
    const { all } = play('codex', [item('item.started', { type: 'command_execution', command: `/bin/bash -lc 'echo '\\''hi'\\'''` })]);
    expect(all[0]).toMatchObject({ name: 'shell', summary: "echo 'hi'" });
  });

  it('is not failed by an error that it mends itself', () => {
    const lines = [
      { type: 'error', message: 'Reconnecting... 1/4' },
      item('item.completed', { type: 'agent_message', text: 'ok' }),
      { type: 'turn.completed', usage: {} },
    ];
    const { all, verdict, trouble } = play('codex', lines);
    expect(all[0]).toEqual({ type: 'retry', message: 'Reconnecting... 1/4', delayMs: null });
    expect({ verdict, trouble }).toEqual({ verdict: 'succeeded', trouble: null });
  });

  it('tells its last error when it goes without a verdict', () => {
    expect(play('codex', [{ type: 'error', message: 'stream disconnected before completion' }], 1)).toMatchObject({
      verdict: 'missing',
      failure: { class: 'transient' },
    });
  });
});

describe('pi', () => {
  const end = (stopReason: string, errorMessage?: string): object => ({
    type: 'message_end',
    message: { role: 'assistant', content: [], stopReason, errorMessage },
  });

  it('has not finished while it tries again after an end', () => {
    const lines = [
      end('error', '500 boom'),
      { type: 'agent_end' },
      { type: 'auto_retry_start', attempt: 1, delayMs: 2000, errorMessage: '500 boom' },
      { type: 'agent_start' },
      end('stop'),
      { type: 'agent_end' },
    ];
    const { finished, verdict, all } = play('pi', lines);
    expect(finished).toEqual([false, true, false, false, false, true]);
    expect(verdict).toBe('succeeded');
    expect(all).toContainEqual({ type: 'retry', message: '500 boom', delayMs: 2000 });
  });

  it('is judged by its last message where the end is missing', () => {
    expect(play('pi', [end('stop')]).verdict).toBe('succeeded');
    expect(play('pi', [end('toolUse')])).toMatchObject({ verdict: 'missing' });
    expect(play('pi', [end('aborted')])).toMatchObject({ verdict: 'failed' });
  });
});

describe('gemini', () => {
  it('calls a command failed that it says nothing of but its exit code or signal', () => {
    const shell = (output: string) =>
      play('gemini', [
        { type: 'tool_use', tool_id: 't', tool_name: 'run_shell_command', parameters: { command: 'false' } },
        { type: 'tool_result', tool_id: 't', status: 'success', output },
      ]).all.filter(({ type }) => type === 'tool-end');
    expect(shell('Command exited with code: 3')).toMatchObject([{ ok: false, summary: 'exit code 3' }]);
    expect(shell('Command terminated by signal: 9')).toMatchObject([{ ok: false, summary: 'signal 9' }]);
    expect(shell('It says: Command exited with code: 3')).toMatchObject([{ ok: null }]);
    expect(shell('1 test failed')).toMatchObject([{ ok: null }]);
  });

  it('has no result when it dies of an HTTP status: its exit code is that status modulo 256', () => {
    expect(play('gemini', [{ type: 'init', session_id: 's' }], 145)).toMatchObject({ verdict: 'failed', failure: { class: 'auth' } });
    expect(play('gemini', [{ type: 'init', session_id: 's' }], 173)).toMatchObject({ verdict: 'failed', failure: { class: 'transient' } });
  });
});

/** What an agent's own log makes of a translator; the lines of its stream come first. */
function playLog(format: string, log: readonly string[], lines: readonly object[] = []) {
  const translator = createTranslator(format, 'Do it');
  for (const line of lines) translator.line(JSON.stringify(line));
  const events = log.flatMap((line) => [...(translator.ownLog?.line(line) ?? [])]);
  const end = (): StreamEnd => translator.end({ exitCode: null, signal: 'SIGTERM', stderrTail: '', now: NOW });
  return { translator, events, refusal: translator.refusal?.(NOW) ?? null, isAtWork: translator.ownLog?.isAtWork(), end };
}

describe('the log of opencode', () => {
  const call = (small = false): string =>
    `timestamp=2026-11-22T19:26:45.705Z level=INFO run=4c message=stream providerID=p modelID=m session.id=ses_1 small=${small} agent=build mode=primary`;
  const refused = (why: string, small = false): string =>
    `timestamp=2026-11-22T19:26:45.889Z level=ERROR run=4c message="stream error" providerID=p modelID=m session.id=ses_1 small=${small} agent=build mode=primary error.error="AI_APICallError: ${why}"`;
  const QUOTA = refused('The usage limit has been reached');

  it('tells of a quota that is used up, at the second refusal in a row', () => {
    expect(playLog('opencode', [call(), QUOTA])).toMatchObject({ refusal: null, isAtWork: false });
    const { refusal, events } = playLog('opencode', [call(), QUOTA, call(), QUOTA]);
    expect(refusal).toMatchObject({ failure: { class: 'limit', message: 'The usage limit has been reached' }, isRepeated: true });
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2);
  });

  it('says nothing of the model that only makes titles, nor where the agent got somewhere in between', () => {
    expect(playLog('opencode', [call(true), refused('Quota exceeded', true), refused('Quota exceeded', true)]).refusal).toBeNull();
    const { translator } = playLog('opencode', [QUOTA]);
    translator.line(JSON.stringify({ type: 'step_start', sessionID: 'ses_1', part: {} }));
    translator.ownLog?.line(QUOTA);
    expect(translator.refusal?.(NOW)).toBeNull();
  });

  it('shows when the model is at work, and takes any text', () => {
    expect(playLog('opencode', [call()]).isAtWork).toBe(true);
    expect(playLog('opencode', ['', 'ERROR 2025 quota', '"', QUOTA.slice(0, 60), '\u0000'])).toMatchObject({ events: [], isAtWork: false });
  });

  it('explains a turn that was ended: a rate limit is none of the quota', () => {
    const { end, refusal } = playLog('opencode', [refused('Rate limit reached for requests'), refused('Rate limit reached for requests')]);
    expect([refusal, end().trouble]).toMatchObject([null, { class: 'transient' }]);
  });
});

describe('the record of a conversation with qwen', () => {
  const init = { type: 'system', subtype: 'init', session_id: '657eb84d', model: 'm', permission_mode: 'yolo' };
  const refused = JSON.stringify({
    type: 'system',
    subtype: 'ui_telemetry',
    systemPayload: {
      uiEvent: { 'event.name': 'qwen-code.api_error', error_message: '429 The usage limit has been reached', status_code: 429 },
    },
  });

  it('is found by the session and the folder', () => {
    const { translator } = playLog('qwen', [], [init]);
    expect(translator.ownLog?.file?.({ HOME: '/home/t' }, '/work/my.app')).toBe('/home/t/.qwen/projects/-work-my-app/chats/657eb84d.jsonl');
    const hostile = playLog('qwen', [], [{ ...init, session_id: '../../etc/passwd' }]).translator;
    expect(hostile.ownLog?.file?.({ HOME: '/home/t' }, '/work')).toBeNull();
  });

  it('tells of a quota that is used up, at the second refusal in a row', () => {
    expect(playLog('qwen', [refused], [init]).refusal).toBeNull();
    expect(playLog('qwen', [refused, refused], [init]).refusal).toMatchObject({ failure: { class: 'limit' }, isRepeated: true });
  });

  it('says nothing when a person or a model wrote such words', () => {
    const said = JSON.stringify({ type: 'user', message: { parts: [{ text: 'qwen-code.api_error quota exceeded' }] } });
    expect(playLog('qwen', [said, said, '{"qwen-code.api_error"'], [init]).refusal).toBeNull();
  });
});

describe('opencode', () => {
  const step = (reason: string): object => ({
    type: 'step_finish',
    sessionID: 's',
    part: { reason, tokens: { total: 100, input: 50, output: 10, reasoning: 20, cache: { read: 20, write: 0 } }, cost: 0 },
  });

  it('counts what the total tells, and knows no price where it says 0', () => {
    expect(play('opencode', [step('stop')]).usage).toEqual({
      inputTokens: 50,
      outputTokens: 30,
      cacheReadTokens: 20,
      cacheWriteTokens: 0,
      costUsd: null,
    });
  });

  it('has not succeeded after a tool call that nothing followed, or by a bad exit code', () => {
    expect(play('opencode', [step('tool-calls')]).verdict).toBe('missing');
    expect(play('opencode', [step('stop')], 1).verdict).toBe('missing');
  });
});

describe('auggie', () => {
  it('may print its object on many lines', () => {
    const translator = createTranslator('auggie', 'x');
    for (const line of JSON.stringify({ type: 'result', result: 'hi', is_error: false }, null, 2).split('\n')) translator.line(line);
    expect(translator.end({ exitCode: 0, signal: null, stderrTail: '', now: NOW })).toMatchObject({ verdict: 'succeeded' });
  });
});
