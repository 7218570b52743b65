import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { Usage } from '../core/backends/usage.ts';
import type { FailureClass } from '../core/run/turn.ts';
import { createTranslator } from './clis.ts';
import type { StreamEnd } from './stream/translator.ts';

/** Recorded runs of the real CLIs against a scripted model server. */
const FOLDER = new URL('../../fixtures/transcripts/', import.meta.url);
const NOW = Date.UTC(2026, 10, 21);

interface Played extends StreamEnd {
  readonly all: readonly BackendEvent[];
  /** Assistant text by message. */
  readonly messages: readonly string[];
  /** `name` for a start, `name:ok` for an end. */
  readonly tools: readonly string[];
}

function play(cli: string, scenario: string, format = cli): Played {
  const read = (suffix: string): string => {
    const file = new URL(`${cli}/${scenario}${suffix}`, FOLDER);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const meta = JSON.parse(read('.meta.json')) as { exitCode: number | null; signal: NodeJS.Signals | null; prompt: string };
  const translator = createTranslator(format, meta.prompt);
  const lines = read('.stdout.jsonl').split('\n');
  const all = lines.flatMap((line) => [...translator.line(line)]);
  const end = translator.end({ exitCode: meta.exitCode, signal: meta.signal, stderrTail: read('.stderr.txt').slice(-8192), now: NOW });
  all.push(...end.events);
  const text = all.map((event) => (event.type === 'text' ? event.text : event.type === 'message-end' ? '\u0000' : '')).join('');
  const tools = all.flatMap((event) => {
    if (event.type === 'tool-start') return [event.name];
    return event.type === 'tool-end' ? [`${event.name}:${event.ok}`] : [];
  });
  return { ...end, all, messages: text.split('\u0000').slice(0, -1), tools };
}

const usage = (
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number | null,
  costUsd: number | null,
): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  costUsd,
});
const NOTHING: Usage = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, costUsd: null };
const ANSWER = 'The event is in the file.\n\nLOOP_COMPLETE';
const BOTH = ['I will append the event.', ANSWER];

/** Per CLI: its shell tool, whether its stream tells that a command failed, and the totals of the two calls of `success`. */
const CLIS: readonly (readonly [cli: string, shell: string, tellsExit: boolean, total: Usage])[] = [
  ['claude', 'Bash', true, usage(2000, 60, 400, 0, 0.00702)],
  ['codex', 'shell', true, usage(2000, 60, 400, 0, null)],
  ['gemini', 'run_shell_command', false, usage(2000, 60, 400, null, null)],
  ['opencode', 'bash', true, usage(2000, 60, 400, 0, 0.00702)],
  ['pi', 'bash', true, usage(2000, 60, 400, 0, 0.00702)],
  ['copilot', 'bash', true, NOTHING],
  ['qwen', 'run_shell_command', true, usage(2000, 60, 400, null, null)],
  ['cline', 'run_commands', true, usage(2000, 60, 400, 0, null)],
];

describe.each(CLIS)('the stream of %s', (cli, shell, tellsExit, total) => {
  it('tells a turn with a tool call: text once and in order, the call, the totals, the session', () => {
    const turn = play(cli, 'success');
    expect(turn).toMatchObject({
      verdict: 'succeeded',
      failure: null,
      messages: BOTH,
      tools: [shell, `${shell}:${cli === 'gemini' ? null : true}`],
      toolCalls: 1,
    });
    expect(turn.usage).toEqual(total);
    expect(turn.sessionId).toMatch(/^(00000000-|ses_|conv_)/);
  });

  it('shows the command of the call on one line', () => {
    const start = play(cli, 'success').all.find((event) => event.type === 'tool-start');
    expect(start?.summary).toMatch(/^mkdir -p \.agent && printf .*build\.done/);
    expect(start?.summary.length).toBeLessThanOrEqual(200);
  });

  it('never gives the prompt or the output of a tool as text', () => {
    const text = play(cli, 'success').messages.join('');
    expect(text).not.toContain('Append one event');
    expect(text).not.toContain('appended');
  });

  it('tells that a tool failed where the CLI does, and the turn went well all the same', () => {
    const turn = play(cli, 'tool-failed');
    expect(turn).toMatchObject({ verdict: 'succeeded', messages: ['I will run the tests.', 'The tests fail.'] });
    expect(turn.tools).toEqual([shell, `${shell}:${tellsExit ? false : cli === 'gemini' ? null : true}`]);
  });

  it('calls a refused key auth', () => {
    const turn = play(cli, 'error-auth');
    expect(turn.verdict).toBe('failed');
    expect(turn.failure?.class).toBe('auth');
    expect(turn.failure?.message).toMatch(/api key|authentication/i);
    expect(turn.tools).toEqual([]);
  });

  it('is not taken in by a hung turn that was ended: there was no final event', () => {
    const turn = play(cli, 'hang');
    expect(turn.verdict).toBe('missing');
    expect(turn.failure?.class).toBe('agent');
    expect(turn.messages[0]).toBe('I will append the event.');
  });

  it('is recognised without being named, and gives the same', () => {
    const { events: _, ...named } = play(cli, 'success');
    expect(play(cli, 'success', 'stream')).toMatchObject({ ...named });
  });
});

