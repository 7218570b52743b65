import { describe, expect, it } from 'vitest';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { TurnRequest } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TurnScript } from './index.ts';
import { createScriptedBackend } from './index.ts';

function createTestClock(): Clock & { advance(ms: number): void } {
  let now = 0;
  let timers: { dueAt: number; fire: () => void }[] = [];
  return {
    now: () => now,
    setTimer(dueAt, fire) {
      const timer = { dueAt, fire };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      now += ms;
      const due = timers.filter((timer) => timer.dueAt <= now);
      timers = timers.filter((timer) => timer.dueAt > now);
      for (const timer of due) timer.fire();
    },
  };
}

const REQUEST: TurnRequest = {
  turn: { iteration: 1, attempt: 1 },
  prompt: 'Do it',
  promptFile: '/t/prompt.md',
  cwd: '/t',
  env: {},
  marker: 'm',
  timeoutMs: 1000,
  idleTimeoutMs: 0,
  logs: { stdoutPath: '/t/out', stderrPath: '/t/err', capBytes: 0 },
};

function start(...turns: TurnScript[]) {
  const clock = createTestClock();
  const events: BackendEvent[] = [];
  const backend = createScriptedBackend(turns, { clock });
  const next = () => backend.start(REQUEST, (event) => events.push(event));
  return { clock, events, backend, next };
}

describe('createScriptedBackend', () => {
  it('plays its turns in order, one a call', async () => {
    const { events, next } = start({ output: ['one', 'two'], sessionId: 's', toolCalls: 2 }, { output: 'three' });
    expect(await next().result).toMatchObject({ status: 'succeeded', exitCode: 0, producedOutput: true, sessionId: 's', toolCalls: 2 });
    expect(await next().result).toMatchObject({ status: 'succeeded', usage: UNKNOWN_USAGE });
    expect(events.map((event) => (event.type === 'text' ? event.text : event.type))).toEqual([
      'started',
      'session',
      'one',
      'message-end',
      'two',
      'message-end',
      'started',
      'three',
      'message-end',
    ]);
  });

  it('acts with the request before it speaks', async () => {
    const done: string[] = [];
    const { next, events } = start({ act: async ({ prompt }) => void done.push(prompt, String(events.length)), output: 'x' });
    await next().result;
    expect(done).toEqual(['Do it', '1']);
  });

  it('fails by exit code, by a given failure, and when its act throws', async () => {
    const failure = { class: 'limit', message: 'usage limit' } as const;
    const { next } = start({ exitCode: 3 }, { failure, output: 'x' }, { act: () => Promise.reject(new Error('boom')) });
    expect(await next().result).toMatchObject({ status: 'failed', exitCode: 3, failure: { class: 'agent' }, producedOutput: false });
    expect(await next().result).toMatchObject({ status: 'failed', exitCode: 1, failure });
    expect((await next().result).failure?.message).toContain('boom');
  });

  it('fails a call that nobody wrote, naming its number', async () => {
    const { next } = start({});
    await next().result;
    expect(await next().result).toMatchObject({ status: 'failed', failure: { message: 'call 2 was not expected: the script has 1 turn' } });
  });

  it('takes its time by the clock', async () => {
    const { next, clock, events } = start({ delayMs: 500, output: 'late' });
    const turn = next();
    await Promise.resolve();
    clock.advance(499);
    expect(events.map(({ type }) => type)).toEqual(['started']);
    clock.advance(1);
    expect(await turn.result).toMatchObject({ status: 'succeeded', durationMs: 500 });
  });

  it('hangs until it is stopped, any number of times', async () => {
    const { next } = start({ hang: true, output: 'waiting' });
    const turn = next();
    turn.stop(0);
    turn.kill();
    turn.stop(10);
    expect(await turn.result).toMatchObject({ status: 'stopped', failure: null, exitCode: null });
  });

  it('is ended by the safeguards of the request', async () => {
    const { next, clock } = start({ hang: true });
    const turn = next();
    await Promise.resolve();
    clock.advance(1000);
    expect(await turn.result).toMatchObject({ status: 'failed', failure: { class: 'timeout' } });
  });
});
