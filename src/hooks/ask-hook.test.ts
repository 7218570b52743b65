import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { HookEvent, HookSpec } from '../core/hooks/hook-spec.ts';
import type { AskAway, AwayHookResult } from '../ports/hook-runner.ts';
import { askHook } from './ask-hook.ts';
import { hook } from './hook-fixtures.ts';
import { createResidentPrograms } from './resident-programs.ts';

const toEvent = (event: HookSpec['event']): HookEvent => ({
  ...{ schema_version: 1, hook_type: event, hook_event_name: event, session_id: '7', orchestrator_id: 'r1', agent_id: null },
  ...{ timestamp: '', tool_name: '', tool_use_id: '', tool_input: {}, tool_output: null, tool_is_error: null, cwd: tmpdir(), hat: '' },
});

async function ask(changes: Partial<HookSpec>, askAway?: AskAway, signal = new AbortController().signal) {
  const spec = hook({ kind: 'shell', line: 'echo here >&2; exit 2' }, { event: 'EventPublish', runsOn: ['gpu'], ...changes });
  const place = { cwd: tmpdir(), env: process.env, signal, marker: 'ask-hook-test', residents: createResidentPrograms() };
  const { run } = await askHook(spec, toEvent(spec.event), { ...place, ...(askAway && { askAway }) }, () => 0);
  return { decision: run.decision, error: run.error, reason: run.reason, worker: run.worker };
}

const away =
  (result: AwayHookResult): AskAway =>
  async () =>
    result;
const untilAborted: AskAway = (_, signal) =>
  new Promise((resolve) => {
    const stop = (): void => resolve({ kind: 'stopped' });
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });

describe('a hook that needs a worker', () => {
  it('runs where it is asked where there is no fleet', async () => {
    expect(await ask({})).toEqual({ decision: 'deny', error: null, reason: 'here', worker: undefined });
  });

  it('is judged by what its worker reports, and says which that was', async () => {
    const outcome = { kind: 'denied', reason: 'not here', answer: null } as const;
    expect(await ask({}, away({ kind: 'ran', worker: 'w1', outcome }))).toEqual({
      ...{ decision: 'deny', error: null, reason: 'not here', worker: 'w1' },
    });
  });

  it('has failed where no worker ran it: its own rule decides what that means', async () => {
    const lost = away({ kind: 'lost', why: 'no worker' });
    expect(await ask({}, lost)).toMatchObject({ decision: 'allow', error: 'no worker' });
    expect(await ask({ isFailClosed: true }, lost)).toMatchObject({ decision: 'deny', error: 'no worker' });
  });

  it('is not asked elsewhere without labels', async () => {
    const spec = hook({ kind: 'shell', line: 'exit 2' }, { event: 'EventPublish' });
    const place = { cwd: tmpdir(), env: process.env, signal: new AbortController().signal, marker: 'ask-hook-test' };
    const scene = { ...place, residents: createResidentPrograms(), askAway: untilAborted };
    expect((await askHook(spec, toEvent('EventPublish'), scene, () => 0)).run).toMatchObject({ decision: 'deny' });
  });

  it('waits for a worker for no longer than its time where nothing hangs on it', async () => {
    const error = 'it gave no answer within 0.05 s';
    expect(await ask({ event: 'TurnEnd', timeoutMs: 50 }, untilAborted)).toMatchObject({ decision: 'allow', error });
  });

  it('ends with the turn', async () => {
    expect(await ask({ timeoutMs: 50 }, untilAborted, AbortSignal.timeout(100))).toMatchObject({
      error: 'it was stopped with the turn',
    });
  });
});
