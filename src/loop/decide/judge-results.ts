import { CHANGED_TESTS_MARK } from '../../core/gates/changed-tests.ts';
import { type GateResult, type StartTestsResult, toResultName } from '../../core/gates/gate-result.ts';
import { isRequiredGate, toGateName } from '../../core/gates/gate-spec.ts';
import type { GateWait } from '../../core/run/state.ts';
import { hasLostTests, isNoWorse, refuseLostTests, tellLostTests, tellNoWorse } from './baseline.ts';
import { type LoopStep, notify, tell } from './step.ts';

/** How often gates are asked about one completion while the files under them change. */
const MAX_ROUNDS = 3;

/** What the gates' results mean for the events or the completion that wait for them. */
export interface Verdict {
  /** What holds it back. */
  readonly failed: readonly GateResult[];
  /** Failures that are allowed: those gates were no better before the first turn. */
  readonly tolerated: readonly GateResult[];
  /** Failures of gates that are not required. */
  readonly warned: readonly GateResult[];
  /** True for a completion whose proof is about other files than those that are there now: the gates are to be asked again. */
  readonly isStale: boolean;
}

/** Judges the results of a request. A gate that gave no result has not passed. */
export function judgeResults(step: LoopStep, wait: GateWait, results: readonly GateResult[]): Verdict {
  const judged = wait.gates.map((gate) => {
    const result = results.find((entry) => entry.gate === gate) ?? toMissing(step, gate);
    return refuseChangedTests(step, wait, refuseLostTests(step, result));
  });
  const isRequired = ({ gate }: GateResult): boolean => isRequiredGate(step.topology.spec.gates[gate] ?? {});
  const failed = judged.filter((result) => !result.passed);
  const isTolerated = (result: GateResult): boolean => isRequired(result) && isNoWorse(step, result) && !hasLostTests(step, result);
  const verdict = {
    failed: failed.filter((result) => isRequired(result) && !isTolerated(result)),
    tolerated: failed.filter(isTolerated),
    warned: failed.filter((result) => !isRequired(result)),
  };
  const stale = wait.completion === null ? [] : judged.filter((result) => isRequired(result) && result.evidence?.isFresh === false);
  if (verdict.failed.length > 0 || stale.length === 0) return { ...verdict, isStale: false };
  if ((wait.round ?? 1) < MAX_ROUNDS) return { ...verdict, isStale: true };
  return { ...verdict, failed: stale.map((result) => toUnsteady(result, judged)), isStale: false };
}

function toMissing(step: LoopStep, gate: number): GateResult {
  const spec = step.topology.spec.gates[gate];
  const named = spec?.name === undefined ? {} : { name: spec.name };
  return {
    gate,
    ...named,
    command: spec?.run ?? '',
    passed: false,
    exitCode: null,
    timedOut: false,
    durationMs: 0,
    outputTail: 'The gate gave no result.',
  };
}

function toUnsteady(result: GateResult, judged: readonly GateResult[]): GateResult {
  const under = judged.filter(({ evidence }) => evidence !== undefined && !evidence.isCached && evidence.treeBefore !== evidence.tree);
  const whose = under.length === 0 ? '' : ` Files changed while this ran: ${under.map(toResultName).join(', ')}.`;
  const outputTail = `It passed, but files changed before all gates were done, ${MAX_ROUNDS} times. Nothing may write files while gates run, or between a pass and the end.${whose}`;
  return { ...result, passed: false, outputTail };
}

/** Tells what passed only at a further try, and what failed without holding anything back. */
export function tellVerdict(step: LoopStep, wait: GateWait, results: readonly GateResult[], { warned, tolerated }: Verdict): void {
  for (const result of results) {
    const { attempts = 1, isCached = false } = result.evidence ?? {};
    if (result.passed && attempts > 1 && !isCached)
      notify(step, 'warning', 'gate-flaky', `${toResultName(result)} passed at try ${attempts}: it does not always say the same.`);
  }
  tellNoWorse(step, tolerated);
  tellLostTests(step, results);
  tellChangedTests(step, wait, results);
  if (warned.length === 0) return;
  const topic = wait.completion?.topic ?? wait.drafts.map((draft) => draft.topic).join(', ');
  const names = warned.map(toResultName).join(', ');
  notify(step, 'warning', 'gate-warning', `${names} failed on ${topic} of ${wait.hat}; it is not required and holds nothing back.`);
  tell(step, wait.hat, { kind: 'gate-failed', topic, results: warned, passed: true });
}

/** The gates of a wait, as people call them. */
export function toGateNames(step: LoopStep, gates: readonly number[]): string {
  return gates.map((gate) => toGateName(step.topology.spec.gates[gate] ?? { run: `gate ${gate}` })).join(', ');
}

/**
 * Makes a pass a failure where the gate fails with the tests from the start. An agent that claims the end and says why the task asks for other tests is
 * believed so far that the run may end; nothing is proven then.
 */
function refuseChangedTests(step: LoopStep, { completion }: GateWait, result: GateResult): GateResult {
  const tried = findTried(step, result);
  if (tried?.outcome !== 'failed' || completion === null || completion.changedTests !== undefined) return result;
  return { ...result, passed: false, outputTail: toRefusal(tried) };
}

/** Tells people which passes depend on tests that the run changed. */
function tellChangedTests(step: LoopStep, { completion }: GateWait, results: readonly GateResult[]): void {
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

function findTried({ topology }: LoopStep, { gate, passed, startTests }: GateResult): StartTestsResult | null {
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
