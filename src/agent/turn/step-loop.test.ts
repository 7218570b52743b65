import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Json } from '../../core/values/json.ts';
import type { ModelMessage, ModelStep, ToolAnswer } from '../../ports/model.ts';
import { foldTranscript, NO_MEMORY } from '../session/transcript.ts';
import { planCacheMarks, runSteps } from './step-loop.ts';
import { callAll, failing, makeTurn, numbered, say } from './turn-fixtures.ts';

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

const resultsOf = (turn: ReturnType<typeof makeTurn>): readonly string[] =>
  turn.state.messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ text }: ToolAnswer) => text) : []));

describe('the steps of a turn', () => {
  it('go on until the model calls no tool', async () => {
    const turn = makeTurn([callAll('look'), callAll('change', 'look'), say('Done.')]);
    expect(await runSteps(turn.parts, turn.state)).toEqual({ status: 'succeeded', failure: null });
    expect(turn.state).toMatchObject({ steps: 3, toolCalls: 3, hasSpoken: true });
    expect(turn.state.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
  });

  it('run calls that only read at the same time, and give their results in the order of the calls', async () => {
    const ended: string[] = [];
    let begun = 0;
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => (release = resolve));
    const run = async (_: string, args: unknown) => {
      const { path } = args as { path: string };
      begun += 1;
      if (begun === 2) release();
      await both;
      if (path === 'file-1') for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      ended.push(path);
      return { text: path, isError: false };
    };
    const turn = makeTurn([callAll('look', 'look')], { run });
    await runSteps(turn.parts, turn.state);
    expect(ended).toEqual(['file-2', 'file-1']);
    expect(resultsOf(turn)).toEqual(['file-1', 'file-2']);
  });

  it('run calls one after the other where one of them changes something', async () => {
    const log: string[] = [];
    const run = async (name: string) => {
      log.push(`+${name}`);
      await Promise.resolve();
      log.push(`-${name}`);
      return { text: name, isError: false };
    };
    const turn = makeTurn([callAll('look', 'change', 'look')], { run });
    await runSteps(turn.parts, turn.state);
    expect(log).toEqual(['+look', '-look', '+change', '-change', '+look', '-look']);
  });

  it('are asked with the same tools from the first to the last, whatever comes in between', async () => {
    const afterAll = async () => ({ hooks: [], notes: ['NOTE'], messages: ['WORD'], denied: null });
    const turn = makeTurn([callAll('look'), callAll('change', 'look'), callAll('look'), say('Done.')]);
    const parts = { ...turn.parts, limits: { ...turn.parts.limits, maxSteps: 4 }, tools: { ...turn.parts.tools, afterAll } };
    await runSteps(parts, turn.state);
    const [first, ...others] = turn.requests.map(({ tools }) => JSON.stringify(tools));
    expect(others).toEqual([first, first, first]);
  });

  it('are never asked for behind the words of the agent: every request ends with ours', async () => {
    const breaksOff: Parameters<typeof makeTurn>[0][number] = (_, observe) => {
      observe({ type: 'text', text: 'It is' });
      return failing('transient');
    };
    const replies = [callAll('look'), say(''), callAll('change'), say('It was', { finish: 'length' }), breaksOff, say('Done.')];
    const turn = makeTurn(replies);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(turn.requests.map(({ messages }) => messages.at(-1)?.role)).toEqual(['user', 'tool', 'user', 'tool', 'user', 'user']);
  });

  it('end at the step limit, of which the agent is told beforehand', async () => {
    const turn = makeTurn(
      Array.from({ length: 20 }, () => callAll('look')),
      { run: numbered('result') },
    );
    const limits = { ...turn.parts.limits, maxSteps: 5 };
    const end = await runSteps({ ...turn.parts, limits }, turn.state);
    expect(end).toMatchObject({ status: 'failed', failure: { class: 'agent', message: expect.stringContaining('max_steps') } });
    expect(turn.requests).toHaveLength(5);
    expect(JSON.stringify(turn.requests[2]?.messages.at(-1))).toContain('3 steps are left');
  });

  it('have no limit of their own, as long as they go on', async () => {
    const turn = makeTurn(
      Array.from({ length: 150 }, () => callAll('look')),
      { run: numbered('result') },
    );
    expect(await runSteps({ ...turn.parts, limits: { ...turn.parts.limits, maxSteps: null } }, turn.state)).toMatchObject({
      status: 'succeeded',
    });
    expect(turn.requests).toHaveLength(151);
  });

  it('end at the limit of cost, by the price of each answer', async () => {
    const usage = { ...UNKNOWN_USAGE, inputTokens: 10, outputTokens: 1 };
    const paid = { ...(callAll('look') as object), usage } as ReturnType<typeof callAll>;
    const turn = makeTurn([paid, paid, paid], { priceOf: () => 0.4 });
    const end = await runSteps({ ...turn.parts, limits: { ...turn.parts.limits, maxCostUsd: 0.7 } }, turn.state);
    expect(end).toMatchObject({ status: 'failed', failure: { message: 'the turn has cost $0.80, and max_cost is $0.7' } });
    expect(turn.state.usage).toMatchObject({ inputTokens: 20, outputTokens: 2, costUsd: 0.8 });
  });

  it('say once that a limit of cost cannot hold where nobody knows the price', async () => {
    const turn = makeTurn([callAll('look'), callAll('look')]);
    await runSteps({ ...turn.parts, limits: { ...turn.parts.limits, maxCostUsd: 1 } }, turn.state);
    expect(turn.events.filter(({ type }) => type === 'warning')).toHaveLength(1);
  });

  it('end when the turn is stopped: what was not begun is not run, and its result says so', async () => {
    const turn = makeTurn([callAll('change', 'change')], {
      run: async (name) => {
        turn.stopper.abort();
        return { text: `${name} ran`, isError: false };
      },
    });
    expect(await runSteps(turn.parts, turn.state)).toEqual({ status: 'stopped', failure: null });
    expect(resultsOf(turn)).toEqual(['change ran', expect.stringContaining('nothing was done')]);
    expect(turn.requests).toHaveLength(1);
  });

  it('are in the transcript, line by line, before the next call is made', async () => {
    const seen: string[][] = [];
    const look = (): ReturnType<typeof say> => {
      seen.push(turn.lines.map(({ type }) => type));
      return seen.length === 1 ? callAll('look') : say('Done.');
    };
    const turn = makeTurn([look, look]);
    await runSteps(turn.parts, turn.state);
    expect(seen[1]).toEqual(['usage', 'message', 'tool-start', 'tool-result']);
  });
});

