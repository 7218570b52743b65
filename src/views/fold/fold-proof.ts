import { type GateResult, type StartTestsResult, toResultName } from '../../core/gates/gate-result.ts';
import { type GateSpec, isRequiredGate } from '../../core/gates/gate-spec.ts';
import type { RunRecord } from '../../core/run/run-record.ts';
import { toList, toPlainLine } from '../text/plain-text.ts';
import type { RunProof, RunView } from './run-view.ts';

/** Whether the completion of a run is proven; `null` for a run that has not completed. */
export function toProof({ end }: Pick<RunView, 'end'>): RunProof | null {
  return end?.proof ?? null;
}

/** Learns from a run's records, as they come, whether its completion is proven. */
export interface ProofFold {
  readonly take: (record: RunRecord) => void;
  /** `null` as long as the run has not completed. */
  readonly proof: () => RunProof | null;
}

/**
 * A fold for callers that need no whole view.
 *
 * @param declared the gates of a run of which only the records since a resume will come
 */
export function createProofFold(declared: readonly GateSpec[] = []): ProofFold {
  let gates = declared;
  const baselines = new Set<number>();
  /** What gates said in the input that is decided; only that can be the verdict on a completion. */
  let judged: readonly GateResult[] = [];
  let proof: RunProof | null = null;
  return {
    take: (record) => {
      if (record.kind === 'input') {
        const { input } = record;
        if ((input.type === 'run-started' || input.type === 'run-resumed') && input.spec !== undefined) ({ gates } = input.spec);
        judged = input.type === 'gates-finished' && !baselines.has(input.request) ? input.results : [];
        if (input.type === 'run-resumed') proof = null;
      } else if (record.kind === 'effect') {
        const { effect } = record;
        if (effect.type === 'gates-run' && effect.isBaseline === true) baselines.add(effect.request);
        if (effect.type === 'run-end') proof = effect.reason === 'completed' ? judge(gates, judged) : null;
      }
    },
    proof: () => proof,
  };
}

function judge(gates: readonly GateSpec[], results: readonly GateResult[]): RunProof {
  if (gates.length === 0) return { isProven: false, reason: 'no gate is configured, so the agents’ word is all there is' };
  // Unchanged protected files say nothing about the work.
  const proving = gates.filter((gate) => gate.protect === undefined && isRequiredGate(gate));
  if (proving.length === 0) return { isProven: false, reason: 'no gate that runs a command is required' };
  const required = results.filter((result) => proving.includes(gates[result.gate] as GateSpec));
  const red = required.filter((result) => !result.passed);
  if (red.length > 0) return { isProven: false, reason: `${toNames(red)} still failed, no worse than before the first turn` };
  const passed = required.filter((result) => result.skipped !== true);
  const [changed] = passed.filter(({ gate, startTests }) => startTests !== undefined && isOwed(gates[gate], startTests));
  if (changed?.startTests !== undefined) return { isProven: false, reason: toChangedReason(changed, changed.startTests) };
  const isSame = passed.some(({ startTests }) => startTests?.outcome === 'passed');
  const also = isSame ? ', also with the tests as they were at the start' : '';
  if (passed.length > 0) return { isProven: true, reason: `${toNames(passed)} passed${also}` };
  const isSkipped = required.length > 0;
  return { isProven: false, reason: isSkipped ? 'no gate was run: nothing that they are about has changed' : 'no required gate was run' };
}

/** A pass that may be owed to tests that the run changed. */
function isOwed(gate: GateSpec | undefined, { outcome }: StartTestsResult): boolean {
  return outcome !== 'passed' && gate?.mayChangeTests !== true;
}

function toChangedReason(result: GateResult, { outcome, changed, total }: StartTestsResult): string {
  const files = `${toList(
    changed.map((path) => toPlainLine(path, 100)),
    4,
  )}${total > changed.length ? `, ${total} files in all` : ''}`;
  const name = toNames([result]);
  if (total === 0) return 'whether the run changed tests could not be found out: git no longer tells which files there are';
  if (outcome === 'failed') return `${name} passes only with tests that the run changed (${files})`;
  return `the run changed tests (${files}), and whether ${name} passes with those of the start could not be found out`;
}

function toNames(results: readonly GateResult[]): string {
  return toList(
    results.map((result) => toPlainLine(toResultName(result), 100)),
    4,
  );
}
