import { describe, expect, it } from 'vitest';
import { sampleFacts } from '../fixtures.ts';
import type { GateView, RunView } from '../fold/run-view.ts';
import { toChangedPackages, toEvidence, toGateEndText, toIdleClaims, toLostTests, toRefusalText, toUnseenCauses } from './evidence.ts';

const EVIDENCE = {
  number: 4,
  treeBefore: 'a',
  tree: 'a',
  isFresh: true,
  isCached: false,
  attempts: 1,
  outputHash: '',
  log: null,
  isCut: false,
};
const PASSED: GateView = {
  gate: 0,
  command: 'npm test',
  passed: true,
  exitCode: 0,
  timedOut: false,
  durationMs: 1200,
  outputTail: '',
  iteration: 3,
  at: 0,
  topics: [],
  evidence: EVIDENCE,
};

function evidenceOf(...gates: readonly GateView[]): readonly string[] {
  return toEvidence({ turns: [{ gates }], notices: [] } as unknown as RunView);
}

describe('what gates showed, in words', () => {
  it('is the last verdict of each, with its record, and how it went before', () => {
    expect(evidenceOf({ ...PASSED, passed: false, exitCode: 1, evidence: { ...EVIDENCE, number: 3 } }, PASSED)).toEqual([
      'passed  npm test (exit 0, 1.2 s, iteration 3; 2 runs, 1 failed; evidence 4)',
    ]);
  });

  it('does not count what was not run', () => {
    expect(evidenceOf(PASSED, { ...PASSED, iteration: 5, evidence: { ...EVIDENCE, isCached: true } })).toEqual([
      'passed  npm test (passed before on the same files, iteration 5; 1 run, none failed; evidence 4)',
    ]);
  });

  it('calls nothing passed that was never run', () => {
    expect(evidenceOf({ ...PASSED, skipped: true, exitCode: null })[0]).toMatch(/^skipped {2}npm test \(not run: /);
  });

  it('calls a gate by its name', () => {
    expect(evidenceOf({ ...PASSED, name: 'unit tests' })[0]).toContain('passed  unit tests (');
  });

  it('says that the verdict is about the files as the gate left them', () => {
    expect(evidenceOf({ ...PASSED, evidence: { ...EVIDENCE, tree: 'b' } })[0]).toContain('about the files as they were after it');
  });

  it.each<[string, Partial<GateView>]>([
    ['exit 0, 1.2 s', {}],
    ['exit 0 at try 2, 1.2 s', { evidence: { ...EVIDENCE, attempts: 2 } }],
    ['exit 0, 1.2 s, on worker strong', { evidence: { ...EVIDENCE, worker: 'strong' } }],
    ['passed before on the same files, on worker strong', { evidence: { ...EVIDENCE, worker: 'strong', isCached: true } }],
    ['ran out of time, 1.2 s', { timedOut: true, exitCode: null }],
    ['ended without an exit code, 1.2 s', { exitCode: null }],
    ['not run: nothing that it is about has changed', { skipped: true, exitCode: null }],
  ])('is `%s`', (text, changes) => {
    expect(toGateEndText({ ...PASSED, ...changes })).toBe(text);
  });

  it('says once why a pass did not count, where the run did not complete', () => {
    const lost = { at: 1, level: 'warning', code: 'gate-lost-tests', text: 'npm test passed, but that does not count' };
    const view = { notices: [lost, lost], end: { reason: 'gate_refused' } } as unknown as RunView;
    expect(toLostTests(view)).toEqual([lost.text]);
    expect(toLostTests({ ...view, end: { reason: 'completed' } } as unknown as RunView)).toEqual([]);
  });

  it('does not call a pass that did not count `passed`, and calls the one after it so', () => {
    const notices = [
      { at: 7, level: 'warning', code: 'gate-lost-tests', text: 'npm test passed, but that does not count: it ran 3 tests.' },
    ];
    const of = (...gates: readonly GateView[]): string | undefined => toEvidence({ turns: [{ gates }], notices } as unknown as RunView)[0];
    expect(of({ ...PASSED, at: 7 })).toMatch(/^did not count {2}npm test \(exit 0/);
    expect(of({ ...PASSED, at: 7 }, { ...PASSED, at: 9 })).toMatch(/^passed {2}npm test .*2 runs, 1 failed/);
    expect(of({ ...PASSED, at: 7, command: 'npm run lint' })).toMatch(/^passed {2}npm run lint/);
  });

  it('flags a gate that turned green in a run that changed no file which git knows', () => {
    const red = { ...PASSED, passed: false, exitCode: 1 };
    const view = { baseline: [red], turns: [{ gates: [red, PASSED] }] } as unknown as RunView;
    expect(toUnseenCauses(view, 0)).toEqual([
      expect.stringMatching(/^npm test was red and is green, and no file that git knows has changed/),
    ]);
    expect(toUnseenCauses(view, 1)).toEqual([]);
    expect(toUnseenCauses(view, null)).toEqual([]);
    expect(toUnseenCauses({ ...view, baseline: [PASSED] } as unknown as RunView, 0)).toEqual([]);
    expect(toUnseenCauses({ ...view, turns: [{ gates: [red] }] } as unknown as RunView, 0)).toEqual([]);
  });

  it('flags installed packages that changed though no lock file did', () => {
    const packages = { count: 5, first: ['node_modules/chai/index.js', 'node_modules/a\nb', 'c', 'd', 'e'], isWhole: true };
    expect(toChangedPackages(sampleFacts(['src/a.js'], { packages }))).toEqual([
      'installed packages changed since the run began, no lock file did: node_modules/chai/index.js, "node_modules/a\\nb", c and 2 more (5 files)',
    ]);
    expect(toChangedPackages(sampleFacts(['web/package-lock.json'], { packages }))).toEqual([]);
    expect(toChangedPackages(sampleFacts([], { packages: { ...packages, count: 0, first: [] } }))).toEqual([]);
    expect(toChangedPackages(sampleFacts([]))).toEqual([]);
  });

  it('flags completions that nothing in their turn speaks for', () => {
    const notices = [
      { at: 1, level: 'warning', code: 'idle-completion', text: 'ralph claimed' },
      { at: 1, level: 'info', code: 'other', text: 'x' },
    ];
    expect(toIdleClaims({ notices } as unknown as RunView)).toEqual(['ralph claimed']);
  });
});

it.each([
  ['held', 'task.complete of ralph waits: an event of a person goes first'],
  ['gate', 'task.complete of ralph was refused by a gate'],
] as const)('a refusal says what happened: %s', (why, text) => {
  expect(toRefusalText({ hat: 'ralph', topic: 'task.complete', why })).toBe(text);
});
