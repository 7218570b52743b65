import { type GateResult, toResultName } from '../../core/index.ts';
import { change, notify, type Step } from './step.ts';

/** Keeps how many tests gates ran before the first turn, where they told of any. */
export function noteTests(step: Step, results: readonly GateResult[]): void {
  const { gates } = step.topology.spec;
  const testsBefore = results.flatMap(({ gate, ranTests = 0, isOutputCut = false }) => {
    const spec = gates[gate];
    return spec?.baseline === undefined || ranTests === 0 || isOutputCut ? [] : [{ run: spec.run, tests: ranTests }];
  });
  if (testsBefore.length > 0) change(step, { testsBefore });
}

/**
 * True for a gate that runs fewer tests than before the first turn: a suite that lost what was red is green, and no proof. Of an output that was cut nobody
 * knows: tests that only say more are not lost.
 */
export function hasLostTests(step: Step, result: GateResult): boolean {
  return result.isOutputCut !== true && (result.ranTests ?? 0) < countBefore(step, result);
}

/** A pass of a gate that has lost tests is a failure, which says what is missing. */
export function refuseLostTests(step: Step, result: GateResult): GateResult {
  if (!result.passed || !hasLostTests(step, result)) return result;
  const outputTail = `It ended well, but that does not count: ${toLostText(step, result)}. Bring back what was removed, skipped or taken out of its command. Where the task itself takes tests away, a person allows it: \`fewer_tests: allow\` for this gate.`;
  return { ...result, passed: false, outputTail };
}

/** Tells people which passes count for nothing. */
export function tellLostTests(step: Step, results: readonly GateResult[]): void {
  for (const result of results.filter(({ passed }) => passed)) {
    if (!hasLostTests(step, result)) continue;
    const words = `${toResultName(result)} passed, but that does not count: ${toLostText(step, result)}.`;
    notify(step, 'warning', 'gate-lost-tests', words);
  }
}

function toLostText(step: Step, result: GateResult): string {
  const { ranTests } = result;
  const now = ranTests === undefined ? 'its output tells of no tests' : `it ran ${ranTests} ${ranTests === 1 ? 'test' : 'tests'}`;
  return `${now}; before the first turn there were ${countBefore(step, result)}`;
}

function countBefore({ topology, state }: Step, { gate, skipped = false }: GateResult): number {
  const spec = topology.spec.gates[gate];
  if (spec?.baseline === undefined || spec.mayLoseTests === true || skipped) return 0;
  return state.testsBefore?.find(({ run }) => run === spec.run)?.tests ?? 0;
}