describe('a turn without an answer', () => {
  it.each(['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen'])('is a success of %s', (cli) => {
    expect(play(cli, 'empty')).toMatchObject({ verdict: 'succeeded', failure: null, messages: [], toolCalls: 1 });
  });

  it('is a failure of cline, which says so itself', () => {
    expect(play('cline', 'empty')).toMatchObject({
      verdict: 'failed',
      failure: { class: 'agent', message: 'Model returned empty response' },
    });
  });

  it('is silence of auggie, whose exit code then decides', () => {
    expect(play('auggie', 'empty')).toMatchObject({ verdict: 'none', failure: null, toolCalls: null });
  });
});

describe('the one JSON object of auggie', () => {
  it('gives the text and the session; it tells neither tools nor tokens', () => {
    const turn = play('auggie', 'success');
    expect(turn).toMatchObject({ verdict: 'succeeded', messages: [ANSWER], toolCalls: null, usage: NOTHING });
    expect(turn.sessionId).toMatch(/^00000000-/);
  });

  it('says nothing on failure: the words of standard error do', () => {
    const turn = play('auggie', 'error-auth');
    expect(turn).toMatchObject({ verdict: 'missing', failure: { class: 'auth' } });
    expect(turn.failure?.message).toContain('auggie login');
  });
});

/** Failures that the CLIs told by themselves before the recorder lost patience. */
const FAILURES: readonly (readonly [scenario: string, failureClass: FailureClass, clis: readonly string[]])[] = [
  ['rate-limit', 'transient', ['claude', 'codex', 'opencode', 'pi', 'copilot', 'cline']],
  ['server-error', 'transient', ['claude', 'codex', 'pi', 'copilot']],
  ['overloaded', 'transient', ['claude', 'codex', 'pi', 'copilot']],
  ['late-error', 'transient', ['claude', 'codex', 'pi', 'copilot']],
  ['cut-stream', 'transient', ['codex', 'gemini', 'pi', 'copilot', 'qwen', 'cline']],
  ['malformed-stream', 'transient', ['gemini', 'pi', 'copilot', 'qwen', 'cline']],
  ['usage-limit', 'limit', ['claude', 'codex', 'gemini', 'pi']],
  ['usage-limit-subscription', 'limit', ['claude']],
];

describe.each(FAILURES)('%s', (scenario, failureClass, clis) => {
  it.each(clis)(`is called ${failureClass} for %s`, (cli) => {
    expect(play(cli, scenario)).toMatchObject({ verdict: 'failed', failure: { class: failureClass } });
  });
});

describe('a usage limit', () => {
  it('tells when it is over, where codex does', () => {
    // It tells the time of the machine's own zone.
    expect(play('codex', 'usage-limit').failure?.resetAt).toBe(new Date(2100, 0, 1).getTime());
  });

  it('tells it in a field of its own for a subscriber of claude', () => {
    expect(play('claude', 'usage-limit-subscription').failure?.resetAt).toBe(Date.UTC(2100, 0, 1));
  });

  it('explains a turn of copilot that was ended while it tried again and again', () => {
    expect(play('copilot', 'usage-limit')).toMatchObject({
      verdict: 'missing',
      trouble: { class: 'limit', resetAt: Date.UTC(2100, 0, 1) },
    });
  });

  it('is not a rate limit that claude waits out by itself, which explains as much', () => {
    expect(play('claude', 'rate-limit-retries')).toMatchObject({ verdict: 'missing', trouble: { class: 'transient' } });
  });

  it('is not what Google calls every 429', () => {
    expect(play('gemini', 'rate-limit').failure?.class).toBe('transient');
  });
});

describe('an answer that was cut off and asked for again', () => {
  it('is two messages of claude: the last one is whole', () => {
    expect(play('claude', 'cut-stream').messages.at(-1)).toBe(ANSWER);
    expect(play('claude', 'cut-stream').verdict).toBe('succeeded');
  });
});

describe('a refused tool', () => {
  it.each([
    ['claude', 'Bash:false'],
    ['copilot', 'bash:false'],
    ['cline', 'run_commands:false'],
  ])('is a failed call of %s, and no failure of the turn', (cli, call) => {
    const turn = play(cli, 'permission-denied');
    expect(turn.verdict).toBe('succeeded');
    expect(turn.tools).toContain(call);
  });
});

describe('exit code 0', () => {
  // pi repeats its verdict in its last two events; auggie says everything in one.
  it.each(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'cline'])('is no success of %s without the last event', (cli) => {
    const lines = readFileSync(new URL(`${cli}/success.stdout.jsonl`, FOLDER), 'utf8')
      .trimEnd()
      .split('\n');
    const translator = createTranslator(cli, 'no prompt');
    for (const line of lines.slice(0, -1)) translator.line(line);
    const end = translator.end({ exitCode: 0, signal: null, stderrTail: '', now: NOW });
    expect(end).toMatchObject({
      verdict: 'missing',
      failure: { class: 'agent', message: 'the stream ended before its final event (exit code 0)' },
    });
  });
});
