import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { NO_WORK } from '../../core/run/inputs.ts';
import { SAMPLE_PANEL } from '../../core/run/panel-fixtures.ts';
import type { PanelMove, StartRound } from '../../core/run/panel-state.ts';
import type { TurnRequest, TurnResult } from '../../ports/backend.ts';
import type { Program } from '../../ports/program.ts';
import { createFolder, removeFolders } from '../share/share-fixtures.ts';
import { PanelFiles } from './panel-files.ts';
import type { AgentSource, PanelSettings } from './panel-settings.ts';
import { startRound } from './run-round.ts';

let top = '';
beforeEach(() => {
  top = createFolder();
  mkdirSync(join(top, 'run'));
  writeFileSync(join(top, 'run', 'old.ts'), 'x');
});
afterEach(() => {
  vi.useRealTimers();
  removeFolders();
});

type Turn = {
  readonly request: TurnRequest;
  readonly observe: (event: BackendEvent) => void;
  readonly end: (status?: TurnResult['status']) => void;
  readonly stops: number[];
};

/** A panel whose first agent is a program that does what a test makes it do. */
function createPanel(source: Partial<AgentSource> = {}, more: Partial<PanelSettings> = {}) {
  const turns: Turn[] = [];
  const moves: PanelMove[] = [];
  const backend: AgentSource['backend'] = {
    label: 'program',
    start: (request, observe) => {
      let settle: (result: TurnResult) => void = () => undefined;
      const result = new Promise<TurnResult>((resolve) => {
        settle = resolve;
      });
      const end = (status: TurnResult['status'] = 'succeeded'): void =>
        settle({ ...NO_WORK, status, failure: status === 'failed' ? { class: 'agent', message: 'no' } : null, logError: null });
      const stops: number[] = [];
      turns.push({ request, observe, end, stops });
      const stop = (): void => {
        stops.push(1);
        end('stopped');
      };
      return { result, stop, kill: stop };
    },
  };
  const agent: AgentSource = {
    backend,
    isNative: false,
    way: { kind: 'command', command: 'ralph' },
    canResume: false,
    surroundings: async ({ cwd }) => ({ cwd, env: {}, marker: 'm' }),
    priceOf: () => null,
    ...source,
  };
  const place = {
    spec: SAMPLE_PANEL,
    folder: join(top, 'panels'),
    workspace: join(top, 'run'),
    links: [],
    skipped: [],
    mayWrite: () => true,
  };
  const files = new PanelFiles({ ...place, home: '1.1', numbers: [2, 3, 1] }, []);
  const settings = {
    ...{ ...place, label: 'panel', agentAt: () => agent, topics: ['done'], defaultTopic: 'done', publish: () => null },
    ...{ redact: (text: string) => text, shuffle: () => [2, 3, 1], ...more },
  } as unknown as PanelSettings;
  const request = { prompt: 'THE TASK', logs: { capBytes: 1000 } } as unknown as TurnRequest;
  const start = (round: number, order: Partial<StartRound> = {}) => {
    const whole: StartRound = { kind: 'start-round', agent: 0, round, task: 'answer', shown: [], isEnforced: false, ...order };
    return startRound({ settings, request, files, order: whole, move: (move) => void moves.push(move), observe: () => undefined });
  };
  const begin = async (round: number, order: Partial<StartRound> = {}) => {
    const started = start(round, order);
    await vi.waitFor(() => expect(turns.length).toBeGreaterThanOrEqual(round));
    const turn = turns[round - 1];
    if (turn === undefined) throw new Error('no turn');
    return { started, turn };
  };
  return { start, begin, moves };
}

/** Accepts what is handed in, as the loop would. */
async function accept(panel: ReturnType<typeof createPanel>, started: ReturnType<typeof startRound>): Promise<void> {
  const given = await vi.waitFor(() => {
    const move = panel.moves.findLast(({ kind }) => kind === 'answer-given');
    if (move?.kind !== 'answer-given') throw new Error('not yet');
    return move;
  });
  started.reply({
    kind: 'reply',
    agent: 0,
    round: given.round,
    call: given.call,
    isAccepted: true,
    text: 'It is in.',
    revision: given.round,
  });
}

it('ends a program that goes on long after it has handed in, and its round is done', async () => {
  const panel = createPanel();
  const { started, turn } = await panel.begin(1);
  const handing = turn.request.hand?.answer('mine', undefined);
  await vi.waitFor(() => expect(panel.moves.some(({ kind }) => kind === 'answer-given')).toBe(true));
  vi.useFakeTimers();
  await accept(panel, started);
  expect(await handing).toMatchObject({ isAccepted: true });
  await vi.advanceTimersByTimeAsync(14_000);
  expect(turn.stops).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(turn.stops).toEqual([1]);
  vi.useRealTimers();
  expect(await started.ended).toMatchObject({ outcome: 'done', failure: null });
});

