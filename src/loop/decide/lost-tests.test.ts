import { describe, expect, it } from 'vitest';
import type { GateResult } from '../../core/gates/gate-result.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import { makeGate } from '../../core/spec-fixtures.ts';
import { ending, makeResult, notices, type Play, PROMISE, play } from './decide-fixtures.ts';

const toGate = (changes: Partial<GateSpec>) => makeGate(['task.complete'], 'npm test', changes);
const GREEN = toGate({ baseline: 'green' });
const NO_WORSE = toGate({ baseline: 'no_worse' });

/** A run whose gate showed `before` the first turn, and `after` when the work was declared complete. */
function compare(before: Partial<GateResult>, after: Partial<GateResult>, gate: GateSpec = GREEN): Play {
  const run = play({ gates: [gate] });
  for (const [turns, shown] of [before, after].entries()) {
    const { request, gates } = run.last('gates-run');
    const results = gates.map((index) => ({ ...makeResult(index, shown.passed ?? true), ...shown }));
    run.post({ type: 'gates-finished', request, results });
    if (turns === 0) run.end([PROMISE]);
  }
  return run;
}

describe('a gate that ran tests before the first turn', () => {
  it.each<[string, Partial<GateResult>, Partial<GateResult>, string | null]>([
    ['runs as many', { ranTests: 5 }, { ranTests: 5 }, 'completed'],
    ['runs more', { passed: false, failedTests: 1, ranTests: 1 }, { ranTests: 5 }, 'completed'],
    ['runs fewer', { ranTests: 5 }, { ranTests: 4 }, null],
    ['was red, and runs fewer', { passed: false, failedTests: 2, ranTests: 5 }, { ranTests: 3 }, null],
    ['tells of none any more', { ranTests: 5 }, {}, null],
    ['tells more than is kept', { ranTests: 5 }, { ranTests: 3, isOutputCut: true }, 'completed'],
    ['told more than was kept', { ranTests: 5, isOutputCut: true }, { ranTests: 3 }, 'completed'],
    ['was not run, for nothing changed that it is about', { ranTests: 5 }, { skipped: true }, 'completed'],
    ['never told of any', {}, {}, 'completed'],
    ['ran none', { ranTests: 0 }, {}, 'completed'],
  ])('%s: %j, then %j', (_name, before, after, end) => {
    expect(ending(compare(before, after))).toBe(end);
  });

  it('tells the agent how many are missing, and who may allow it', () => {
    const [note] = compare({ ranTests: 5 }, { ranTests: 3 }).turn().feedback;
    expect(note).toMatchObject({ kind: 'gate-failed' });
    expect(JSON.stringify(note)).toMatch(/ran 3 tests; before the first turn there were 5.*fewer_tests: allow/);
  });

  it('that passed and counts for nothing is told to people', () => {
    const run = compare({ ranTests: 5 }, { ranTests: 3 });
    expect(notices(run)).toContain('gate-lost-tests');
    expect(run.all('notice').map(({ text }) => text)).toContain(
      'npm test passed, but that does not count: it ran 3 tests; before the first turn there were 5.',
    );
    expect(notices(compare({ ranTests: 5 }, { ranTests: 5 }))).toEqual([]);
  });

  it('may not lose tests to stay as red as it was either', () => {
    const red = { passed: false, failedTests: 2, ranTests: 5 };
    expect(ending(compare(red, red, NO_WORSE))).toBe('completed');
    expect(ending(compare(red, { passed: false, failedTests: 1, ranTests: 3 }, NO_WORSE))).toBeNull();
    expect(ending(compare(red, { ranTests: 3 }, NO_WORSE))).toBeNull();
  });

  it('may lose tests where the configuration says so, or where it is not run before', () => {
    expect(ending(compare({ ranTests: 5 }, { ranTests: 3 }, toGate({ baseline: 'green', mayLoseTests: true })))).toBe('completed');
    const run = play({ gates: [toGate({})] });
    run.end([PROMISE]);
    run.judge(() => true);
    expect(ending(run)).toBe('completed');
  });

  it('that is not required only warns', () => {
    const run = play({ gates: [toGate({ baseline: 'green', required: false })] });
    run.end([PROMISE]);
    run.judge(() => true);
    expect([ending(run), notices(run)]).toEqual(['completed', []]);
  });
});
