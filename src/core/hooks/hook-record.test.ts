import { describe, expect, it } from 'vitest';
import type { ToldHook } from './hook-moments.ts';
import { createHookTally, describeHook, isNotable, joinHookRecords, toToldHook } from './hook-record.ts';

const RUN = { name: 'guard', event: 'PreToolUse', decision: 'allow', reason: '', error: null, ms: 1, preview: '' } as const;
const told = (changes: Partial<ToldHook> = {}): ToldHook => ({ ...RUN, tool: 'bash', ...changes });

describe('the record of hooks', () => {
  it('counts by name and decision, and keeps those that did more than allow', () => {
    const tally = createHookTally();
    const denied = told({ decision: 'deny', reason: 'no' });
    const failed = told({ error: 'it broke' });
    for (const hook of [told(), denied, told({ name: 'audit' }), failed, told()]) tally.take(hook);
    expect(tally.finish()).toEqual({
      counts: [
        { name: 'guard', decision: 'allow', count: 3 },
        { name: 'guard', decision: 'deny', count: 1 },
        { name: 'audit', decision: 'allow', count: 1 },
      ],
      runs: [denied, failed],
    });
  });

  it('is none where nothing was asked', () => {
    expect(createHookTally().finish()).toBeNull();
  });

  it('is one of two, each count once', () => {
    const [first, second] = [
      [told(), told({ error: 'x' })],
      [told(), told({ name: 'audit' })],
    ].map((hooks) => {
      const tally = createHookTally();
      for (const hook of hooks) tally.take(hook);
      return tally.finish();
    });
    expect(joinHookRecords(first ?? null, second ?? null)).toEqual({
      counts: [
        { name: 'guard', decision: 'allow', count: 3 },
        { name: 'audit', decision: 'allow', count: 1 },
      ],
      runs: [told({ error: 'x' })],
    });
    expect([joinHookRecords(null, null), joinHookRecords(first ?? null, null), joinHookRecords(null, first ?? null)]).toEqual([
      null,
      first,
      first,
    ]);
  });

  it('is bounded, whatever hooks are called and say', () => {
    const tally = createHookTally();
    for (let index = 0; index < 1000; index += 1)
      tally.take(
        toToldHook(
          { ...RUN, decision: 'deny', name: `${index} ${'n'.repeat(5000)}`, reason: 'r'.repeat(5000), error: 'e'.repeat(5000) },
          't'.repeat(5000),
        ),
      );
    const record = tally.finish();
    expect([record?.counts.length, record?.runs.length]).toEqual([200, 200]);
    expect(JSON.stringify(record).length).toBeLessThan(400_000);
  });
});

it.each<[Partial<ToldHook>, boolean, string]>([
  [{ decision: 'deny', reason: 'no' }, true, 'guard said deny to bash: no'],
  [{ decision: 'ask', tool: '' }, true, 'guard said ask to the calls of an answer: no reason'],
  [{ error: 'it broke' }, true, 'guard failed at bash: it broke'],
  [{ hasChanged: true }, true, 'guard changed bash'],
  [{ preview: 'a fact' }, true, 'guard said after bash: a fact'],
  [{ worker: 'w1' }, true, 'guard on worker w1 allowed bash'],
  [{ worker: 'w1', decision: 'deny', reason: 'no' }, true, 'guard on worker w1 said deny to bash: no'],
])('what a hook did is told in one line: %o', (changes, isTold, line) => {
  expect([isNotable(told(changes)), describeHook(told(changes))]).toEqual([isTold, line]);
});

it('a hook that only allows is counted and not told', () => {
  expect(isNotable(told())).toBe(false);
});
