import { describe, expect, it } from 'vitest';
import { assertScenario, checkScenario, type ScenarioResult } from './check-scenario.ts';
import type { AgentCall, EventFacts, RunFacts, TurnFacts } from './run-facts.ts';
import type { Expectation } from './scenario.ts';

const CALL: AgentCall = {
  call: 1,
  pid: 1,
  program: 'claude',
  args: ['--model', 'opus', '-p', 'the prompt'],
  env: { RALPH_HAT: 'builder', EMPTY: '' },
  stdin: '',
  emits: [{ exit: 1, text: 'Allowed topics: build.done.' }],
  isScripted: true,
};

const TURN: TurnFacts = {
  iteration: 1,
  attempt: 1,
  hat: 'builder',
  backend: 'claude',
  given: ['build.task'],
  status: 'succeeded',
  failure: null,
  exitCode: 0,
  costUsd: 0.5,
  leftovers: 0,
  prompt: 'the prompt',
  call: CALL,
  promptBy: 'arg',
};

function makeEvent(topic: string, changes: Partial<EventFacts> = {}): EventFacts {
  return {
    id: 'e1',
    iteration: 1,
    topic,
    source: 'builder',
    target: null,
    payload: 'some text',
    to: ['ralph'],
    how: 'trigger',
    ...changes,
  };
}

const RUN: RunFacts = {
  runId: 'r',
  ends: [{ reason: 'completed', detail: 'ralph declared the work complete', exitCode: 0 }],
  error: null,
  rivals: [],
  iterations: 1,
  turns: [TURN],
  events: [makeEvent('a'), makeEvent('b'), makeEvent('c', { to: [] })],
  refused: [{ iteration: 1, hat: 'builder', topic: 'x', why: 'scope', allowed: ['a', 'b'] }],
  notices: [{ code: 'gate-failed', text: 'npm test failed' }],
  costUsd: 0.1 + 0.2,
  commits: ['abc'],
  durationMs: 500,
};

function makeResult(expected: Expectation, changes: Partial<ScenarioResult> = {}): ScenarioResult {
  const scenario = { name: 'sample', iterations: [], expect: expected };
  return { scenario, runs: [RUN], files: { 'a.txt': 'hello\n', 'b.txt': null }, calls: [CALL], faults: [], folder: '/nowhere', ...changes };
}

function mismatchesOf(expected: Expectation, changes: Partial<ScenarioResult> = {}): readonly string[] {
  return checkScenario(makeResult(expected, changes)).map((mismatch) => mismatch.what);
}

