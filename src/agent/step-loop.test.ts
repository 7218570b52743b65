import { describe, expect, it } from 'vitest';
import { UNKNOWN_USAGE } from '../core/index.ts';
import type { ToolAnswer } from '../ports/index.ts';
import { runSteps } from './step-loop.ts';
import { callAll, failing, makeTurn, say } from './turn-fixtures.ts';

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

  it('end at the step limit, of which the agent is told beforehand', async () => {
    const turn = makeTurn(
      Array.from({ length: 20 }, () => callAll('look')),
      {},
    );
    const limits = { ...turn.parts.limits, maxSteps: 5 };
    const end = await runSteps({ ...turn.parts, limits }, turn.state);
    expect(end).toMatchObject({ status: 'failed', failure: { class: 'agent', message: expect.stringContaining('max_steps') } });
    expect(turn.requests).toHaveLength(5);
    expect(JSON.stringify(turn.requests[2]?.messages.at(-1))).toContain('3 steps are left');
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
  const long = (): Promise<{ text: string; isError: boolean }> => Promise.resolve({ text: `head ${'x'.repeat(20_000)}`, isError: false });

  it('loses old outputs to files that the agent can read', async () => {
    const turn = makeTurn([...Array.from({ length: 8 }, () => callAll('look')), say('Done.')], { run: long });
    const limits = { ...turn.parts.limits, contextTokens: 50_000 };
    await runSteps({ ...turn.parts, limits }, turn.state);
    expect(turn.kept.length).toBeGreaterThan(2);
    expect(turn.kept[0]).toHaveLength(20_005);
    const [first, , , , , , , last] = resultsOf(turn);
    expect(first).toMatch(/^head x{395}\n\[moved out of the conversation: 20005 characters, whole in .*1\.txt; read_file shows it\]$/);
    expect(last).toHaveLength(20_005);
    expect(turn.lines.some(({ type }) => type === 'compaction')).toBe(false);
  });

  it('becomes a summary where that is not enough; the newest steps stay whole', async () => {
    const steps = Array.from({ length: 12 }, () => callAll('look'));
    const turn = makeTurn([(request) => (request.tools.length === 0 ? say('notes') : (callAll('look') as never)), ...steps], {
      run: async () => ({ text: 'y'.repeat(1900), isError: false }),
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

  it('is made shorter once where the provider says so, and the turn fails if it says so again', async () => {
    const once = makeTurn([callAll('look'), failing('context-overflow'), say('notes'), say('Done.')]);
    expect(await runSteps(once.parts, once.state)).toMatchObject({ status: 'succeeded' });
    const twice = makeTurn([callAll('look'), failing('context-overflow'), say('notes'), failing('context-overflow')]);
    expect(await runSteps(twice.parts, twice.state)).toMatchObject({ status: 'failed', failure: { class: 'agent' } });
  });

  it('is shortened without a summary where the model gives none', async () => {
    const turn = makeTurn([callAll('look'), failing('context-overflow'), failing('bad-request'), say('Done.')]);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(JSON.stringify(turn.requests[3]?.messages)).toContain('The agent calls look');
  });
});
