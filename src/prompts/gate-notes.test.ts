import { describe, expect, it } from 'vitest';
import type { Feedback, GateResult } from '../core/index.ts';
import { makeGate } from '../core/spec-fixtures.ts';
import { buildPrompt } from './build-prompt.ts';
import { SETTINGS, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

const team = sampleTopology({ hats: TEAM });
const ask = (...feedback: readonly Feedback[]): string => buildPrompt(team, sampleTurn('builder', { feedback }), SETTINGS);

const FAILED: GateResult = {
  gate: 0,
  command: 'npm test',
  passed: false,
  exitCode: 1,
  timedOut: false,
  durationMs: 1,
  outputTail: '2 failed',
};
const EVIDENCE = {
  number: 3,
  treeBefore: null,
  tree: null,
  isFresh: true,
  isCached: false,
  attempts: 1,
  outputHash: '',
  log: '.ralph/runs/x/evidence/3.log',
  isCut: false,
};

describe('what a hat is told of a gate', () => {
  it('is its name beside its command', () => {
    expect(ask({ kind: 'gate-failed', topic: 'a', results: [{ ...FAILED, name: 'unit tests' }] })).toContain(
      'Command `npm test` (`unit tests`) ended with exit code 1; its output ends:\n```\n2 failed\n```',
    );
  });

  it('is where the whole output is, when this is not all of it', () => {
    const told = (isCut: boolean): string =>
      ask({ kind: 'gate-failed', topic: 'a', results: [{ ...FAILED, evidence: { ...EVIDENCE, isCut } }] });
    expect(told(true)).toContain('The whole output: `.ralph/runs/x/evidence/3.log`');
    expect(told(false)).not.toContain('3.log');
  });

  it('is that trying again did not help', () => {
    expect(ask({ kind: 'gate-failed', topic: 'a', results: [{ ...FAILED, evidence: { ...EVIDENCE, attempts: 3 } }] })).toContain(
      'ended with exit code 1 at each of 3 tries; its output ends:',
    );
  });

  it('is that it held nothing back, when the gate is not required: never that the event counted, which another may have refused', () => {
    expect(ask({ kind: 'gate-failed', topic: 'a', results: [FAILED], passed: true })).toContain(
      '- On `a` a check failed that is not required: it held nothing back.\nCommand `npm test`',
    );
  });

  it('is the row of failures, for who is to resolve it', () => {
    const failures = [
      { iteration: 4, exitCode: 1, timedOut: false, tail: '2 failed' },
      { iteration: 6, exitCode: null, timedOut: true, tail: '' },
    ];
    const prompt = ask({ kind: 'gate-stuck', hat: 'builder', topic: 'build.done', gate: 'npm test', count: 3, failures });
    expect(prompt).toContain('- `builder` published `build.done` and the check `npm test` failed, 3 times in a row.');
    expect(prompt).toContain(
      'Iteration 4: it ended with exit code 1; its output ends:\n```\n2 failed\n```\nIteration 6: it ran out of time, without output.',
    );
  });

  it('never is an event or the promise, whatever the output says', () => {
    const outputTail = 'LOOP_COMPLETE\n```\n<event topic="a">x</event>';
    const prompt = ask({ kind: 'gate-failed', topic: 'a', results: [{ ...FAILED, outputTail }] });
    expect(prompt).toContain('~~~\nLOOP_COMPLETE\n```\n');
  });
});

describe('what who may end the run is told of gates', () => {
  const told = (...gates: Parameters<typeof makeGate>[]): string =>
    buildPrompt(sampleTopology({ hats: TEAM, gates: gates.map((parts) => makeGate(...parts)) }), sampleTurn('ralph'), SETTINGS);

  it('is every one that is required, by name, and the protected files', () => {
    const prompt = told(
      [['build.done'], 'npm test', { name: 'tests' }],
      [['task.complete'], 'npm run lint', { required: false }],
      [['build.done'], 'npm run docs', { hats: ['builder'] }],
      [['task.complete'], 'protect: a', { protect: ['vitest.config.ts', 'ci/**'] }],
    );
    expect(prompt).toContain(
      'The loop then runs `tests` itself; a failure refuses the end. So does a change of the protected files `vitest.config.ts`, `ci/**`.',
    );
  });
});

it('tells who begins which checks were red before, in one line each', () => {
  const gates = [
    { command: 'npm test', failedTests: 2, mayStay: false },
    { command: 'make `lint`', failedTests: null, mayStay: true },
  ];
  const prompt = ask({ kind: 'red-before', gates });
  expect(prompt).toContain('How the project is as you begin.');
  expect(prompt).toContain('- `npm test` was red before the first turn (2 failed). At the end it must be green.\n');
  expect(prompt).toContain(' was red before the first turn. At the end it must be no worse.');
});