describe('an agent that goes in a circle', () => {
  const lastText = (turn: ReturnType<typeof makeTurn>, request: number): string => JSON.stringify(turn.requests[request]?.messages.at(-1));

  it('is told after the same call had the same result three times, and ended after five', async () => {
    const turn = makeTurn(Array.from({ length: 20 }, () => callAll('look')));
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({
      status: 'failed',
      isLimited: true,
      failure: { class: 'agent', message: expect.stringContaining('look with the same arguments had the same result 5 times') },
    });
    expect(turn.requests).toHaveLength(5);
    expect(lastText(turn, 2)).not.toContain('same result');
    expect(lastText(turn, 3)).toContain('3 times');
  });

  it('is found where two calls alternate, too', async () => {
    const turn = makeTurn(Array.from({ length: 30 }, (_, index) => callAll(index % 2 === 0 ? 'look' : 'change')));
    const limits = { ...turn.parts.limits, maxSteps: null };
    expect(await runSteps({ ...turn.parts, limits }, turn.state)).toMatchObject({ status: 'failed', isLimited: true });
    expect(turn.requests).toHaveLength(10);
    expect(lastText(turn, 6)).toContain('3 times');
  });

  it('is found where only the time differs that a command took', async () => {
    let count = 0;
    const run = async () => {
      count += 1;
      return { text: `FAIL a.test.ts\n[npm test: exit code 1, ${count}.3 s]`, isError: true };
    };
    const turn = makeTurn(
      Array.from({ length: 9 }, () => callAll('change')),
      { run },
    );
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'failed', isLimited: true });
  });

  it('is none where the results differ, or another call comes between', async () => {
    let count = 0;
    const run = async (name: string) => {
      count += 1;
      return { text: name === 'look' ? 'same' : `result ${count}`, isError: false };
    };
    const names = ['look', 'look', 'change', 'look', 'look', 'change', 'look', 'look', 'change', 'change', 'change', 'change', 'change'];
    const turn = makeTurn(
      names.map((name) => callAll(name)),
      { run },
    );
    const limits = { ...turn.parts.limits, maxSteps: null };
    expect(await runSteps({ ...turn.parts, limits }, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(turn.state.messages)).not.toContain('same result');
  });
});

