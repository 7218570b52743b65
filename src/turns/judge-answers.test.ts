import { expect, it } from 'vitest';
import type { GateResult } from '../core/gates/gate-result.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { makeGate, makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { createJudge } from './judge-answers.ts';

const ORDER: IterationStart = {
  ...{ type: 'iteration-start', iteration: 1, attempt: 1, hat: 'builder', backend: 0, events: [], feedback: [], fallback: null },
  ...{ timeoutMs: 1000, idleTimeoutMs: 1000 },
};

/** What is said of an answer by a gate that ends like this. */
async function judge(result: Partial<GateResult>) {
  const spec = makeSpec({
    hats: [makeHat('builder', ['task.start'], ['build.done'])],
    gates: [makeGate(['build.done'], './sum.sh', { name: 'sum' })],
  });
  const gatesIn = () => ({
    run: async (): Promise<readonly GateResult[]> => [
      {
        ...{ gate: 0, command: './sum.sh', passed: false, exitCode: 1, timedOut: false, durationMs: 1, outputTail: '' },
        ...result,
      },
    ],
  });
  const asked = createJudge({ runId: 'r', settings: { spec }, gatesIn }, ORDER);
  return asked({ cwd: '/work', topic: 'build.done', signal: new AbortController().signal });
}

it('tells what a failed gate printed, and that it printed nothing', async () => {
  expect(await judge({ outputTail: ' 3 is not 4\n' })).toEqual({ isPassed: false, text: 'sum failed (exit code 1):\n3 is not 4' });
  expect((await judge({ outputTail: '\n' })).text).toBe('sum failed (exit code 1) and printed nothing.');
  expect((await judge({ timedOut: true, exitCode: null })).text).toBe('sum took too long and printed nothing.');
  expect(await judge({ passed: true, exitCode: 0 })).toEqual({ isPassed: true, text: '' });
});
