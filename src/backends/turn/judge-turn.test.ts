import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import type { ProcessResult } from '../../process/contract.ts';
import type { StreamEnd, StreamVerdict } from '../stream/translator.ts';
import { type Judgement, judgeTurn, type TurnEvidence } from './judge-turn.ts';

const FAILURE: TurnFailure = { class: 'limit', message: 'usage limit reached' };
const EXITED: ProcessResult = {
  status: 'exited',
  exitCode: 0,
  signal: null,
  durationMs: 5,
  stdoutBytes: 0,
  stderrBytes: 0,
  leftovers: 0,
  stderrTail: '',
};

function judge(
  verdict: StreamVerdict,
  process: Partial<ProcessResult> = {},
  more: Partial<TurnEvidence> & { trouble?: TurnFailure } = {},
): Judgement {
  const isGood = verdict === 'succeeded' || (verdict === 'none' && (process.exitCode ?? 0) === 0);
  const { trouble = null, ...evidence } = more;
  const end: StreamEnd = {
    events: [],
    verdict,
    failure: isGood ? null : FAILURE,
    trouble,
    usage: UNKNOWN_USAGE,
    sessionId: null,
    toolCalls: null,
  };
  return judgeTurn({
    process: { ...EXITED, ...process },
    end,
    isForced: false,
    endedFor: 'nobody',
    attempt: 1,
    timeoutMs: 60_000,
    idleTimeoutMs: 5000,
    command: '/bin/agent',
    shouldLeave: true,
    ...evidence,
  });
}

describe('judgeTurn', () => {
  it('believes the final event', () => {
    expect(judge('succeeded')).toEqual({ status: 'succeeded', failure: null, warnings: [] });
    expect(judge('failed')).toMatchObject({ status: 'failed', failure: FAILURE });
  });

  it('never takes exit code 0 alone for a success where there should have been a final event', () => {
    expect(judge('missing')).toMatchObject({ status: 'failed', failure: FAILURE });
    expect(judge('none').status).toBe('succeeded');
  });

  it('stays with a success that was told before the process ended badly, and warns', () => {
    expect(judge('succeeded', { exitCode: 1 })).toMatchObject({ status: 'succeeded', warnings: [expect.stringContaining('exit code 1')] });
    expect(judge('succeeded', { status: 'signaled', exitCode: null, signal: 'SIGKILL' }).warnings[0]).toContain('SIGKILL');
  });

  it('counts an agent that had to be shown the door as what it said', () => {
    const shown = { status: 'signaled', exitCode: null, signal: 'SIGTERM', stopReason: 'stopped' } as const;
    expect(judge('succeeded', shown, { endedFor: 'lingering' })).toMatchObject({
      status: 'succeeded',
      warnings: [expect.stringContaining('did not exit')],
    });
    expect(judge('succeeded', shown, { endedFor: 'lingering', shouldLeave: false }).warnings).toEqual([]);
    expect(judge('failed', shown, { endedFor: 'lingering' }).status).toBe('failed');
  });

  it('calls stopped what a person stopped', () => {
    expect(judge('missing', { stopReason: 'stopped', exitCode: 143 }, { endedFor: 'person' })).toEqual({
      status: 'stopped',
      failure: null,
      warnings: [],
    });
    expect(judge('succeeded', { stopReason: 'killed' }, { endedFor: 'person' }).status).toBe('stopped');
    expect(judge('failed', {}, { endedFor: 'person' }).status).toBe('stopped');
    expect(judge('succeeded', {}, { endedFor: 'person' }).status).toBe('succeeded');
  });

  it('names the safeguard that ended it', () => {
    expect(judge('missing', { stopReason: 'timeout' }).failure).toEqual({
      class: 'timeout',
      message: 'the turn took longer than 1 min 00 s',
    });
    expect(judge('missing', { stopReason: 'idle-timeout' }).failure).toEqual({
      class: 'idle-timeout',
      message: 'nothing was heard from the agent for 5.0 s',
    });
  });

  it('lets what the agent said weigh more than the safeguard', () => {
    expect(judge('succeeded', { stopReason: 'idle-timeout' })).toMatchObject({ status: 'succeeded', warnings: [expect.any(String)] });
    expect(judge('failed', { stopReason: 'timeout' }).failure).toEqual(FAILURE);
    expect(judge('missing', { stopReason: 'timeout' }, { trouble: { class: 'transient', message: 'Overloaded' } }).failure).toMatchObject({
      class: 'transient',
      message: expect.stringContaining('Overloaded'),
    });
  });

  it('explains a program that could not be started', () => {
    const failed = (code: string, message = code): string | undefined =>
      judge('missing', { status: 'spawn-error', exitCode: null, error: { code, message } }).failure?.message;
    expect(judge('missing', { status: 'spawn-error', error: { code: 'ENOENT', message: 'x' } }).failure?.class).toBe('spawn');
    expect(failed('ENOENT')).toContain('first line');
    expect(failed('ENOENT', 'working folder not found: /gone')).toBe('/bin/agent could not be started: working folder not found: /gone');
    expect(failed('E2BIG')).toContain('too long');
    expect(failed('EWHATEVER')).toContain('EWHATEVER');
  });

  it('tells a log that could not be written before anything else', () => {
    expect(judge('succeeded', { logError: { code: 'ENOSPC', message: 'no space' } }).failure?.message).toContain('ENOSPC');
  });

  it('believes no final event that came only because the process was told to end', () => {
    const forced = { isForced: true } as const;
    expect(judge('succeeded', { stopReason: 'idle-timeout' }, forced).failure?.class).toBe('idle-timeout');
    expect(judge('failed', { stopReason: 'timeout' }, forced).failure?.class).toBe('timeout');
    const killed = { status: 'signaled', exitCode: null, signal: 'SIGKILL', leftovers: 3 } as const;
    expect(judge('succeeded', killed, forced).failure).toEqual({
      class: 'agent',
      message: 'the agent ended with signal SIGKILL before its final event',
    });
    expect(judge('succeeded', { stopReason: 'stopped' }, { ...forced, endedFor: 'person' }).status).toBe('stopped');
  });
});

describe('a turn that was ended for its silence', () => {
  const silent = (trouble?: TurnFailure, attempt = 1) =>
    judge(
      'missing',
      { exitCode: null, signal: 'SIGTERM', stopReason: 'stopped' },
      { endedFor: 'silent', attempt, ...(trouble && { trouble }) },
    );

  it('failed for what the agent last told; a rate limit that holds so long is a limit', () => {
    expect(silent({ class: 'transient', message: 'fetch failed' }).failure).toMatchObject({ class: 'transient' });
    expect(silent({ class: 'transient', message: 'Rate limit reached' }).failure).toMatchObject({ class: 'limit' });
    expect(silent({ class: 'transient', message: 'Rate limit reached' }).failure?.message).toContain('for 2 min');
  });

  it('is taken for a limit where nothing is known, but not for ever', () => {
    expect([1, 3, 4].map((attempt) => silent(undefined, attempt).failure?.class)).toEqual(['limit', 'limit', 'idle-timeout']);
    expect(silent().failure?.message).toContain('limits: {watch: off}');
  });
});
