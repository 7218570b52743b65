import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { TurnRequest } from '../../ports/backend.ts';
import type { Model, ModelMessage, ModelStep } from '../../ports/model.ts';
import { findSession } from '../session/find-session.ts';
import { createTurnWords } from '../session/turn-words.ts';
import type { CallOutcome } from '../tool/tool.ts';
import { type NativeAgent, runNativeTurn } from './run-native-turn.ts';
import { callAll, makeNativeAgent, makeTurn, say } from './turn-fixtures.ts';

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
  void runNativeTurn(agent, makeRequest(1), { ...NOTHING, signal: stopper.signal, words: createTurnWords(), givenUp });
  await asked;
  stopper.abort('timeout');
  giveUp();
  await new Promise((resolve) => setImmediate(resolve));
  const last = readFileSync(join(turnsDir, '1.1', 'session.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .at(-1);
  expect(JSON.parse(last ?? '')).toMatchObject({ type: 'end', status: 'failed', failure: { class: 'timeout' } });
  expect(findSession({ turnsDir, turn: '2.1', hat: 'a', key: 'k', context: 'fresh' }).isContinuation).toBe(false);
});

it('closes its tools where the session cannot be written', async () => {
  const { agent, closed } = makeAgent(async () => ({ ok: false, failure: { class: 'other', message: 'never asked' } }));
  const request = makeRequest(1);
  writeFileSync(join(turnsDir, '1.1', 'session.jsonl'), '');
  const watch = { ...NOTHING, signal: new AbortController().signal, words: createTurnWords(), givenUp: new Promise(() => undefined) };
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
  const watch = () => ({
    ...NOTHING,
    signal: new AbortController().signal,
    words: createTurnWords(),
    givenUp: new Promise(() => undefined),
  });
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

it('says that nobody answers questions, unless the hat may ask people', async () => {
  for (const mayAsk of [false, true]) {
    const systems: string[] = [];
    const { agent } = makeAgent(async ({ system }) => {
      systems.push(system);
      return say('Done.');
    });
    const tools = makeTurn([]).parts.tools;
    const offered = mayAsk ? [{ name: 'ask_person', description: '', parameters: {} }] : [];
    const openTools = async () => ({ ...tools, tools: [...tools.tools, ...offered] });
    const watch = { ...NOTHING, signal: new AbortController().signal, words: createTurnWords(), givenUp: new Promise(() => undefined) };
    await runNativeTurn({ ...agent, openTools }, makeRequest(mayAsk ? 2 : 1), watch);
    expect([systems[0]?.includes('Nobody answers questions'), systems[0]?.includes('`ask_person`')]).toEqual([!mayAsk, mayAsk]);
  }
});

/** What the model says, by how many answers the conversation holds. */
const ANSWERS = [callAll('look', 'look'), callAll('change', 'change'), callAll('publish'), say('Done.')];

/** What was run, in its order; `seen` holds what the model was given last. */
interface Runner {
  readonly ran: string[];
  readonly seen: () => readonly ModelMessage[];
  /** All that it said. */
  readonly said: () => string;
  readonly run: (iteration: number, answers?: readonly ModelStep[], request?: Partial<TurnRequest>) => Promise<string>;
}

/** An agent whose tool `read` remembers a file, and whose tool `publish` publishes `done`. */
function createRunner(): Runner {
  const ran: string[] = [];
  let seen: readonly ModelMessage[] = [];
  let said = '';
  const { tools, limits } = makeTurn([]).parts;
  const reads = new Map();
  const call = async (name: string): Promise<CallOutcome> => {
    ran.push(name);
    if (name === 'look') reads.set('/file', { mtimeMs: 1, sizeBytes: 2, sha256: 'x' });
    const outcome = { kind: 'ran', text: `${name} ran`, isError: false } as const;
    return name.startsWith('publish') ? { ...outcome, report: { kind: 'published', topic: name.slice(8) || 'done' } } : outcome;
  };
  const toModel = (answers: readonly ModelStep[]): Model => ({
    label: 'test/model',
    step: async ({ messages }) => {
      seen = [...messages];
      return answers[messages.filter(({ role }) => role === 'assistant').length] ?? say('Nothing is left.');
    },
  });
  return {
    ran,
    seen: () => seen,
    said: () => said,
    run: async (iteration, answers = ANSWERS, request = {}) => {
      reads.clear();
      const agent = makeNativeAgent({ limits, createModel: () => toModel(answers), openTools: async () => ({ ...tools, reads, call }) });
      const tell = (event: BackendEvent): void => {
        if (event.type === 'text') said += event.text;
      };
      const watch = { begin: () => undefined, tell, signal: new AbortController().signal };
      const { status } = await runNativeTurn(
        agent,
        { ...toRequest(iteration), ...request },
        { ...watch, words: createTurnWords(), givenUp: new Promise(() => undefined) },
      );
      return reads.has('/file') ? `${status}, knows the file` : status;
    },
  };
}

function toRequest(iteration: number): TurnRequest {
  const folder = join(turnsDir, `${iteration}.1`);
  mkdirSync(folder);
  const logs = { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log') };
  return { turn: { iteration, attempt: 1 }, prompt: 'Do it', cwd: turnsDir, env: {}, marker: '', logs } as unknown as TurnRequest;
}

const toFile = (iteration: number): string => join(turnsDir, `${iteration}.1`, 'session.jsonl');
const readLines = (iteration: number): readonly string[] => readFileSync(toFile(iteration), 'utf8').trimEnd().split('\n');
const cut = (iteration: number, lines: readonly string[]): void =>
  writeFileSync(toFile(iteration), lines.map((line) => `${line}\n`).join(''));
const count = (ran: readonly string[], name: string): number => ran.filter((entry) => entry === name).length;

/** The session of a turn that came to its end, without the line that says so. */
async function recordWhole(): Promise<readonly string[]> {
  await createRunner().run(1);
  return readLines(1).slice(0, -1);
}

/** The same, as it was before its last answer. */
async function recordPublished(): Promise<readonly string[]> {
  const lines = await recordWhole();
  return lines.slice(0, lines.findLastIndex((line) => line.includes('"tool-result"')) + 1);
}

/** The same answer, with these words before its calls. */
function withWords(text: string, step: ModelStep): ModelStep {
  return step.ok ? { ...step, message: { ...step.message, parts: [{ type: 'text', text }, ...step.message.parts] } } : step;
}

/** What the model says up to its last answer. */
const BEFORE_LAST = ANSWERS.slice(0, -1);

describe('a turn that was killed', () => {
  it('is brought to the same end, wherever it was killed: what changes runs once, and the event is published', async () => {
    const lines = await recordWhole();
    for (let length = 1; length <= lines.length; length += 1) {
      rmSync(turnsDir, { recursive: true });
      mkdirSync(join(turnsDir, '1.1'), { recursive: true });
      cut(1, lines.slice(0, length));
      const done = lines.slice(0, length).map((line) => JSON.parse(line));
      const begun = done.filter(({ type, name }) => type === 'tool-start' && name === 'change').length;
      const runner = createRunner();
      expect(await runner.run(2)).toBe('succeeded, knows the file');
      expect(count(runner.ran, 'publish')).toBe(1);
      expect(count(runner.ran, 'change')).toBe(2 - begun);
    }
  });

  it('is told that nobody knows whether a call took effect that must not be made twice', async () => {
    const lines = await recordWhole();
    cut(1, lines.slice(0, lines.findIndex((line) => line.includes('"tool-start","id":"change-2"')) + 1));
    const runner = createRunner();
    await runner.run(2);
    expect(runner.ran).toEqual(['publish']);
    expect(JSON.stringify(runner.seen())).toMatch(/change ran.*whether it took effect is not known/);
  });

  it('twice, the second time before its event was published again, has it published by the third', async () => {
    const lines = await recordWhole();
    cut(1, lines);
    await createRunner().run(2);
    cut(
      2,
      readLines(2).filter((line) => !/"tool-|"end"/.test(line)),
    );
    const runner = createRunner();
    await runner.run(3);
    expect(runner.ran).toEqual(['publish']);
  });

  it('twice, having published both times, has it published once by the third', async () => {
    cut(1, await recordPublished());
    await createRunner().run(2, [...BEFORE_LAST, callAll('publish'), say('Published again.')]);
    const lines = readLines(2);
    cut(2, lines.slice(0, lines.findLastIndex((line) => line.includes('"tool-result"')) + 1));
    const runner = createRunner();
    await runner.run(3, [...BEFORE_LAST, callAll('publish'), say('Done.')]);
    expect(runner.ran).toEqual(['publish']);
  });

  it('publishes once where the model does it again itself', async () => {
    cut(1, await recordPublished());
    const runner = createRunner();
    await runner.run(2, [...BEFORE_LAST, callAll('publish'), say('Published again.')]);
    expect(runner.ran).toEqual(['publish']);
  });

  it.each([
    ['by a tool', [callAll('publish-other'), say('It was not done.')], ['publish-other']],
    ['by words', [say('It was not done.\nEVENT:failed')], []],
  ])('publishes what it says now where it has thought again, %s', async (_, more, ran) => {
    cut(1, await recordPublished());
    const runner = createRunner();
    await runner.run(2, [...BEFORE_LAST, ...more]);
    expect(runner.ran).toEqual(ran);
  });

  it('after its last word, before the loop knew of it, has its event published by the next', async () => {
    await createRunner().run(1);
    const runner = createRunner();
    await runner.run(2, ANSWERS, { interruptions: 1 });
    expect(runner.ran).toEqual(['publish']);
    expect(runner.said()).toBe('Done.');
    expect(runner.seen()).toEqual([]);
  });

  describe('with an event that stands in its words, not in its last ones,', () => {
    const SPOKEN = [withWords('It works.\nEVENT:done', callAll('change')), say('All is well.')];

    it('says it once more in its continuation, and its last words behind it', async () => {
      await createRunner().run(1, SPOKEN);
      const lines = readLines(1).slice(0, -1);
      for (const kept of [lines, lines.slice(0, lines.findLastIndex((line) => line.includes('"tool-result"')) + 1)]) {
        rmSync(join(turnsDir, '2.1'), { recursive: true, force: true });
        cut(1, kept);
        const runner = createRunner();
        expect(await runner.run(2, SPOKEN)).toBe('succeeded');
        expect(runner.said()).toMatch(/^It works\.\nEVENT:doneAll is well\.$/);
        expect(runner.ran).toEqual([]);
      }
    });

    it.each([
      ['says it again', [say('EVENT:done')]],
      ['says another', [say('EVENT:failed')]],
      ['publishes another', [callAll('publish-failed'), say('It was not done.')]],
    ])('says it no more where the continuation %s', async (_, more) => {
      await createRunner().run(1, SPOKEN);
      cut(1, readLines(1).slice(0, readLines(1).findLastIndex((line) => line.includes('"tool-result"')) + 1));
      const runner = createRunner();
      await runner.run(2, [...SPOKEN.slice(0, -1), ...more]);
      expect(runner.said()).not.toContain('It works.');
    });
  });

  it('after its last word, which was the promise, is not done a second time', async () => {
    const answers = [callAll('change'), say('All is done.\nLOOP_COMPLETE')];
    await createRunner().run(1, answers);
    const runner = createRunner();
    await runner.run(2, answers, { interruptions: 1 });
    expect([runner.ran, runner.said(), runner.seen()]).toEqual([[], 'All is done.\nLOOP_COMPLETE', []]);
  });

  it('and came to no end in its continuation publishes nothing', async () => {
    cut(1, await recordPublished());
    const runner = createRunner();
    expect(await runner.run(2, [...BEFORE_LAST, { ok: false, failure: { class: 'auth', message: 'no' } }])).toMatch('failed');
    expect(runner.ran).toEqual([]);
  });
});

it('a turn that begins anew publishes nothing of the one before, which came to its end', async () => {
  await createRunner().run(1);
  const runner = createRunner();
  await runner.run(2, [say('Nothing.')]);
  expect(runner.ran).toEqual([]);
});
