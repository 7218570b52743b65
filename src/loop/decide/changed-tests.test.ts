import { describe, expect, it } from 'vitest';
import type { StartTestsResult } from '../../core/gates/gate-result.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import { makeGate } from '../../core/spec-fixtures.ts';
import { ending, makeResult, notices, type Play, PROMISE, play, write } from './decide-fixtures.ts';

const FAILED: StartTestsResult = { outcome: 'failed', changed: ['test/a.test.js'], total: 1, outputTail: '1 !== 2' };
const STATED = 'The work is done.\nCHANGED_TESTS: the task wants another sum\nLOOP_COMPLETE';

/** A run whose gate passed when the work was declared complete, and showed this with the tests of the start. */
function claim(startTests: StartTestsResult, finalText = 'LOOP_COMPLETE', gate: Partial<GateSpec> = {}): Play {
  const run = play({ gates: [makeGate(['task.complete'], 'npm test', gate)] });
  run.end([PROMISE], { finalText });
  answer(run, startTests);
  return run;
}

function answer(run: Play, startTests: StartTestsResult): void {
  const { request } = run.last('gates-run');
  run.post({ type: 'gates-finished', request, results: [{ ...makeResult(0, true), startTests }] });
}

describe('a gate that passes only with tests that the run changed', () => {
  it('sends the completion back, with the tests and what they say', () => {
    const run = claim(FAILED);
    expect(ending(run)).toBeNull();
    const [note] = run.turn().feedback;
    expect(note).toMatchObject({ kind: 'gate-failed', results: [{ passed: false }] });
    expect(JSON.stringify(note)).toMatch(/tests that the run changed \(test\/a\.test\.js\).*CHANGED_TESTS:.*1 !== 2/);
    expect(JSON.stringify(note)).not.toContain('changed_tests: allow');
    expect(notices(run)).toContain('gate-changed-tests');
  });

  it('refuses the end for good where nobody mends or states anything', () => {
    const run = play({ gates: [makeGate(['task.complete'], 'npm test')] });
    for (let turn = 1; turn <= 5 && ending(run) === null; turn += 1) {
      run.end([PROMISE]);
      answer(run, FAILED);
    }
    expect(ending(run)).toBe('gate_refused');
  });

  it('ends the run where whoever completes says why the task asks for it, and people read that', () => {
    const run = claim(FAILED, STATED);
    expect(ending(run)).toBe('completed');
    const [notice] = run.all('notice').filter(({ code }) => code === 'changed-tests');
    expect(notice?.text).toBe(
      'npm test fails with the tests as they were at the start (test/a.test.js); ralph says why they had to change: the task wants another sum',
    );
  });

  it('takes the reason from the payload of a completion as well, and only from the claim itself', () => {
    const run = play({ gates: [makeGate(['task.complete'], 'npm test')] });
    run.end([PROMISE], { finalText: STATED });
    answer(run, FAILED);
    expect(ending(run)).toBe('completed');
    const other = play({ gates: [makeGate(['task.complete'], 'npm test')] });
    other.end([], { finalText: STATED });
    other.end([PROMISE]);
    answer(other, FAILED);
    expect(ending(other)).toBeNull();
    other.end([write('task.complete', 'CHANGED_TESTS: the task wants another sum')]);
    answer(other, FAILED);
    expect(ending(other)).toBe('completed');
  });

  it('counts where a person allows it', () => {
    const run = claim(FAILED, 'LOOP_COMPLETE', { mayChangeTests: true });
    expect([ending(run), notices(run)]).toEqual(['completed', []]);
  });

  it('only warns where it is not required', () => {
    expect(ending(claim(FAILED, 'LOOP_COMPLETE', { required: false }))).toBe('completed');
  });
});

it('a gate that passes with the tests of the start, too, says nothing more', () => {
  const run = claim({ ...FAILED, outcome: 'passed', outputTail: '' });
  expect([ending(run), notices(run)]).toEqual(['completed', []]);
});

it('a gate that could not be tried with the tests of the start refuses nothing, and people are told', () => {
  const run = claim({ ...FAILED, outcome: 'unknown', outputTail: 'It could not be tried: disk full\nmore' });
  expect([ending(run), notices(run)]).toEqual(['completed', ['changed-tests']]);
  expect(run.last('notice').text).toContain('It could not be tried: disk full');
});