describe('a file that a tool gives along', () => {
  const file = { mediaType: 'image/png', data: 'x'.repeat(400_000) };
  const START = { ...NO_MEMORY, messages: [{ role: 'user' as const, text: 'Do it' }] };
  const run = async () => ({ text: 'It is an image.', isError: true, shown: { text: 'Here it is.', file } });
  const shownOf = ({ requests }: ReturnType<typeof makeTurn>, request: number) =>
    requests[request]?.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  const seeing = (turn: ReturnType<typeof makeTurn>) => ({ ...turn.parts, model: { ...turn.parts.model, takes: ['image/png'] } });

  it('is in the result for a model that takes it, and words are for any other', async () => {
    const blind = makeTurn([callAll('look'), say('Done.')], { run });
    expect(await runSteps(blind.parts, blind.state)).toMatchObject({ status: 'succeeded' });
    expect(shownOf(blind, 1)).toEqual([{ id: 'look-1', name: 'look', text: 'It is an image.', isError: true }]);
    const turn = makeTurn([callAll('look'), say('Done.')], { run });
    expect(await runSteps(seeing(turn), turn.state)).toMatchObject({ status: 'succeeded' });
    expect(shownOf(turn, 1)).toEqual([{ id: 'look-1', name: 'look', text: 'Here it is.', isError: false, file }]);
    expect(foldTranscript(turn.lines.map((line) => JSON.stringify(line)).join('\n'), START).messages).toEqual(turn.state.messages);
  });

  it('does not count by its characters', async () => {
    const turn = makeTurn([callAll('look'), callAll('look', 'look'), say('Done.')], {
      run,
      limits: { ...makeTurn([]).parts.limits, contextTokens: 20_000 },
    });
    expect(await runSteps(seeing(turn), turn.state)).toMatchObject({ status: 'succeeded' });
    expect(turn.requests).toHaveLength(3);
    expect(shownOf(turn, 2)?.map((result) => result.file)).toEqual([file, file, file]);
  });

  it('is taken out where the provider refuses the request, which is made again', async () => {
    const turn = makeTurn([callAll('look'), failing('bad-request'), say('Done.')], { run });
    expect(await runSteps(seeing(turn), turn.state)).toMatchObject({ status: 'succeeded' });
    expect(shownOf(turn, 2)).toEqual([
      { id: 'look-1', name: 'look', text: expect.stringContaining('the provider refused'), isError: false },
    ]);
    expect(foldTranscript(turn.lines.map((line) => JSON.stringify(line)).join('\n'), START).messages).toEqual(turn.state.messages);
    const again = makeTurn([callAll('look'), failing('bad-request'), failing('bad-request')], { run });
    expect(await runSteps(seeing(again), again.state)).toMatchObject({ status: 'failed' });
  });

  it('leaves an old conversation first of all', async () => {
    const steps = Array.from({ length: 10 }, () => callAll('look'));
    let count = 0;
    const numberedRun = async () => ({ text: `${++count}`, isError: true, shown: { text: `Here is ${count}.`, file } });
    const turn = makeTurn([...steps, say('Done.')], {
      run: numberedRun,
      limits: { ...makeTurn([]).parts.limits, maxSteps: 20, contextTokens: 14_000 },
    });
    expect(await runSteps(seeing(turn), turn.state)).toMatchObject({ status: 'succeeded' });
    const left = shownOf(turn, 10)?.filter((result) => result.file !== undefined) ?? [];
    expect(left.length).toBeGreaterThan(3);
    expect(left.length).toBeLessThan(10);
    expect(shownOf(turn, 10)?.[0]?.text).toMatch(/^Here is 1\..*read_file shows it again/s);
  });
});

