/** The contract of the port `Backend`, in its own words (src/ports/backend.ts), for every kind of backend that can run here. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBuiltInTools, createNativeBackend, createScriptedModel, openTools, parseScript } from '../../src/agent/index.ts';
import { createBackend, createScriptedBackend, listBackends } from '../../src/backends/index.ts';
import type { BackendSpec, BackendType } from '../../src/core/backends/backend-spec.ts';
import type { Json } from '../../src/core/values/json.ts';
import { accept } from '../../src/core/values/result.ts';
import type { Backend } from '../../src/ports/backend.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createTurnBench, type TurnBench } from './turn-bench.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const REPLAY = at('./agents/replay-agent.mjs');
const ACP_AGENT = at('./agents/acp-agent.mjs');
const SPEC: Pick<BackendSpec, 'args' | 'env' | 'permissions'> = { args: [], env: {}, permissions: 'bypass' };

let bench: TurnBench;
beforeEach(() => {
  bench = createTurnBench();
});
afterEach(() => bench.remove());

/** A kind of backend, and how to have it answer, fail and hang. */
interface Kind {
  readonly name: string;
  readonly answer: () => Backend;
  readonly fail: () => Backend;
  readonly hang: () => Backend;
  /** An event that a hanging agent is known to tell. */
  readonly sign: 'started' | 'text';
  /** Absent where no program is started. */
  readonly missing?: () => Backend;
}

function custom(script: string): Backend {
  return createBackend({ ...SPEC, type: 'custom', command: bench.install('agent.sh', `#!/bin/sh\n${script}\n`) });
}

function replaying(type: BackendType, scenario: string, ending: string): Backend {
  const file = (name: string): string => at(`../../fixtures/transcripts/${type}/${name}.stdout.jsonl`);
  const transcript = existsSync(file(scenario)) ? file(scenario) : '/dev/null';
  const command = bench.install(
    type,
    `#!/bin/sh\nexec "${process.execPath}" "${REPLAY}" "${transcript}" ${ending} "${bench.folder}/given.json" "$@"\n`,
  );
  return createBackend({ ...SPEC, type, command });
}

/** The native agent with real tools, and a model that plays these steps. */
function native(...steps: Json[]): Backend {
  const script = parseScript({ turns: [{ steps }] });
  if (!script.ok) throw new Error(script.refused);
  const workspace = `${bench.folder}/work`;
  return createNativeBackend({
    label: 'native:scripted',
    hat: 'builder',
    key: 'scripted',
    context: 'fresh',
    limits: {
      maxSteps: 10,
      maxCostUsd: null,
      maxOutputTokens: null,
      contextTokens: 100_000,
      retry: { maxAttempts: 1, baseMs: 1, maxMs: 1 },
    },
    createModel: (place) => createScriptedModel(script.value, place),
    openTools: async (request, signal) =>
      openTools(
        {
          tools: createBuiltInTools([]),
          policy: null,
          workspace,
          stateDir: `${workspace}/.ralph`,
          scratchpad: `${workspace}/.agent/scratchpad.md`,
          quality: {},
          publishes: [],
          publish: async (topic) => accept(topic),
          search: null,
          allowedPrivateHosts: [],
          close: async () => undefined,
        },
        request,
        signal,
      ),
    priceOf: () => null,
  });
}

function acp(mode: string): Backend {
  return createBackend({ ...SPEC, type: 'acp', command: process.execPath, args: [ACP_AGENT, mode] });
}

const CLOCK: Clock = {
  now: Date.now,
  setTimer(dueAt, fire) {
    const timer = setTimeout(fire, dueAt - Date.now());
    return () => clearTimeout(timer);
  },
};

const STREAMED = listBackends().filter(({ type }) => existsSync(at(`../../fixtures/transcripts/${type}/success.stdout.jsonl`)));
const KINDS: readonly Kind[] = [
  {
    name: 'scripted',
    answer: () => createScriptedBackend([{ output: 'Done.' }], { clock: CLOCK }),
    fail: () => createScriptedBackend([{ exitCode: 3 }], { clock: CLOCK }),
    hang: () => createScriptedBackend([{ hang: true }], { clock: CLOCK }),
    sign: 'started',
  },
  {
    name: 'native',
    answer: () => native({ calls: [{ tool: 'bash', args: { command: 'true' } }] }, { text: 'Done.' }),
    fail: () => native({ fail: { class: 'auth', message: 'no key' } }),
    hang: () => native({ text: 'waiting', calls: [{ tool: 'bash', args: { command: 'sleep 600 & sleep 600' } }] }),
    sign: 'text',
  },
  {
    name: 'custom',
    answer: () => custom('echo Done.'),
    fail: () => custom('echo oh no >&2; exit 3'),
    hang: () => custom('sleep 600 & echo waiting; sleep 600'),
    sign: 'text',
    missing: () => createBackend({ ...SPEC, type: 'custom', command: './nowhere.sh' }),
  },
  {
    name: 'acp',
    answer: () => acp('answer'),
    fail: () => acp('refuse'),
    hang: () => acp('hang'),
    sign: 'started',
    missing: () => createBackend({ ...SPEC, type: 'acp', command: 'no-such-agent' }),
  },
  ...STREAMED.map(
    ({ type }): Kind => ({
      name: type,
      answer: () => replaying(type, 'success', '0'),
      fail: () => replaying(type, 'error-auth', '1'),
      hang: () => replaying(type, 'hang', 'stay'),
      sign: 'started',
      missing: () => createBackend({ ...SPEC, type, command: 'no-such-agent' }),
    }),
  ),
];

