import { expect, test } from 'vitest';
import type { IterationStart } from '../core/run/effects.ts';
import type { RunState } from '../core/run/state.ts';
import { INITIAL_STATE } from '../loop/decide/decide.ts';
import { createAwayWatch, toSaid } from './away-watch.ts';

const order = (iteration: number, more: Partial<IterationStart> = {}): IterationStart => ({
  ...{ type: 'iteration-start', iteration, attempt: 1, hat: 'builder', backend: 0, events: [], feedback: [], fallback: null },
  ...{ timeoutMs: 0, idleTimeoutMs: 0 },
  ...more,
});
const activation = (start: IterationStart): RunState['activations'][number] =>
  ({ ...start, pid: null, processStart: null }) as unknown as RunState['activations'][number];
const spawned = (iteration: number) => ({
  seq: 1,
  input: {
    type: 'iteration-spawned' as const,
    at: 5,
    iteration,
    attempt: 1,
    pid: null,
    processStart: null,
    backend: 'custom',
    argv: [],
    promptHash: '',
    promptTokens: 1,
  },
});

test('a turn of one agent in the folder itself is taken up, with what was told of it', () => {
  const watch = createAwayWatch();
  watch.take({ seq: 1, input: { type: 'timer-fired', at: 1, timer: 1 } }, [order(1), order(2)]);
  watch.take(spawned(2), []);
  const open = watch.listOpen({ ...INITIAL_STATE, activations: [activation(order(2))] });
  expect(open).toEqual([order(2)]);
  expect(watch.heardOf(order(2))).toEqual([toSaid(spawned(2).input)]);
  expect(watch.heardOf(order(1))).toEqual([]);
});

test('a turn is not taken up that has a copy, several agents or a question, or that is to stop', () => {
  const watch = createAwayWatch();
  watch.take({ seq: 1, input: { type: 'timer-fired', at: 1, timer: 1 } }, [order(1)]);
  const [plain, copied] = [activation(order(1)), activation(order(1, { copy: 'c1' }))];
  const question = { id: 'q1', iteration: 1, attempt: 1 } as unknown as RunState['questions'][number];
  expect(watch.listOpen({ ...INITIAL_STATE, activations: [copied] })).toEqual([]);
  expect(watch.listOpen({ ...INITIAL_STATE, activations: [plain], questions: [question] })).toEqual([]);
  expect(watch.listOpen({ ...INITIAL_STATE, activations: [plain], stopping: 'now' as unknown as RunState['stopping'] })).toEqual([]);
  expect(watch.listOpen({ ...INITIAL_STATE, activations: [plain] })).toEqual([order(1)]);
});