describe('checkScenario', () => {
  it('finds nothing where everything is as expected', () => {
    const expected: Expectation = {
      reason: 'completed',
      ends: ['completed'],
      detail: 'complete',
      exit_code: 0,
      iterations: 1,
      hats: ['builder'],
      events: ['builder -> a -> ralph', { topic: 'b', payload: 'text', how: 'trigger' }, 'builder -> c -> nobody'],
      events_include: ['a', 'c'],
      events_absent: ['d', 'a.*'],
      refused: ['builder -> x -> scope'],
      notices: ['gate-failed', { code: 'gate-failed', text: 'npm test' }],
      notices_absent: ['usage-limit'],
      cost_usd: 0.3,
      commits: 1,
      rivals: [],
      files: { 'a.txt': { equals: 'hello\n' }, 'b.txt': 'absent' },
      min_ms: 100,
      max_ms: 1000,
      turns: [
        {
          turn: 1,
          hat: 'builder',
          program: 'claude',
          argv: ['--model', 'opus', '-p', '{prompt}'],
          argv_include: ['--model', 'opus'],
          argv_absent: ['sonnet'],
          env: { RALPH_HAT: 'builder', MISSING: null },
          prompt_has: ['prompt'],
          prompt_lacks: ['other'],
          prompt_by: 'arg',
          given: ['build.task'],
          emit_exits: [1],
          emit_says: 'build.done',
          cost_usd: 0.5,
        },
      ],
    };
    expect(checkScenario(makeResult(expected))).toEqual([]);
  });

  it('finds each thing that is different', () => {
    expect(mismatchesOf({ reason: 'stalled' })).toEqual(['reason']);
    expect(mismatchesOf({ ends: ['interrupted', 'completed'] })).toEqual(['ends']);
    expect(mismatchesOf({ detail: 'other words' })).toEqual(['detail']);
    expect(mismatchesOf({ exit_code: 2, iterations: 2, commits: 0, cost_usd: null })).toEqual([
      'exit_code',
      'iterations',
      'cost_usd',
      'commits',
    ]);
    expect(mismatchesOf({ hats: ['builder', 'builder'] })).toEqual(['hats']);
    expect(mismatchesOf({ error: 'config-invalid' })).toEqual(['error']);
    expect(mismatchesOf({ notices: ['usage-limit'], notices_absent: ['gate-failed'] })).toEqual(['notices', 'notices_absent']);
    expect(mismatchesOf({ rivals: ['run-in-progress'] })).toEqual(['rivals']);
    expect(mismatchesOf({ min_ms: 501 })).toEqual(['min_ms']);
    expect(mismatchesOf({ max_ms: 499 })).toEqual(['max_ms']);
    expect(mismatchesOf({ files: { 'a.txt': 'absent', 'b.txt': 'exists' } })).toEqual(['files.a.txt', 'files.b.txt']);
    expect(mismatchesOf({ files: { 'a.txt': { contains: ['bye'], lacks: ['hello'] } } })).toEqual(['files.a.txt', 'files.a.txt']);
  });

  it('takes events one by one: the order, one too many and one too few are differences', () => {
    expect(mismatchesOf({ events: ['a', 'c', 'b'] })).toEqual(['events[1]']);
    expect(mismatchesOf({ events: ['a', 'b'] })).toEqual(['events[2]']);
    expect(mismatchesOf({ events: ['a', 'b', 'c', 'd'] })).toEqual(['events[3]']);
    expect(mismatchesOf({ events: [] })).toEqual(['events[0]']);
    expect(mismatchesOf({ events_include: ['b', 'a'] })).toEqual(['events_include[1]']);
    expect(mismatchesOf({ events_include: ['builder -> a -> nobody'] })).toEqual(['events_include[0]']);
    expect(mismatchesOf({ events_absent: ['*'] })).toHaveLength(3);
    expect(mismatchesOf({ refused: [] })).toEqual(['refused[0]']);
    expect(mismatchesOf({ refused: [{ topic: 'x', allowed: ['a'] }] })).toEqual(['refused[0]']);
  });

  it('compares every fact of an event', () => {
    for (const wrong of [{ source: 'ralph' }, { to: ['a'] }, { target: 'x' }, { how: 'target' as const }, { payload: 'else' }]) {
      expect(mismatchesOf({ events_include: [{ topic: 'a', ...wrong }] })).toEqual(['events_include[0]']);
    }
  });

  it('compares every fact of a turn', () => {
    const wrongOf = (wrong: object): readonly string[] => mismatchesOf({ turns: [{ turn: 1, ...wrong }] });
    expect(
      wrongOf({ hat: 'x', backend: 'x', status: 'failed', failure: 'agent', given: [], attempt: 2, cost_usd: 1, leftovers: 1 }),
    ).toHaveLength(8);
    expect(wrongOf({ argv: ['-p'] })).toEqual(['turns (turn 1).argv']);
    expect(wrongOf({ argv_include: ['opus', '--model'] })).toEqual(['turns (turn 1).argv_include']);
    expect(wrongOf({ argv_absent: ['opus'] })).toEqual(['turns (turn 1).argv_absent']);
    expect(wrongOf({ env: { RALPH_HAT: null } })).toEqual(['turns (turn 1).env.RALPH_HAT']);
    expect(wrongOf({ env: { EMPTY: '*' } })).toEqual(['turns (turn 1).env.EMPTY']);
    expect(wrongOf({ prompt_has: ['other'], prompt_lacks: ['prompt'], prompt_by: 'stdin' })).toHaveLength(3);
    expect(wrongOf({ emit_exits: [0], emit_says: 'x', program: 'codex' })).toHaveLength(3);
    expect(mismatchesOf({ turns: [{ turn: 2 }] })).toEqual(['turns (turn 2)']);
  });

  it('finds what must never be, and an error that nobody expected', () => {
    expect(mismatchesOf({}, { faults: ['process 7 is still there'] })).toEqual(['always']);
    const error = { code: 'defect', message: 'x is not a function' };
    expect(mismatchesOf({}, { runs: [{ ...RUN, error }] })).toEqual(['start']);
    expect(mismatchesOf({ error: 'defect' }, { runs: [{ ...RUN, error }] })).toEqual([]);
  });

  it('holds a list of expectations against the runs, one each', () => {
    const scenario = { name: 'two', iterations: [], expect: [{ iterations: 1 }, { iterations: 5 }, {}] };
    const found = checkScenario(makeResult({}, { scenario, runs: [RUN, RUN] }));
    expect(found.map((mismatch) => mismatch.what)).toEqual(['expect[1].iterations', 'expect[2].run']);
  });
});

describe('assertScenario', () => {
  it('is silent where all is well', () => {
    expect(() => assertScenario(makeResult({ reason: 'completed' }))).not.toThrow();
  });

  it('lists every expectation that failed with what was seen, then what happened', () => {
    const run = () => assertScenario(makeResult({ reason: 'stalled', events: ['a', 'ralph -> b -> nobody', 'c'] }));
    expect(run).toThrowErrorMatchingInlineSnapshot(`
      [Error: Scenario "sample" did not go as expected: 2 expectations failed.

        reason
          expected: stalled
          seen:     completed

        events[1]
          expected: ralph -> b -> nobody
          seen:     builder -> b -> ralph (trigger) "some text"
                    all of them:
                      [0] builder -> a -> ralph (trigger) "some text"
                      [1] builder -> b -> ralph (trigger) "some text"
                      [2] builder -> c -> nobody (trigger) "some text"

      What happened:

        run 1: 1 iterations, 500 ms
        1.1 builder (claude) given build.task: succeeded
          builder -> a -> ralph (trigger) "some text"
          builder -> b -> ralph (trigger) "some text"
          builder -> c -> nobody (trigger) "some text"
          refused: builder -> x -> scope (allowed: a, b)
        notice gate-failed: npm test failed
        ended: completed (exit code 0): ralph declared the work complete]
    `);
  });
});