it('is run against every kind that has a recorded stream', () => {
  expect(STREAMED.map(({ type }) => type)).toEqual(
    listBackends()
      .filter(({ tried }) => tried !== null)
      .map(({ type }) => type),
  );
});

describe.each(KINDS)('a $name backend', ({ answer, fail, hang, sign, missing }) => {
  it('starts at once, tells its start first and everything before its one result', async () => {
    const turn = bench.start(answer());
    expect(turn.events).toEqual([]);
    const result = await turn.settled();
    expect(result).toMatchObject({ status: 'succeeded', failure: null, producedOutput: true, logError: null });
    expect(turn.events[0]?.type).toBe('started');
    expect(turn.events.filter(({ type }) => type === 'started')).toHaveLength(1);
    expect(turn.text()).not.toBe('');
    expect(turn.events.at(-1)?.type).not.toBe('started');
  });

  it('tells a failure in its result', async () => {
    const result = await bench.start(fail()).settled();
    expect(result.status).toBe('failed');
    expect(result.failure?.message).not.toBe('');
  });

  it('is stopped, however often it is told to, and leaves nothing alive', async () => {
    const turn = bench.start(hang());
    await turn.heard(sign);
    turn.stop(2000);
    turn.stop(1);
    turn.kill();
    turn.stop(0);
    expect(await turn.settled()).toMatchObject({ status: 'stopped', failure: null });
    turn.stop(0);
    turn.kill();
    expect(bench.alive()).toBe(0);
  });

  it('is killed at once', async () => {
    const turn = bench.start(hang());
    await turn.heard(sign);
    const started = performance.now();
    turn.kill();
    expect((await turn.settled()).status).toBe('stopped');
    expect(performance.now() - started).toBeLessThan(4000);
    expect(bench.alive()).toBe(0);
  });

  it('may be stopped before it has begun', async () => {
    const turn = bench.start(hang());
    turn.stop(500);
    expect((await turn.settled()).status).toBe('stopped');
    expect(bench.alive()).toBe(0);
  });

  it('is ended by its timeout', async () => {
    const result = await bench.start(hang(), { timeoutMs: 700 }).settled();
    expect(result).toMatchObject({ status: 'failed', failure: { class: 'timeout' } });
    expect(bench.alive()).toBe(0);
  });

  it('is not disturbed by a subscriber that throws', async () => {
    const turn = bench.start(answer(), {}, () => {
      throw new Error('not my problem');
    });
    expect((await turn.settled()).status).toBe('succeeded');
  });

  it.runIf(missing !== undefined)('tells in its result that there is no such program', async () => {
    const turn = bench.start((missing as () => Backend)());
    turn.stop(0);
    turn.kill();
    const result = await turn.settled();
    expect(result).toMatchObject({ status: 'failed', failure: { class: 'spawn' }, exitCode: null, producedOutput: false });
    expect(turn.events).toEqual([]);
  });
});

