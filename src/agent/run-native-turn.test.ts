import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../core/index.ts';
import type { Model, TurnRequest } from '../ports/index.ts';
import { findSession } from './find-session.ts';
import { type NativeAgent, runNativeTurn } from './run-native-turn.ts';
import { makeNativeAgent, makeTurn } from './turn-fixtures.ts';

let turnsDir: string;
beforeEach(() => {
  turnsDir = mkdtempSync(join(tmpdir(), 'ralph-turns-'));
});
afterEach(() => rmSync(turnsDir, { recursive: true, force: true }));

/** An agent of the hat `a` with this model; `closed` counts how often its tools were closed. */
function makeAgent(step: Model['step']): { readonly agent: NativeAgent; readonly closed: string[] } {
  const { tools, limits } = makeTurn([]).parts;
  const closed: string[] = [];
  const agent = makeNativeAgent({
    limits,
    createModel: () => ({ label: 'test/model', step }),
    openTools: async () => ({ ...tools, close: async () => void closed.push('closed') }),
  });
  return { agent, closed };
}

function makeRequest(iteration: number): TurnRequest {
  const folder = join(turnsDir, `${iteration}.1`);
  mkdirSync(folder);
  return {
    turn: { iteration, attempt: 1 },
    prompt: 'Do it',
    cwd: turnsDir,
    env: {},
    marker: '',
    logs: { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log') },
    timeoutMs: 60_000,
    idleTimeoutMs: 60_000,
  } as unknown as TurnRequest;
}

const NOTHING = { begin: () => undefined, tell: () => undefined };

it('a turn that is given up after a timeout has its end in the session, and no other turn goes on with it', async () => {
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const { agent } = makeAgent(() => {
    isAsked();
    return new Promise(() => undefined);
  });
  const stopper = new AbortController();
  let giveUp = (): void => undefined;
  const givenUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  void runNativeTurn(agent, makeRequest(1), { ...NOTHING, signal: stopper.signal, givenUp });
  await asked;
  stopper.abort('timeout');
  giveUp();
  await new Promise((resolve) => setImmediate(resolve));
  const last = readFileSync(join(turnsDir, '1.1', 'session.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .at(-1);
  expect(JSON.parse(last ?? '')).toMatchObject({ type: 'end', status: 'failed', failure: { class: 'timeout' } });
  expect(findSession({ turnsDir, turn: '2.1', hat: 'a', key: 'k', context: 'fresh' }).isTakenUp).toBe(false);
});

it('closes its tools where the session cannot be written', async () => {
  const { agent, closed } = makeAgent(async () => ({ ok: false, failure: { class: 'other', message: 'never asked' } }));
  const request = makeRequest(1);
  writeFileSync(join(turnsDir, '1.1', 'session.jsonl'), '');
  const watch = { ...NOTHING, signal: new AbortController().signal, givenUp: new Promise(() => undefined) };
  await expect(runNativeTurn(agent, request, watch)).rejects.toThrow(/EEXIST/);
  expect(closed).toEqual(['closed']);
});

it('a turn that a limit ended says what it did, and the next one of its hat begins with that', async () => {
  const prompts: string[] = [];
  const { agent } = makeAgent(async ({ messages }) => {
    prompts.push(JSON.stringify(messages[0]));
    const call = {
      type: 'tool-call' as const,
      id: `c${prompts.length}`,
      name: 'write_file',
      args: { path: `src/file-${prompts.length}.ts` },
    };
    const parts = [{ type: 'text' as const, text: `I write part ${prompts.length}.` }, call];
    return { ok: true, message: { role: 'assistant', parts }, finish: 'tool-calls', usage: UNKNOWN_USAGE, responseId: null, model: null };
  });
  const limits = { ...agent.limits, maxSteps: 2 };
  const watch = () => ({ ...NOTHING, signal: new AbortController().signal, givenUp: new Promise(() => undefined) });
  const end = await runNativeTurn({ ...agent, limits }, makeRequest(1), watch());
  expect(end).toMatchObject({
    status: 'failed',
    failure: {
      class: 'agent',
      message: expect.stringMatching(/max_steps.*written src\/file-1\.ts, src\/file-2\.ts; its last words: "I write part 2\."/),
    },
  });
  await runNativeTurn({ ...agent, limits }, makeRequest(2), watch());
  expect(prompts[0]).not.toContain('What was done before');
  expect(prompts[2]).toMatch(/Do it.*What was done before.*I write part 2\./);
});
