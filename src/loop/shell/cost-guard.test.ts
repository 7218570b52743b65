import { expect, it } from 'vitest';
import { type BackendEvent, type Input, type IterationStart, UNKNOWN_USAGE } from '../../core/index.ts';
import { createCostGuard } from './cost-guard.ts';
import type { LoopPorts } from './loop-ports.ts';
import type { LoopView } from './loop-view.ts';

const TEXT: BackendEvent = { type: 'text', text: 'on I go' };
const END: BackendEvent = { type: 'message-end' };

/** What the loop hears of a turn with these events, in a run with $0.60 of a limit spent. Tokens of model `m` cost a dollar each. */
function told(events: readonly BackendEvent[], maxCostUsd: number | null = 1): readonly Input[] {
  const inputs: Input[] = [];
  const ports = {
    clock: { now: () => 7 },
    wardrobe: {
      priceOf: (_: unknown, usage: { outputTokens: number | null }, model: string | null) => (model === 'm' ? usage.outputTokens : null),
    },
  } as unknown as LoopPorts;
  const state = { usage: { ...UNKNOWN_USAGE, costUsd: 0.6 }, limits: { maxCostUsd } };
  const loop = { post: (input: Input) => void inputs.push(input), state: () => state } as unknown as LoopView;
  const guard = createCostGuard(ports, loop, { iteration: 2, attempt: 1 } as IterationStart);
  for (const event of events) guard(event);
  return inputs;
}

const spent = (costUsd: number): BackendEvent => ({ type: 'usage', usage: { ...UNKNOWN_USAGE, costUsd } });

it('tells the loop once that the limit is reached, as soon as the agent goes on', () => {
  expect(told([spent(0.4), END])).toEqual([]);
  expect(told([spent(0.3), TEXT, spent(0.4), TEXT, TEXT, spent(0.9), TEXT])).toEqual([
    { type: 'usage-reported', at: 7, iteration: 2, attempt: 1, usage: { ...UNKNOWN_USAGE, costUsd: 0.4 } },
  ]);
});

it('tells nothing where there is no limit, where it is not reached, or where nobody knows the cost', () => {
  const tokens: BackendEvent = { type: 'usage', usage: { ...UNKNOWN_USAGE, outputTokens: 3 } };
  expect([told([spent(9), TEXT], null), told([spent(0.39), TEXT]), told([tokens, TEXT])]).toEqual([[], [], []]);
});

it('makes money of tokens by the price of the model that the session named', () => {
  const tokens: BackendEvent = { type: 'usage', usage: { ...UNKNOWN_USAGE, outputTokens: 3 } };
  expect(told([{ type: 'session', sessionId: 's', model: 'm' }, tokens, TEXT])).toMatchObject([{ usage: { outputTokens: 3, costUsd: 3 } }]);
});
