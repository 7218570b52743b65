import { toResultName } from '../../core/gates/gate-result.ts';
import { isFailureLine, pickTellingLines } from '../../core/text/telling-lines.ts';
import type { EvidenceRow } from '../../wire/evidence-row.ts';
import type { GateVerdict, GateView, RunView, TurnView } from '../fold/run-view.ts';
import { isNoPass, toGateEndText, toVerdictWords } from '../report/evidence.ts';
import { toCount, toPlainLine } from '../text/plain-text.ts';

const WHY_LENGTH = 600;
const WHY_LINES = 8;

/** One row for each configured gate, in their order. */
export function toEvidenceRows(view: RunView): readonly EvidenceRow[] {
  const tallies = new Map<number, GateTally>();
  const noPasses = { notices: view.notices.filter(isNoPass) };
  for (const [place, turn] of view.turns.entries())
    for (const gate of turn.gates) {
      const { runs, failures } = tallies.get(gate.gate) ?? NO_RUNS;
      const verdict = toVerdictWords(noPasses, gate);
      const hasRun = gate.skipped !== true && gate.evidence?.isCached !== true;
      const counts = { runs: runs + (hasRun ? 1 : 0), failures: failures + (hasRun && verdict !== 'passed' ? 1 : 0) };
      tallies.set(gate.gate, { gate, verdict, place, ...counts });
    }
  return view.gates.map((name, index) => toEvidenceRow(view, index, name, tallies.get(index)));
}

/** What a gate came to so far. */
interface GateTally {
  readonly gate: GateView;
  readonly verdict: GateVerdict;
  /** Of the turn that it was about. */
  readonly place: number;
  readonly runs: number;
  readonly failures: number;
}

const NO_RUNS = { runs: 0, failures: 0 };

function toEvidenceRow(view: RunView, index: number, name: string, tally: GateTally | undefined): EvidenceRow {
  const source = view.gateSources[index];
  const facts = { gate: index, name: toPlainLine(name, 100), command: source?.command ?? null, isRequired: source?.isRequired !== false };
  if (tally === undefined) return { ...facts, ...NOT_RUN };
  const { gate, verdict, place, runs, failures } = tally;
  return {
    ...facts,
    name: toPlainLine(toResultName(gate), 100),
    verdict,
    how: toGateEndText(gate),
    why: verdict === 'failed' ? toWhy(gate.outputTail) : '',
    iteration: gate.iteration,
    at: gate.at,
    number: gate.evidence?.number ?? null,
    tree: gate.evidence?.tree ?? null,
    ...toAge(verdict, gate.iteration, countChanged(view.turns.slice(place + 1))),
    runs,
    failures,
  };
}

const NOT_RUN = {
  verdict: 'not run',
  how: '',
  why: '',
  iteration: null,
  at: null,
  number: null,
  tree: null,
  changedSince: null,
  age: '',
  runs: 0,
  failures: 0,
} as const;

/** `null`: one of them is under way, or nobody looked at its files. */
function countChanged(turns: readonly TurnView[]): number | null {
  const changed = turns.filter(({ treeChanged }) => treeChanged === true).length;
  return changed > 0 || turns.every(({ treeChanged }) => treeChanged === false) ? changed : null;
}

function toAge(verdict: GateVerdict, turn: number, changedSince: number | null): Pick<EvidenceRow, 'changedSince' | 'age'> {
  if (changedSince === null) return { changedSince, age: `may be old: files may have changed since turn ${turn}` };
  if (changedSince === 0) return { changedSince, age: 'of the files as they are' };
  if (verdict === 'failed') return { changedSince, age: `was red after turn ${turn}, not run since` };
  return { changedSince, age: `old: ${toCount(changedSince, 'turn')} changed files since turn ${turn}` };
}

/** Of lines that tell why and lines that only stand beside them, those that tell. */
function toWhy(text: string): string {
  const lines = pickTellingLines(text, WHY_LINES);
  const telling = lines.filter(isFailureLine);
  return (telling.length === 0 ? lines : telling)
    .map((line) => toPlainLine(line, 200))
    .join('\n')
    .slice(0, WHY_LENGTH);
}