describe('a call that was cut by the output limit', () => {
  const cut = (args: Json): ReturnType<typeof say> => ({
    ...(say('', { finish: 'length', usage: { ...UNKNOWN_USAGE, outputTokens: 8192 } }) as Extract<ModelStep, { ok: true }>),
    message: { role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', name: 'change', args }] },
  });

  it('is told as that, and not run', async () => {
    const turn = makeTurn([cut('{"path": "a", "content": "half of'), say('Done.')], {
      run: async () => Promise.reject(new Error('it was run')),
    });
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(resultsOf(turn)[0]).toMatch(/cut off at 8192 output tokens.*smaller parts/s);
  });

  it('is run where its arguments are whole', async () => {
    const turn = makeTurn([cut({ path: 'a' }), say('Done.')]);
    await runSteps(turn.parts, turn.state);
    expect(resultsOf(turn)).toEqual(['change ran']);
  });

  it('and of which nothing is left: the next answer is asked for in smaller parts', async () => {
    const turn = makeTurn([say('', { finish: 'length', usage: { ...UNKNOWN_USAGE, outputTokens: 4096 } }), say('Done.')]);
    await runSteps(turn.parts, turn.state);
    expect(JSON.stringify(turn.requests[1]?.messages.at(-1))).toMatch(/4096 output tokens.*smaller parts/);
  });
});

describe('a call of the model that fails', () => {
  it('in passing is made again, with longer and longer waits', async () => {
    const turn = makeTurn([failing('transient'), failing('transient'), say('Done.')]);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(turn.waits).toEqual([100, 200]);
    expect(turn.events.filter(({ type }) => type === 'retry')).toHaveLength(2);
  });

  it('waits as long as the provider asks, but not for minutes: that is a limit', async () => {
    const short = makeTurn([failing('transient', 5000)]);
    await runSteps(short.parts, short.state);
    expect(short.waits).toEqual([5000]);
    const long = makeTurn([failing('transient', 600_000)]);
    expect(await runSteps(long.parts, long.state)).toMatchObject({ status: 'failed', failure: { class: 'limit', resetAt: 600_000 } });
    expect(long.waits).toEqual([]);
  });

  it.each([
    ['transient', 'transient', 3],
    ['limit', 'limit', 1],
    ['auth', 'auth', 1],
    ['setup', 'spawn', 1],
    ['bad-request', 'request', 1],
    ['other', 'agent', 1],
  ] as const)('as %s fails the turn as %s, after %i tries', async (kind, expected, tries) => {
    const turn = makeTurn(Array.from({ length: 9 }, () => failing(kind)));
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'failed', failure: { class: expected } });
    expect(turn.requests).toHaveLength(tries);
  });

  it('tells no secret', async () => {
    const turn = makeTurn([{ ok: false, failure: { class: 'auth', message: 'wrong key hunter2' } }]);
    expect((await runSteps(turn.parts, turn.state)).failure?.message).toBe('wrong key [redacted]');
  });

  it('after its first words is not made again: the model goes on behind them', async () => {
    const turn = makeTurn([
      (_, observe) => {
        observe({ type: 'text', text: 'EVENT:build.done\n' });
        return failing('transient');
      },
      say('And more.'),
    ]);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(turn.events.filter((event) => event.type === 'text')).toHaveLength(1);
    expect(turn.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});

describe('an answer that is none', () => {
  it('is asked for once more, and then the turn is over', async () => {
    const turn = makeTurn([callAll('look'), say(''), say('')]);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(turn.requests).toHaveLength(3);
  });

  it('because it was cut at its length goes on, but not for ever', async () => {
    const turn = makeTurn(Array.from({ length: 9 }, () => say('and', { finish: 'length' })));
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({
      status: 'failed',
      failure: { message: expect.stringContaining('end') },
    });
    expect(turn.requests).toHaveLength(4);
  });

  it('because the model refuses fails the turn', async () => {
    const turn = makeTurn([say('I will not.', { finish: 'refusal' })]);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'failed', failure: { class: 'agent' } });
  });

  it('of thinking alone is not given back', async () => {
    const thought = { role: 'assistant' as const, parts: [{ type: 'thinking' as const, text: 'hm' }] };
    const turn = makeTurn([say('', { message: thought }), say('Done.')]);
    await runSteps(turn.parts, turn.state);
    expect(turn.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });
});

describe('a conversation that grows too long', () => {
  it('loses old outputs to files that the agent can read', async () => {
    const turn = makeTurn([...Array.from({ length: 8 }, () => callAll('look')), say('Done.')], { run: numbered('x'.repeat(20_000)) });
    const limits = { ...turn.parts.limits, contextTokens: 50_000 };
    await runSteps({ ...turn.parts, limits }, turn.state);
    expect(turn.kept.length).toBeGreaterThan(2);
    expect(turn.kept[0]).toHaveLength(20_002);
    const [first, , , , , , , last] = resultsOf(turn);
    expect(first).toMatch(/^1 x{398}\n\[moved out of the conversation: 20002 characters, whole in .*1\.txt; read_file shows it\]$/);
    expect(last).toHaveLength(20_002);
    expect(turn.lines.some(({ type }) => type === 'compaction')).toBe(false);
  });

  it('becomes a summary where that is not enough; the newest steps stay whole', async () => {
    const steps = Array.from({ length: 12 }, () => callAll('look'));
    const turn = makeTurn([(request) => (request.tools.length === 0 ? say('notes') : (callAll('look') as never)), ...steps], {
      run: numbered('y'.repeat(1900)),
    });
    const model = {
      ...turn.parts.model,
      step: async (request: Parameters<typeof turn.parts.model.step>[0]) => {
        turn.requests.push(request);
        if (request.tools.length === 0) return say('The notes.');
        return turn.requests.length > 30 ? say('Done.') : callAll('look');
      },
    };
    const limits = { ...turn.parts.limits, contextTokens: 6000, maxSteps: 60 };
    expect(await runSteps({ ...turn.parts, model, limits }, turn.state)).toMatchObject({ status: 'succeeded' });
    const [first, second] = turn.state.messages;
    expect(first).toMatchObject({ role: 'user', text: expect.stringMatching(/^Do it[\s\S]*The notes\.$/) });
    expect(second?.role).toBe('assistant');
    expect(turn.events.some((event) => event.type === 'text' && event.text.includes('notes'))).toBe(false);
    for (const { messages, tools } of turn.requests) {
      if (tools.length > 0) expect(JSON.stringify(messages).length / 4).toBeLessThan(6000);
    }
  });

  it('is made shorter as often as the provider says so, and the turn fails where it cannot get shorter', async () => {
    const big = { run: async () => ({ text: 'z'.repeat(12_000), isError: false }) };
    const often = makeTurn(
      [
        ...[callAll('look'), callAll('look'), callAll('change'), failing('context-overflow'), say('notes')],
        ...[callAll('look'), callAll('change'), failing('context-overflow'), say('notes'), say('Done.')],
      ],
      big,
    );
    expect(await runSteps(often.parts, often.state)).toMatchObject({ status: 'succeeded' });
    const never = makeTurn([callAll('look'), ...Array.from({ length: 40 }, () => failing('context-overflow'))], big);
    expect(await runSteps(never.parts, never.state)).toMatchObject({ status: 'failed', failure: { class: 'agent' } });
    expect(never.requests.length).toBeLessThan(12);
  });

  it('is kept shorter from then on than what the provider refused', async () => {
    const turn = makeTurn([callAll('look'), callAll('look'), callAll('look'), failing('context-overflow')], {
      run: async () => ({ text: 'z'.repeat(9000), isError: false }),
    });
    let count = 0;
    const model = {
      ...turn.parts.model,
      step: async (...[request, observe, signal]: Parameters<typeof turn.parts.model.step>) => {
        if (turn.requests.length < 4) return turn.parts.model.step(request, observe, signal);
        turn.requests.push({ ...request, messages: [...request.messages] });
        if (request.tools.length === 0) return say('notes');
        count += 1;
        return count > 8 ? say('Done.') : callAll(count % 2 === 0 ? 'look' : 'change', 'look');
      },
    };
    await runSteps({ ...turn.parts, model, limits: { ...turn.parts.limits, maxSteps: null } }, turn.state);
    const refused = JSON.stringify(turn.requests[3]?.messages).length;
    for (const { messages } of turn.requests.slice(4)) expect(JSON.stringify(messages).length).toBeLessThan(refused);
  });

  it.each([
    [8_000, 100_000, 0.7],
    [4_000, 32_000, 0.6],
    [12_500, 64_000, 0.45],
    [400, 20_000, 0.9],
  ])(
    'keeps its beginning from call to call, for the cache of the provider: %i tokens a step, %i in all',
    async (resultTokens, contextTokens, least) => {
      const turn = makeTurn([], { run: numbered('w'.repeat(resultTokens * 4)) });
      const texts: string[] = [];
      const model = {
        ...turn.parts.model,
        step: async (request: Parameters<typeof turn.parts.model.step>[0]) => {
          if (request.tools.length === 0) return say('notes '.repeat(300));
          texts.push(JSON.stringify(request.messages));
          return texts.length > 120 ? say('Done.') : callAll('look');
        },
      };
      const limits = { ...turn.parts.limits, contextTokens, maxSteps: null };
      expect(await runSteps({ ...turn.parts, model, limits }, turn.state)).toMatchObject({ status: 'succeeded' });
      const steady = texts.slice(20);
      const repeated = steady.slice(1).map((text, index) => sharedLength(steady[index] ?? '', text) / text.length);
      const share = repeated.reduce((sum, part) => sum + part, 0) / repeated.length;
      expect(share).toBeGreaterThan(least);
      for (const text of texts) expect(text.length / 4).toBeLessThan(contextTokens);
    },
  );

  it('is shortened without a summary where the model gives none', async () => {
    const turn = makeTurn([callAll('look'), failing('context-overflow'), failing('bad-request'), say('Done.')], {
      run: numbered('z'.repeat(9000)),
    });
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(turn.requests[3]?.messages)).toContain('The agent calls look');
  });
});

const user: ModelMessage = { role: 'user', text: 'x' };
const assistant: ModelMessage = { role: 'assistant', parts: [] };
const tool: ModelMessage = { role: 'tool', results: [] };

it.each([
  [[user], [0]],
  [
    [user, assistant, tool],
    [0, 2],
  ],
  [
    [user, assistant, tool, assistant, tool],
    [2, 4],
  ],
  // Two of ours in a row are one message for the provider: the mark is at its end.
  [
    [user, assistant, tool, user],
    [0, 3],
  ],
  [
    [user, user, assistant, tool, user, assistant, tool],
    [4, 6],
  ],
] as const)('marks the ends of the last two messages of ours in %#', (messages, marked) => {
  expect(planCacheMarks(messages)).toEqual({ system: true, tools: true, messages: marked });
});
