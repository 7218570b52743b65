import { describe, expect, it } from 'vitest';
import type { GateResult } from '../../core/gates/gate-result.ts';
import { makeGate, makeHat } from '../../core/spec-fixtures.ts';
import { changed, ending, makeResult, notices, type Play, PROMISE, play, ran } from './decide-fixtures.ts';

const GREEN = makeGate(['task.complete'], 'npm test', { baseline: 'green' });
const NO_WORSE = makeGate(['task.complete'], 'npm test', { baseline: 'no_worse' });
const LINT = makeGate(['task.complete'], 'npm run lint');

/** The gates asked last show this, each the same. */
function show(run: Play, changes: Partial<GateResult>): void {
  const { request, gates } = run.last('gates-run');
  const results = gates.map((gate) => ({ ...makeResult(gate, changes.passed ?? false), ...changes }));
  run.post({ type: 'gates-finished', request, results });
}

/** A run whose gate showed `before`, then `after` when the work was declared complete. */
function compare(before: Partial<GateResult>, after: Partial<GateResult>, gate = NO_WORSE): Play {
  const run = play({ gates: [gate] });
  show(run, before);
  run.end([PROMISE]);
  show(run, after);
  return run;
}

const tell = (run: Play): string => run.all('notice').map(({ text }) => text)[0] ?? '';

describe('a gate with a baseline', () => {
  it('is run once before the first turn, those without one are not, and no agent begins meanwhile', () => {
    const run = play({ gates: [LINT, GREEN] });
    expect(run.all('gates-run')).toEqual([{ type: 'gates-run', request: 1, gates: [1], topics: [], isBaseline: true }]);
    expect(ran(run)).toEqual([]);
    run.judge(() => true);
    expect([ran(run), notices(run)]).toEqual([['ralph'], []]);
    run.end([PROMISE]);
    expect(run.last('gates-run')).toEqual({ type: 'gates-run', request: 2, gates: [0, 1], topics: ['task.complete'] });
  });

  it('is waited for when a run begins, whoever takes the first event', () => {
    const run = play({ hats: [makeHat('planner', ['task.start'], ['LOOP_COMPLETE'])], gates: [GREEN] });
    expect(ran(run)).toEqual([]);
    run.judge(() => false);
    expect(ran(run)).toEqual(['planner']);
    expect(run.turn().feedback).toEqual([{ kind: 'red-before', gates: [{ command: 'npm test', failedTests: null, mayStay: false }] }]);
  });

  it('that is red is told to people and to the first agent, once', () => {
    const run = play({ gates: [GREEN] });
    show(run, { failedTests: 2 });
    expect(tell(run)).toBe('npm test was red before the first turn (exit 1, 2 failed tests); it must be green at the end.');
    expect(run.turn().feedback).toEqual([{ kind: 'red-before', gates: [{ command: 'npm test', failedTests: 2, mayStay: false }] }]);
    run.end([]);
    expect(run.turn().feedback).toEqual([]);
  });

  it('whose command is not there is told with what mends it, for no work on files does', () => {
    const run = play({ gates: [GREEN] });
    show(run, { exitCode: 127 });
    expect(tell(run)).toBe(
      'npm test was red before the first turn (exit 127); it must be green at the end. A command was not found where gates run: install it, or name another under `gates`.',
    );
  });

  it('that was red must be green at the end', () => {
    expect(ending(compare({ failedTests: 2 }, { failedTests: 2 }, GREEN))).toBeNull();
    expect(ending(compare({ failedTests: 2 }, { passed: true }, GREEN))).toBe('completed');
  });

  it('under no_worse may stay as red as it was, which is told', () => {
    const run = compare({ failedTests: 2 }, { failedTests: 2 });
    expect(tell(run)).toBe('npm test was red before the first turn (exit 1, 2 failed tests); it may stay so, but not get worse.');
    expect([ending(run), notices(run).includes('gate-no-worse')]).toEqual(['completed', true]);
  });

  it.each<[string, Partial<GateResult>, Partial<GateResult>, string | null]>([
    ['fewer tests fail', { failedTests: 3 }, { failedTests: 1 }, 'completed'],
    ['more tests fail', { failedTests: 1 }, { failedTests: 2 }, null],
    ['nobody ever counted', {}, {}, 'completed'],
    ['only now somebody counts', {}, { failedTests: 7 }, 'completed'],
    ['the tests do not even run any more', { failedTests: 1 }, {}, null],
    ['it was green', { passed: true }, { failedTests: 1 }, null],
    ['it runs out of time now', {}, { timedOut: true, exitCode: null }, null],
    ['it always ran out of time', { timedOut: true, exitCode: null }, { timedOut: true, exitCode: null }, 'completed'],
    ['its command is gone', { exitCode: 1 }, { exitCode: 127 }, null],
    ['its command never was there', { exitCode: 127 }, { exitCode: 127 }, 'completed'],
    ['it could not be run', {}, { exitCode: null }, null],
  ])('under no_worse: %s', (_name, before, after, end) => {
    expect(ending(compare(before, after))).toBe(end);
  });

  it('under no_worse stays red for one gate, while another one must pass', () => {
    const run = play({ gates: [NO_WORSE, LINT] });
    run.judge(() => false);
    run.end([PROMISE]);
    run.judge(() => false);
    expect(ending(run)).toBeNull();
    run.end([PROMISE]);
    run.judge((gate) => gate === 1);
    expect(ending(run)).toBe('completed');
  });

  it('is asked again after a crash, under the same number', () => {
    const run = play({ gates: [GREEN] });
    run.resume();
    expect(run.all('gates-run').map(({ request, isBaseline }) => [request, isBaseline])).toEqual([
      [1, true],
      [1, true],
    ]);
    run.judge(() => false);
    expect(ran(run)).toEqual(['ralph']);
  });

  it('does not keep a run from being stopped, and is asked when it goes on', () => {
    const run = play({ gates: [GREEN] });
    run.post({ type: 'stop-requested', how: 'interrupt', by: 'Ctrl+C' });
    expect(ending(run)).toBe('interrupted');
    run.resume();
    run.judge(() => true);
    expect(ran(run)).toEqual(['ralph']);
  });

  it('is those of the configuration of today where a run goes on with another one', () => {
    const run = play({ gates: [GREEN] });
    run.resume(changed({ gates: [LINT, { ...NO_WORSE, run: 'make test' }] }));
    expect(run.last('gates-run')).toMatchObject({ gates: [1], isBaseline: true });
    show(run, { command: 'make test' });
    run.resume(changed({ gates: [{ ...NO_WORSE, run: 'make test' }] }));
    run.end([PROMISE]);
    show(run, { command: 'make test' });
    expect(ending(run)).toBe('completed');
  });

  it('of a configuration that has none any more holds nothing up', () => {
    const run = play({ gates: [GREEN] });
    run.resume(changed({ gates: [LINT] }));
    run.judge(() => true);
    expect(ran(run)).toEqual(['ralph']);
  });
});
