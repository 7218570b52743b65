/** Agents that try again without a word when a quota is used up: how a turn of theirs ends. Time is the clock's of the test. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createBackend } from '../../src/backends/index.ts';
import type { BackendSpec, BackendType } from '../../src/core/backends/backend-spec.ts';
import type { TurnResult } from '../../src/ports/backend.ts';
import { createTurnBench, type TurnBench } from './turn-bench.ts';

const SPEC: Pick<BackendSpec, 'args' | 'env' | 'permissions'> = { args: [], env: {}, permissions: 'bypass' };
const QUOTA =
  'timestamp=1 level=ERROR run=1 message="stream error" small=false agent=build error.error="AI_APICallError: insufficient_quota"';
const INIT = '{"type":"system","subtype":"init","session_id":"s-1","model":"m","permission_mode":"yolo"}';
const API_ERROR =
  '{"type":"system","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"429 insufficient_quota","status_code":429}}}';
const HANG = 'while :; do sleep 1; done';

let bench: TurnBench;
beforeEach(() => {
  bench = createTurnBench();
});
afterEach(() => bench.remove());

/** Plays a CLI, and lets time pass look by look until its turn is over; after so many looks a person stops it (0: nobody does). */
async function play(
  type: BackendType,
  script: string,
  maxLooks: number,
  watchesLimits = true,
): Promise<{ result: TurnResult; looks: number }> {
  const command = bench.install(type, `#!/bin/sh\n${script}\n`);
  let due: (() => void) | null = null;
  const backend = createBackend(
    { ...SPEC, type, command },
    {
      watchesLimits,
      setTimer: (_at, fire) => {
        due = fire;
        return () => {
          due = null;
        };
      },
    },
  );
  const turn = bench.start(backend);
  await (type === 'qwen' ? turn.heard('session') : turn.heard('started'));
  let looks = 0;
  let isOver = false;
  void turn.result.then(() => {
    isOver = true;
  });
  for (; looks < maxLooks && due !== null && !isOver; looks += 1) {
    (due as () => void)();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (maxLooks > 0) turn.stop(0);
  return { result: await turn.result, looks };
}

it('a quota that opencode tells in its log only ends the turn as a limit', async () => {
  const { result } = await play('opencode', `echo '${QUOTA}' >&2; sleep 0.1; echo '${QUOTA}' >&2; ${HANG}`, 0);
  expect(result.failure).toMatchObject({ class: 'limit', message: 'insufficient_quota' });
});

it('a quota that qwen tells in the record of its conversation only ends the turn as a limit', async () => {
  const chats = '"$HOME/.qwen/projects/$(pwd -P | tr -c "a-zA-Z0-9\\n" -)/chats"';
  const script = `mkdir -p ${chats}; printf '%s\\n%s\\n' '${API_ERROR}' '${API_ERROR}' > ${chats}/s-1.jsonl; echo '${INIT}'; ${HANG}`;
  const { result, looks } = await play('qwen', script, 100);
  expect(result.failure).toMatchObject({ class: 'limit', message: expect.stringContaining('insufficient_quota') });
  expect(looks).toBeLessThan(20);
});

it.each(['opencode', 'qwen'] as const)('%s is ended after 120 s without a word, and that is said', async (type) => {
  const { result, looks } = await play(type, `echo '${INIT}'; ${HANG}`, 100);
  expect(result.failure).toMatchObject({ class: 'limit', message: expect.stringContaining('nothing was heard') });
  expect(looks).toBeGreaterThanOrEqual(24);
});

it('neither a tool at work, nor a model that answers, is silence', async () => {
  const tool = '{"type":"assistant","message":{"id":"1","content":[{"type":"tool_use","id":"t","name":"sh","input":{}}]}}';
  expect((await play('qwen', `echo '${tool}'; echo '${INIT}'; ${HANG}`, 60)).result.status).toBe('stopped');
  const call = 'timestamp=1 level=INFO run=1 message=stream providerID=p small=false agent=build';
  expect((await play('opencode', `echo '${call}' >&2; ${HANG}`, 60)).result.status).toBe('stopped');
});

it('nobody is ended for silence where limits are not looked for', async () => {
  expect((await play('qwen', `echo '${INIT}'; ${HANG}`, 60, false)).result.status).toBe('stopped');
});