it('takes no last words of a program that has handed in, or tried to', async () => {
  const panel = createPanel();
  const { started, turn } = await panel.begin(1);
  const handing = turn.request.hand?.answer('x'.repeat(100_001), undefined);
  expect(await handing).toMatchObject({ isAccepted: false, text: expect.stringContaining('100000 are taken') });
  turn.observe({ type: 'text', text: 'It was refused.' });
  turn.end();
  expect(await started.ended).toMatchObject({ outcome: 'done', finalText: 'It was refused.' });
  expect(panel.moves.filter(({ kind }) => kind === 'answer-given')).toEqual([]);
});

it('reminds a program without a conversation of what it changed and said, and repeats the task', async () => {
  const panel = createPanel();
  const one = await panel.begin(1);
  expect(one.turn.request.prompt).not.toContain('WHAT YOU DID BEFORE');
  writeFileSync(join(one.turn.request.cwd, 'new.ts'), 'y');
  one.turn.observe({ type: 'text', text: `${'a'.repeat(5000)} I am half way.` });
  one.turn.end('stopped');
  await one.started.ended;
  const { turn } = await panel.begin(2);
  expect(turn.request.prompt).toMatch(/^THE TASK\n/);
  const digest = turn.request.prompt.split('## WHAT YOU DID BEFORE\n\n')[1]?.split('## HAND IN')[0] ?? '';
  expect(digest).toMatch(/^Files of your folder that you changed: `new\.ts`\.\n\nYou said last:\n\n```\na+ I am half way\.\n```\n/);
  expect(digest.length).toBeLessThanOrEqual(1500);
  turn.end();
});

it('goes on with the conversation of a program that can, without the task, and begins anew after a failure', async () => {
  const panel = createPanel({ canResume: true });
  const run = async (round: number, session: string, status: TurnResult['status']) => {
    const { started, turn } = await panel.begin(round);
    turn.observe({ type: 'session', sessionId: session, model: null });
    turn.end(status);
    await started.ended;
    return turn.request;
  };
  expect((await run(1, 'abc-1', 'succeeded')).session).toBeUndefined();
  const second = await run(2, 'abc-2', 'succeeded');
  expect([second.session, second.prompt.includes('THE TASK')]).toEqual(['abc-1', false]);
  expect((await run(3, '--dangerous', 'succeeded')).session).toBe('abc-2');
  const fourth = await run(4, 'abc-4', 'failed');
  expect([fourth.session, fourth.prompt.includes('THE TASK')]).toEqual([undefined, true]);
  expect((await run(5, 'abc-5', 'succeeded')).session).toBeUndefined();
});

it('begins anew in a sandbox, in which the conversation is not', async () => {
  const scope = { args: [], env: {}, permissions: 'bypass', prompt: 'any', confine: (program: Program) => program } as const;
  const panel = createPanel({ canResume: true, surroundings: async ({ cwd }) => ({ cwd, env: {}, marker: 'm', scope }) });
  const one = await panel.begin(1);
  one.turn.observe({ type: 'session', sessionId: 'abc', model: null });
  one.turn.end();
  await one.started.ended;
  const { turn } = await panel.begin(2);
  expect(turn.request.session).toBeUndefined();
  expect(readFileSync(join(dirname(turn.request.promptFile), 'prompt.md'), 'utf8')).toContain('THE TASK');
  turn.end();
});

it('tells an agent with its next prompt why its last message was not taken, which nobody else does', async () => {
  const panel = createPanel({ way: { kind: 'words' } });
  const speak = async (round: number, text: string, order: Partial<StartRound>) => {
    const { started, turn } = await panel.begin(round, order);
    if (text !== '') turn.observe({ type: 'text', text });
    turn.end();
    return { started, prompt: turn.request.prompt };
  };
  const vote = { task: 'vote', isEnforced: true, shown: [{ agent: 1, revision: 1 }] } as const;
  const first = await speak(1, 'VOTE: <agent9> it is the best', vote);
  expect(first.prompt).toContain('Your last turn ended without what it was for.\n');
  const move = await vi.waitFor(() => {
    const given = panel.moves.findLast(({ kind }) => kind === 'vote-given');
    if (given?.kind !== 'vote-given') throw new Error('not yet');
    return given;
  });
  const text = 'There is no answer of agent9. There are: agent3.';
  first.started.reply({ kind: 'reply', agent: 0, round: 1, call: move.call, isAccepted: false, text });
  await first.started.ended;
  const second = await speak(2, 'I like the first one.', vote);
  expect(second.prompt).toContain(`Your last turn ended without what it was for. Not taken: ${text}\n`);
  await second.started.ended;
  const third = await speak(3, '', vote);
  expect(third.prompt).toContain(
    'Not taken: Your last message has no line that votes for one of agent3. It is printed as `VOTE: agent3 <why>`.\n',
  );
  await third.started.ended;
  expect((await speak(4, '', vote)).prompt).not.toContain('Not taken');
});

