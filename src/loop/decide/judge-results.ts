import { type GateResult, type GateWait, isRequiredGate, toGateName, toResultName } from '../../core/index.ts';
import { isNoWorse, tellNoWorse } from './baseline.ts';
import { refuseChangedTests, tellChangedTests } from './changed-tests.ts';
import { hasLostTests, refuseLostTests, tellLostTests } from './lost-tests.ts';
import { notify, type Step, tell } from './step.ts';

/** How often gates are asked about one completion while the files under them change. */
const MAX_ROUNDS = 3;

/** What gates said about what waits for them. */
export interface Verdict {
  /** What holds it back. */
  readonly failed: readonly GateResult[];
  /** Failures that stand: those gates were no better before the first turn. */
  readonly tolerated: readonly GateResult[];
  /** Failures of gates that are not required. */
  readonly warned: readonly GateResult[];
  /** True for a completion whose proof is about other files than those that are there now: the gates are to be asked again. */
  readonly isStale: boolean;
}

/** Judges the results of a request. A gate that gave no result has not passed. */
export function judgeResults(step: Step, wait: GateWait, results: readonly GateResult[]): Verdict {
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

function toMissing(step: Step, gate: number): GateResult {
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
export function tellVerdict(step: Step, wait: GateWait, results: readonly GateResult[], { warned, tolerated }: Verdict): void {
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
export function toGateNames(step: Step, gates: readonly number[]): string {
  return gates.map((gate) => toGateName(step.topology.spec.gates[gate] ?? { run: `gate ${gate}` })).join(', ');
}
