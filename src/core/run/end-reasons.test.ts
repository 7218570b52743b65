import { describe, expect, it } from 'vitest';
import { END_REASONS } from './end-reasons.ts';

describe('end reasons', () => {
  it('have the exit codes of the one table', () => {
    expect(Object.fromEntries(Object.entries(END_REASONS).map(([reason, facts]) => [reason, facts.exitCode]))).toEqual({
      completed: 0,
      stalled: 1,
      loop_detected: 1,
      consecutive_failures: 1,
      gate_refused: 1,
      config_invalid: 1,
      workspace_gone: 1,
      storage_failed: 1,
      max_iterations: 2,
      max_runtime: 2,
      max_cost: 2,
      parked: 2,
      interrupted: 130,
      terminated: 143,
      hangup: 129,
    });
  });

  it('say what happened in a sentence, and what to do wherever something can be done', () => {
    const rows = Object.entries(END_REASONS);
    expect(rows.filter(([, facts]) => !/^[A-Z].*\.$/.test(facts.text))).toEqual([]);
    expect(rows.filter(([, facts]) => facts.next === '').map(([reason]) => reason)).toEqual(['completed', 'config_invalid']);
  });
});