describe('an adapter of a CLI', () => {
  const given = (): { args: string[]; stdin: string; env: Record<string, string> } => JSON.parse(bench.read('given.json'));

  it.each(STREAMED.map(({ type }) => type))('hands the prompt to %s and closes its standard input', async (type) => {
    await bench.start(replaying(type, 'success', '0')).result;
    const { args, stdin, env } = given();
    // It quotes and escapes an argument before its model reads it.
    expect([args.indexOf('Do it'), stdin]).toEqual(type === 'opencode' ? [-1, 'Do it'] : [args.length - 1, '']);
    expect(env['RALPH_HAT']).toBe('builder');
  });

  it.each(STREAMED.map(({ type }) => type))('hands a prompt of 300 KB to %s whole', async (type) => {
    const prompt = `${'word '.repeat(60_000)}end`;
    const result = await bench.start(replaying(type, 'success', '0'), { prompt }).result;
    expect(result.status).toBe('succeeded');
    const { args, stdin } = given();
    if (type === 'cline') expect(args.join(' ')).toContain(`${bench.folder}/prompt.md`);
    else expect(stdin === prompt && !args.includes(prompt)).toBe(true);
  });

  it('tells its command line without the prompt', async () => {
    const prompt = 'A prompt that is long enough to be known again.';
    const turn = bench.start(replaying('claude', 'success', '0'), { prompt });
    await turn.result;
    const started = turn.events.find((event) => event.type === 'started');
    expect(started?.argv.at(-1)).toBe('<prompt>');
    expect(started?.processStart).not.toBeNull();
  });

  it('merges what a CLI needs into the environment', async () => {
    await bench.start(replaying('opencode', 'success', '0')).result;
    expect(JSON.parse(given().env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({ permission: 'allow' });
  });

  it("lets a hat's own variables through, but not over those of Ralph", async () => {
    const backend = replaying('claude', 'success', '0');
    const spec: BackendSpec = {
      ...SPEC,
      type: 'claude',
      command: `${bench.folder}/claude`,
      env: { IS_SANDBOX: 'mine', RALPH_HAT: 'ralph' },
    };
    expect(backend.label).toBe('claude');
    await bench.start(createBackend(spec)).result;
    expect(given().env).toMatchObject({ IS_SANDBOX: 'mine', RALPH_HAT: 'builder' });
  });

  it('fails where the stream ends before its final event, though the exit code is 0', async () => {
    const result = await bench.start(replaying('claude', 'hang', '0')).settled();
    expect(result).toMatchObject({ status: 'failed', exitCode: 0, failure: { class: 'agent' } });
  });

  it('has succeeded where its agent said so and then ended badly, with a warning', async () => {
    const turn = bench.start(replaying('claude', 'success', '1'));
    expect(await turn.settled()).toMatchObject({ status: 'succeeded', exitCode: 1 });
    expect(turn.events.at(-1)).toMatchObject({ type: 'warning', message: expect.stringContaining('exit code 1') });
  });
});

describe('an agent that has finished and does not leave', () => {
  it('is ended, and its turn has succeeded', async () => {
    replaying('claude', 'success', 'stay');
    const backend = createBackend({ ...SPEC, type: 'claude', command: `${bench.folder}/claude` }, { lingerMs: 200 });
    const turn = bench.start(backend);
    const result = await turn.settled();
    expect(result).toMatchObject({ status: 'succeeded', failure: null });
    expect(result.durationMs).toBeLessThan(5000);
    expect(turn.events.at(-1)).toMatchObject({ type: 'warning', message: expect.stringContaining('did not exit') });
    expect(bench.alive()).toBe(0);
  });

  it('is told so quietly over ACP, where some never leave', async () => {
    const turn = bench.start(acp('stay'));
    expect(await turn.settled()).toMatchObject({ status: 'succeeded' });
    expect(turn.events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(bench.alive()).toBe(0);
  });
});

describe('an ACP agent', () => {
  it('is allowed what it asks for, and tells tools, usage and session', async () => {
    const turn = bench.start(acp('answer'));
    const result = await turn.settled();
    expect(result).toMatchObject({ sessionId: 'session-1', toolCalls: 1, usage: { inputTokens: 10, outputTokens: 5 }, leftovers: 0 });
    expect(turn.text()).toBe('I will ask.Allowed.');
    expect(turn.events.filter(({ type }) => type === 'message-end')).toHaveLength(2);
  });

  it('is refused it under default permissions', async () => {
    const backend = createBackend({ ...SPEC, permissions: 'default', type: 'acp', command: process.execPath, args: [ACP_AGENT, 'answer'] });
    const turn = bench.start(backend);
    expect((await turn.settled()).status).toBe('succeeded');
    expect(turn.text()).toContain('Refused.');
  });

  it('without a login fails as auth', async () => {
    expect((await bench.start(acp('refuse')).settled()).failure?.class).toBe('auth');
  });

  it('that hears nothing is ended by force', async () => {
    const turn = bench.start(acp('deaf'));
    await turn.heard('session');
    turn.stop(500);
    expect((await turn.settled()).status).toBe('stopped');
    expect(bench.alive()).toBe(0);
  });
});

describe('auto', () => {
  it('is the first CLI that the path of the turn holds', async () => {
    replaying('codex', 'success', '0');
    const turn = bench.start(createBackend({ ...SPEC, type: 'auto' }), { env: { PATH: `${bench.folder}:/usr/bin:/bin` } });
    expect((await turn.settled()).status).toBe('succeeded');
    expect(turn.events.find((event) => event.type === 'started')?.argv.slice(0, 2)).toEqual(['codex', 'exec']);
  });

  it('says what it looked for when there is none', async () => {
    const result = await bench.start(createBackend({ ...SPEC, type: 'auto' }), { env: { PATH: bench.folder } }).settled();
    expect(result).toMatchObject({ status: 'failed', failure: { class: 'spawn', message: expect.stringContaining('claude') } });
  });
});
