import { expect, it } from 'vitest';
import type { GateResult, StartTestsResult } from '../../core/gates/gate-result.ts';
import type { GateSpec } from '../../core/gates/gate-spec.ts';
import { makeSpec } from '../../core/spec-fixtures.ts';
import { createScript } from '../fixtures.ts';
import { toRunReport } from '../report/run-report.ts';
import { toProof } from './fold-proof.ts';
import { foldRunView } from './fold-run-view.ts';

const TESTS: GateSpec = { on: ['task.complete'], run: 'npm test', timeoutMs: 1000 };

function toResult(changes: Partial<GateResult> = {}): GateResult {
  return { gate: 0, command: 'npm test', passed: true, exitCode: 0, timedOut: false, durationMs: 5, outputTail: '', ...changes };
}

/** A run of one turn that completes, after its gates showed these results; `null`: they were not asked. */
function complete(gates: readonly GateSpec[], results: readonly GateResult[] | null) {
  const script = createScript(makeSpec({ gates }));
  script.startTurn('ralph', 1);
  script.endTurn(1);
  if (results !== null) {
    script.effect({ type: 'gates-run', request: 1, gates: gates.map((_, index) => index), topics: ['task.complete'] });
    script.input({ type: 'gates-finished', request: 1, results });
  }
  script.effect({ type: 'run-end', reason: 'completed', detail: 'ralph declared the work complete' });
  return foldRunView(script.records);
}

const tell = (...args: Parameters<typeof complete>): string => {
  const proof = toProof(complete(...args));
  return proof === null ? 'none' : `${proof.isProven ? 'proven' : 'unproven'}: ${proof.reason}`;
};

it('calls a completion proven that a required gate let through', () => {
  expect(tell([TESTS], [toResult()])).toBe('proven: npm test passed');
  expect(toRunReport(complete([TESTS], [toResult()])).headline).toMatch(/^Completed after 1 iteration/);
});

it('calls a completion unproven that nothing but words speaks for', () => {
  expect(tell([], null)).toBe('unproven: no gate is configured, so the agents’ word is all there is');
  expect(tell([{ ...TESTS, required: false }], [toResult()])).toBe('unproven: no gate that runs a command is required');
  expect(tell([{ ...TESTS, protect: ['ci/**'] }], [toResult()])).toBe('unproven: no gate that runs a command is required');
  expect(tell([TESTS], [toResult({ skipped: true })])).toBe('unproven: no gate was run: nothing that they are about has changed');
  expect(tell([{ ...TESTS, hats: ['other'] }], null)).toBe('unproven: no required gate was run');
  const report = toRunReport(complete([], null));
  expect(report).toMatchObject({ isGood: false, headline: expect.stringMatching(/^Completed, unproven after 1 iteration/) });
});

it('calls a completion unproven whose gate is as red as before the run', () => {
  const gates = [TESTS, { ...TESTS, run: 'make lint', baseline: 'no_worse' as const }];
  expect(tell(gates, [toResult(), toResult({ gate: 1, command: 'make lint', passed: false })])).toBe(
    'unproven: make lint still failed, no worse than before the first turn',
  );
});

it('calls a completion unproven that a gate lets through with changed tests only, unless that is allowed', () => {
  const toTried = (outcome: StartTestsResult['outcome'], changed = ['test/a.js']) =>
    toResult({ startTests: { outcome, changed, total: changed.length, outputTail: '' } });
  expect(tell([TESTS], [toTried('passed')])).toBe('proven: npm test passed, also with the tests as they were at the start');
  expect(tell([TESTS], [toTried('failed')])).toBe('unproven: npm test passes only with tests that the run changed (test/a.js)');
  expect(tell([TESTS], [toTried('unknown')])).toBe(
    'unproven: the run changed tests (test/a.js), and whether npm test passes with those of the start could not be found out',
  );
  expect(tell([TESTS], [toTried('unknown', [])])).toBe(
    'unproven: whether the run changed tests could not be found out: git no longer tells which files there are',
  );
  expect(tell([{ ...TESTS, mayChangeTests: true }], [toTried('failed')])).toBe('proven: npm test passed');
});

it('does not take for evidence what a gate showed earlier, or before the first turn', () => {
  const script = createScript(makeSpec({ gates: [TESTS] }));
  script.effect({ type: 'gates-run', request: 1, gates: [0], topics: [], isBaseline: true });
  script.input({ type: 'gates-finished', request: 1, results: [toResult()] });
  script.effect({ type: 'run-end', reason: 'completed', detail: '' });
  expect(toProof(foldRunView(script.records))).toMatchObject({ isProven: false });
});

it('says nothing of a run that has not completed', () => {
  const script = createScript(makeSpec({ gates: [] }));
  script.startTurn('ralph', 1);
  expect(toProof(foldRunView(script.records))).toBeNull();
  script.endTurn(1);
  script.effect({ type: 'run-end', reason: 'max_iterations', detail: '' });
  expect(toProof(foldRunView(script.records))).toBeNull();
});
