import { describe, expect, it } from 'vitest';
import { createScriptedBackend } from '../backends/scripted/index.ts';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { TurnRequest } from '../ports/backend.ts';
import { createRunClock } from '../runs/run-clock.ts';
import { createLazyBackend } from './lazy-backend.ts';

const REQUEST: TurnRequest = {
  turn: { iteration: 1, attempt: 1 },
  prompt: 'Do it',
  promptFile: '',
  cwd: '/',
  env: {},
  marker: '',
  timeoutMs: 0,
  idleTimeoutMs: 0,
  logs: { stdoutPath: '', stderrPath: '', capBytes: 0 },
};

describe('a backend that is loaded when it is worn', () => {
  it('is loaded once, with its first turn, and passes on what it does', async () => {
    let loads = 0;
    const backend = createLazyBackend('own', async () => {
      loads += 1;
      return createScriptedBackend([{ output: 'one' }, { output: 'two' }], { clock: createRunClock() });
    });
    expect([backend.label, loads]).toEqual(['own', 0]);
    const events: BackendEvent[] = [];
    expect(await backend.start(REQUEST, (event) => events.push(event)).result).toMatchObject({ status: 'succeeded' });
    expect(await backend.start(REQUEST, (event) => events.push(event)).result).toMatchObject({ status: 'succeeded' });
    expect(loads).toBe(1);
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(2);
  });

  it('that cannot be loaded fails its turns and says why', async () => {
    const backend = createLazyBackend('own', () => Promise.reject(new Error('a package is missing')));
    expect(await backend.start(REQUEST, () => undefined).result).toMatchObject({
      status: 'failed',
      failure: { class: 'spawn', message: 'a package is missing' },
    });
  });

  it('may be stopped before it is there, and is stopped once it is', async () => {
    const backend = createLazyBackend('own', async () =>
      createScriptedBackend([{ hang: true }, { hang: true }], { clock: createRunClock() }),
    );
    const early = backend.start(REQUEST, () => undefined);
    early.stop(10);
    early.kill();
    expect((await early.result).status).toBe('stopped');
    const turn = backend.start(REQUEST, (event) => event.type === 'started' && turn.kill());
    expect((await turn.result).status).toBe('stopped');
  });
});
