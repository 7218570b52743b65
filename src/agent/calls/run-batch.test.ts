import { describe, expect, it } from 'vitest';
import type { HookInject, MergedHooks } from '../../core/hooks/hook-spec.ts';
import { NO_HOOKS, type ToolHooks } from '../../hooks/tool-hooks.ts';
import type { ToolBox } from '../session/agent-turn.ts';
import { foldTranscript, NO_MEMORY } from '../session/transcript.ts';
import { runSteps } from '../turn/step-loop.ts';
import { callAll, makeTurn, type SampleTurn, say } from '../turn/turn-fixtures.ts';
import { askAfterAll } from './run-batch.ts';

const RUN = { name: 'h', event: 'PostToolBatch', decision: 'allow', reason: '', error: null, ms: 1, preview: '' } as const;

/** Hooks that say this behind the calls of each answer, and what they were told. */
function hooked(merged: Partial<MergedHooks>): { readonly hooks: ToolHooks; readonly told: unknown[] } {
  const told: unknown[] = [];
  const afterAll = async (calls: unknown): Promise<MergedHooks> => {
    told.push(calls);
    return { decision: 'allow', reason: '', injects: [], runs: [RUN], ...merged };
  };
  return { hooks: { ...NO_HOOKS, afterAll }, told };
}

function makeHookedTurn(hooks: ToolHooks, replies = [callAll('look', 'change'), say('Done.')]): SampleTurn {
  const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
  const turn = makeTurn(replies);
  const afterAll: ToolBox['afterAll'] = (calls, results) =>
    askAfterAll(hooks, calls, results, { redact, hookText: { keep: async () => null } });
  return { ...turn, parts: { ...turn.parts, tools: { ...turn.parts.tools, afterAll } } };
}

const inject = (content: string, strategy: HookInject['strategy']): HookInject => ({ content, strategy });

describe('the calls of one answer', () => {
  it('are told to hooks once, before the next call of the model', async () => {
    const { hooks, told } = hooked({});
    const turn = makeHookedTurn(hooks);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
    expect(told).toEqual([
      [
        expect.objectContaining({ tool_name: 'look', tool_use_id: 'look-1', tool_output: 'look ran', tool_is_error: false }),
        expect.objectContaining({ tool_name: 'change', tool_use_id: 'change-2', tool_output: 'change ran' }),
      ],
    ]);
  });

  it('have what hooks add behind the last result and in a message behind all, also when the session is read again', async () => {
    const { hooks } = hooked({
      injects: [inject('a fact: hunter2', 'tool_result'), inject('a rule', 'system_message'), inject('a word', 'user_message')],
    });
    const turn = makeHookedTurn(hooks);
    await runSteps(turn.parts, turn.state);
    const [, , results, message, order] = turn.requests[1]?.messages ?? [];
    expect(results).toMatchObject({
      role: 'tool',
      results: [{ text: 'look ran' }, { text: expect.stringMatching(/^change ran[\s\S]*a fact: \[redacted\]/) }],
    });
    expect(message).toEqual({ role: 'user', text: 'a word' });
    expect(order).toEqual({ role: 'user', text: 'a rule', isSystem: true });
    const text = turn.lines.map((line) => JSON.stringify(line)).join('\n');
    expect(foldTranscript(text, NO_MEMORY).messages).toEqual(turn.state.messages.slice(1));
  });

  it('are the last of the turn where a hook denies, and the failure says why', async () => {
    const { hooks } = hooked({ decision: 'deny', reason: 'h: the budget is spent' });
    const turn = makeHookedTurn(hooks);
    expect(await runSteps(turn.parts, turn.state)).toMatchObject({
      status: 'failed',
      failure: { class: 'agent', message: 'a hook ended the turn: h: the budget is spent' },
    });
    expect(turn.requests).toHaveLength(1);
    expect(turn.state.messages.at(-1)).toMatchObject({ role: 'tool' });
  });

  it('that hooks spoke behind, and to which the model says nothing, are followed by one word to go on, and by no second', async () => {
    for (const strategy of ['tool_result', 'user_message', 'system_message'] as const) {
      const { hooks } = hooked({ injects: [inject('a fact', strategy)] });
      const turn = makeHookedTurn(hooks, [callAll('look'), say(''), say('')]);
      expect(await runSteps(turn.parts, turn.state)).toMatchObject({ status: 'succeeded' });
      expect(turn.requests).toHaveLength(3);
      expect(turn.requests[2]?.messages.at(-1)).toEqual({ role: 'user', text: expect.stringMatching(/^Go on/) });
    }
  });
});
