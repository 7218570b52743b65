import { CHANGED_TESTS_MARK, type GateResult, type GateWait, type StartTestsResult, toResultName } from '../../core/index.ts';
import { notify, type Step } from './step.ts';

/**
 * A pass that a gate owes to tests which the run changed is a failure, which shows what the tests of the start say. Who claims the end and says why the task asks for
 * other tests is believed so far that the run may end; nothing is proven then.
 */
export function refuseChangedTests(step: Step, { completion }: GateWait, result: GateResult): GateResult {
  const tried = findTried(step, result);
  if (tried?.outcome !== 'failed' || completion === null || completion.changedTests !== undefined) return result;
  return { ...result, passed: false, outputTail: toRefusal(tried) };
}

/** Tells people what passes are worth where tests were changed. */
export function tellChangedTests(step: Step, { completion }: GateWait, results: readonly GateResult[]): void {
  if (completion === null) return;
  for (const result of results) {
    const tried = findTried(step, result);
    if (tried === null || tried.outcome === 'passed') continue;
    const [name, changed] = [toResultName(result), toChangedText(tried)];
    const reason = completion.changedTests;
    if (tried.outcome === 'unknown' && tried.total === 0) {
      notify(
        step,
        'warning',
        'changed-tests',
        `${name} passed, and nobody knows whether tests were changed: ${toFirstLine(tried.outputTail)}`,
      );
    } else if (tried.outcome === 'unknown') {
      const words = `${name} passed, but could not be checked with the tests from the start (${changed}): ${toFirstLine(tried.outputTail)}`;
      notify(step, 'warning', 'changed-tests', words);
    } else if (reason === undefined) {
      const words = `${name} passed, but that does not count: with the tests as they were at the start (${changed}) it fails.`;
      notify(step, 'warning', 'gate-changed-tests', words);
    } else {
      const words = `${name} fails with the tests as they were at the start (${changed}); ${completion.source} says why they had to change: ${reason}`;
      notify(step, 'warning', 'changed-tests', words);
    }
  }
}

function findTried({ topology }: Step, { gate, passed, startTests }: GateResult): StartTestsResult | null {
  return !passed || topology.spec.gates[gate]?.mayChangeTests === true ? null : (startTests ?? null);
}

function toRefusal(tried: StartTestsResult): string {
  const told = `This gate passes only with tests that the run changed (${toChangedText(tried)}). With the tests from the start it fails; see below. Fix the code, or restore the tests.
Only where the task itself asks for other tests: claim the end again, with a line of its own in your final message that begins with \`${CHANGED_TESTS_MARK}\` and says what in the task asks for it. The run then ends, and a person reads that line first.`;
  const isSilent = tried.outputTail.trim().length === 0;
  return isSilent ? told : `${told}\n\nWith the tests from the start:\n${tried.outputTail}`;
}

function toChangedText({ changed, total }: StartTestsResult): string {
  const more = total - changed.length;
  return `${changed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function toFirstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
