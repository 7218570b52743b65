import { expect, it } from 'vitest';
import { createFakeContext } from '../fixtures.ts';
import { type Look, toInputLines, toStopText } from './run-lines.ts';

it.each([
  [{ how: 'interrupt', by: 'Ctrl+C' }, 'Ctrl+C: stopping; agents at work have 10 seconds to clean up. Ctrl+C again kills them at once.'],
  [{ how: 'interrupt', by: 'ralph stop (ann)' }, 'ralph stop (ann): stopping; agents at work have 10 seconds to clean up.'],
  [{ how: 'terminate', by: 'SIGTERM' }, 'SIGTERM: stopping; agents at work have 10 seconds to clean up.'],
] as const)('a stop says what happens now, and of a second Ctrl+C to whoever pressed the first: %j', (stop, text) => {
  expect(toStopText(stop)).toBe(text);
});

it('a turn on a fleet says at which worker it is', () => {
  const { style } = createFakeContext({}).context.terminal;
  const look: Look = { style, verbose: false, columns: () => 80, isSolo: () => false };
  const input = {
    ...{ type: 'iteration-spawned' as const, at: 5, iteration: 1, attempt: 1, pid: null, processStart: null, backend: 'custom', argv: [] },
    ...{ promptHash: '', promptTokens: 1 },
  };
  expect(toInputLines({ ...input, worker: 'w1\u001b[31m' }, null, look, 3)).toEqual(['  at work on worker w1']);
  expect(toInputLines(input, null, look, 3)).toEqual([]);
});
