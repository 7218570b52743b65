import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsOf } from './config-fixtures.ts';

/** A block of the plans, as it stands there. What is found in each: `test/contract/seed-blocks.test.ts`. */
function read(block: string): string {
  return readFileSync(new URL(`../../fixtures/seeds/${block}.yml`, import.meta.url), 'utf8');
}

it('seed 004, single-hat mode: every setting is what the sample says', () => {
  const { spec, backends } = settingsOf(read('004-01'));
  expect(spec).toMatchObject({
    mode: 'single',
    hats: null,
    promise: 'LOOP_COMPLETE',
    limits: { maxIterations: 100, maxRuntimeMs: 14_400_000, maxCostUsd: 50, maxConsecutiveFailures: 5, checkpointInterval: 5 },
  });
  expect(backends['default']).toMatchObject([{ type: 'claude' }]);
});

it('seed 004, multi-hat mode: hats have what they subscribe to', () => {
  const { spec } = settingsOf(read('004-02'));
  expect(spec).toMatchObject({ mode: 'multi', startingHat: 'implementer' });
  expect(spec.hats?.map((hat) => [hat.id, hat.name, hat.triggers.length, hat.publishes.map((entry) => entry.topic)])).toEqual([
    ['implementer', 'Implementer', 3, ['impl.done']],
    ['reviewer', 'Reviewer', 1, ['review.done', 'review.rejected']],
    ['debugger', 'Debugger', 2, ['fix.done']],
  ]);
  expect(spec.hats?.[0]?.instructions).toBe('You are the implementation agent.\nFocus on writing clean, tested code.');
});

it('seed 000, hats with profiles: the profiles are accepted', () => {
  const { spec } = settingsOf(read('000-02'));
  expect(spec.hats?.map((hat) => hat.id)).toEqual(['explorer', 'planner', 'creator', 'critic', 'editor']);
});