it.each([
  [
    'words',
    undefined,
    'Name what the answer publishes (on a line of its own, such as `PUBLISH: plan.ready`), one of: plan.ready, plan.failed.',
  ],
  ['words', 'plan.red', '"plan.red" is nothing that can be published here. Name what the answer publishes (on a line'],
  ['command', undefined, 'Name what the answer publishes (such as `--topic plan.ready`), one of: plan.ready, plan.failed.'],
  ['command', 'plan.red', '"plan.red" is nothing that can be published here. Name what'],
  ['tools', undefined, 'Name what the answer publishes (`topic`), one of'],
] as const)('says how an answer names what it publishes by %s, where it named %s', async (kind, topic, text) => {
  const way = kind === 'command' ? { kind, command: 'ralph' } : { kind };
  const panel = createPanel({ way }, { topics: ['plan.ready', 'plan.failed'], defaultTopic: null });
  const { started, turn } = await panel.begin(1);
  if (kind === 'words') turn.observe({ type: 'text', text: `It is so.${topic === undefined ? '' : `\nPUBLISH: ${topic}`}` });
  else expect((await turn.request.hand?.answer('It is so.', topic))?.text).toContain(text);
  turn.end();
  await started.ended;
  const next = await panel.begin(2, { isEnforced: true });
  expect(next.turn.request.prompt).toContain(text);
  next.turn.end();
});

it('of an agent that a worker has begins when one has it: until then no time passes for it', async () => {
  const spec = { ...SAMPLE_PANEL, roundTimeoutMs: 5000, graceMs: 1000 };
  const panel = createPanel({ isAway: true }, { spec });
  const { started, turn } = await panel.begin(1);
  vi.useFakeTimers();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([panel.moves, turn.stops]).toEqual([[], []]);
  turn.observe({ type: 'started', pid: null, processStart: null, argv: [], worker: 'w1' });
  expect(panel.moves).toEqual([{ kind: 'round-started', agent: 0, round: 1, worker: 'w1' }]);
  await vi.advanceTimersByTimeAsync(5999);
  expect(turn.stops).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(turn.stops).toEqual([1]);
  vi.useRealTimers();
  expect(await started.ended).toMatchObject({ outcome: 'failed', failure: { class: 'timeout' } });
});

it('of an agent that a worker has is ended where it is stopped and neither the worker nor what comes home of it is done in time', async () => {
  const calls: string[] = [];
  let settle: (result: TurnResult) => void = () => undefined;
  const running = {
    result: new Promise<TurnResult>((resolve) => {
      settle = resolve;
    }),
    stop: (graceMs: number): void => void calls.push(`stop ${graceMs}`),
    kill: (): void => {
      calls.push('kill');
      settle({ ...NO_WORK, status: 'stopped', failure: null, logError: null });
    },
  };
  let isStarted = false;
  const start = () => {
    isStarted = true;
    return running;
  };
  const panel = createPanel({ isAway: true, backend: { label: 'worker', start } });
  const started = panel.start(1);
  await vi.waitFor(() => expect(isStarted).toBe(true));
  vi.useFakeTimers();
  started.stop(2000);
  await vi.advanceTimersByTimeAsync(2000);
  expect(calls).toEqual(['stop 2000']);
  await vi.advanceTimersByTimeAsync(5000);
  vi.useRealTimers();
  expect([calls, await started.ended]).toMatchObject([['stop 2000', 'kill'], { outcome: 'stopped' }]);
});

it('of an agent that workers have says what its prompt is where its conversation is, and where it is not', async () => {
  const panel = createPanel({ isAway: true, canResume: true });
  const first = await panel.begin(1);
  expect(first.turn.request.resumable).toBe(undefined);
  first.turn.observe({ type: 'session', sessionId: 'abc', model: null });
  first.turn.observe({ type: 'text', text: 'I looked.' });
  first.turn.end();
  await vi.waitFor(() => expect(panel.moves.some(({ kind }) => kind === 'answer-given')).toBe(true));
  await accept(panel, first.started);
  await first.started.ended;
  const { request } = (await panel.begin(2)).turn;
  expect([request.prompt, request.session]).toEqual([expect.stringContaining('THE TASK'), undefined]);
  expect(request.prompt).toContain('I looked.');
  expect(request.resumable).toEqual({ session: 'abc', prompt: expect.not.stringMatching(/THE TASK|I looked/) });
});
