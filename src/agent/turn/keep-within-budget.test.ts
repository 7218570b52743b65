import { expect, it } from 'vitest';
import type { ModelMessage, ModelRequest } from '../../ports/model.ts';
import { askForSummary } from './ask-model.ts';
import { compactConversation, estimateMessages } from './keep-within-budget.ts';
import { makeTurn, type SampleTurn, say } from './turn-fixtures.ts';

const CONTEXT_TOKENS = 20_000;

/** A conversation of so many steps, about 500 tokens each. */
function makeLong(steps: number): readonly ModelMessage[] {
  const made = Array.from({ length: steps }, (_, index): readonly ModelMessage[] => [
    { role: 'assistant', parts: [{ type: 'tool-call', id: `c${index}`, name: 'look', args: { path: `file-${index}` } }] },
    { role: 'tool', results: [{ id: `c${index}`, name: 'look', text: `${index} ${'x'.repeat(1900)}`, isError: false }] },
  ]);
  return [{ role: 'user', text: 'Do it' }, ...made.flat()];
}

async function compactLong(reply: ReturnType<typeof say>): Promise<SampleTurn & { readonly request: ModelRequest }> {
  const turn = makeTurn([reply]);
  turn.state.messages = [...makeLong(80)];
  const limits = { ...turn.parts.limits, contextTokens: CONTEXT_TOKENS };
  const parts = { ...turn.parts, limits };
  await compactConversation(parts, turn.state, (record) => askForSummary(parts, turn.state, record));
  return { ...turn, request: turn.requests[0] as ModelRequest };
}

it('a summary is made from what fits into half of what the model reads, and of nearly that much', async () => {
  const { request } = await compactLong(say('The notes.'));
  const tokens = estimateMessages(request.messages);
  expect(tokens).toBeGreaterThan(CONTEXT_TOKENS * 0.35);
  expect(tokens).toBeLessThan(CONTEXT_TOKENS * 0.55);
});

it('a summary leaves the newest steps whole, up to a fifth of what the model reads', async () => {
  const { state } = await compactLong(say('The notes.'));
  const [summary, ...kept] = state.messages;
  expect(summary).toMatchObject({ role: 'user', text: expect.stringContaining('The notes.') });
  expect(kept).toEqual(makeLong(80).slice(-kept.length));
  const tokens = estimateMessages(kept);
  expect(tokens).toBeGreaterThan(CONTEXT_TOKENS * 0.12);
  expect(tokens).toBeLessThan(CONTEXT_TOKENS * 0.22);
});

it('what stands for a summary that the model does not give leaves two thirds of the room free', async () => {
  const { state } = await compactLong({ ok: false, failure: { class: 'other', message: 'no' } });
  const tokens = estimateMessages(state.messages);
  expect(state.messages[0]).toMatchObject({ text: expect.stringContaining('left out') });
  expect(tokens).toBeLessThan(CONTEXT_TOKENS / 3);
});
