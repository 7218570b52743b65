import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import { toProof } from '../fold/fold-proof.ts';
import type { GateView, QuestionView, RunView, TurnView } from '../fold/run-view.ts';
import { toGateEndText, toRefusals, toVerdictWords } from '../report/evidence.ts';
import { toReviewSteps } from '../report/next-step.ts';
import { toFateText } from '../report/people-rows.ts';
import { toRunReport } from '../report/run-report.ts';
import { type StatusFacts, toRunningReport } from '../report/running-report.ts';
import { toReadFirst, type WorkFacts } from '../report/work-facts.ts';
import { cutText, toPlainLine } from '../text/plain-text.ts';
import type { Review, ReviewEvidence, ReviewHat, SaidFacts } from './review.ts';

/** What a review is made of, beside the journal. */
export interface ReviewFacts extends Omit<StatusFacts, 'facts'> {
  readonly facts: WorkFacts;
  readonly said: SaidFacts;
  /** What of its journal cannot be read, in words. */
  readonly damage: string | null;
}

const MAX = { objective: 4000, evidence: 40, readFirst: 100, lines: 40 };

/** What a person reads of a run before deciding about its work. Pure. */
export function toReview(view: RunView, given: ReviewFacts): Review {
  const { facts, said, damage, isNewest = true } = given;
  const { headline, isGood, rows } = view.end === null ? toRunningReport(view, given) : toRunReport(view, given);
  const steps = toReviewSteps(view, facts, isNewest);
  return {
    v: 1,
    runId: view.runId,
    state: toState(view, given),
    headline,
    isGood,
    rows: rows.filter((row) => row.label !== 'Next'),
    proof: toProof(view),
    objective: cutText(view.objective, MAX.objective),
    startedAt: view.startedAt,
    at: view.end?.at ?? view.at,
    elapsedMs: view.elapsedMs,
    usage: view.totals.usage,
    evidence: toReviewEvidence(view),
    readFirst: facts.changed === null ? [] : toReadFirst(facts.changed).slice(0, MAX.readFirst),
    said,
    refused: toRefusals(view).slice(0, MAX.lines),
    questions: view.questions.slice(-MAX.lines).map((question) => toAskedText(question, view)),
    stopped: toStopped(view.turns),
    hats: toReviewHats(view),
    next: steps.length > 0 ? steps : rows.filter((row) => row.label === 'Next').map((row) => row.text),
    damage,
    facts,
  };
}

function toState(view: RunView, { isAlive, isUnseen = false }: ReviewFacts): Review['state'] {
  if (view.end !== null) return 'ended';
  return isUnseen ? 'unseen' : isAlive ? 'running' : 'dead';
}

function toReviewEvidence(view: RunView): readonly ReviewEvidence[] {
  const last = new Map(view.turns.flatMap((turn) => turn.gates).map((gate) => [toResultName(gate), gate] as const));
  return [...last.values()].slice(0, MAX.evidence).map((gate) => toOneEvidence(view, gate));
}

function toOneEvidence(view: RunView, gate: GateView): ReviewEvidence {
  const { evidence, command, exitCode, iteration, at } = gate;
  return {
    name: toResultName(gate),
    command,
    verdict: toVerdictWords(view, gate),
    end: toGateEndText(gate),
    exitCode,
    iteration,
    at,
    tree: evidence?.tree ?? null,
    log: evidence?.log ?? null,
  };
}

/** `builder asked: Deploy to staging? answered "yes"` */
function toAskedText(question: QuestionView, view: RunView): string {
  const { hat, purpose, text } = question;
  return `${hat} ${purpose === 'permission' ? 'wanted to' : 'asked'}: ${toPlainLine(text, 400)} - ${toFateText(question, view)}`;
}

/** One line for each kind, the frequent ones first. */
function toStopped(turns: readonly TurnView[]): readonly string[] {
  const counts = new Map<string, number>();
  const add = (text: string, count: number): void => void counts.set(text, (counts.get(text) ?? 0) + count);
  for (const { hat, denials, denied, violations } of turns) {
    for (const { tool, use, reason } of denials)
      add(`${hat}: ${toPlainLine(tool, 40)}${use === undefined ? '' : ` (${toPlainLine(use, 80)})`}: ${toPlainLine(reason, 120)}`, 1);
    if (denied > denials.length) add(`${hat}: more uses of tools`, denied - denials.length);
    if (violations === null) continue;
    const fate = violations.reverted === null ? 'and it is still there' : `${violations.reverted} taken back`;
    for (const { path, what } of violations.changes.slice(0, 3)) add(`${hat} may not write: ${what} ${toPlainLine(path, 120)}, ${fate}`, 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX.lines)
    .map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}

/** The hats of a run that were called, the dearest first, then those that took longest. */
function toReviewHats({ turns }: Pick<RunView, 'turns'>): readonly ReviewHat[] {
  const hats = new Map<string, ReviewHat>();
  for (const turn of turns) {
    const { hat, status, durationMs, usage } = turn;
    const before = hats.get(hat) ?? { hat, turns: 0, failed: 0, durationMs: 0, usage: UNKNOWN_USAGE, unknownCostTurns: 0 };
    hats.set(hat, {
      hat,
      turns: before.turns + 1,
      failed: before.failed + (status === 'failed' || status === 'interrupted' ? 1 : 0),
      durationMs: before.durationMs + (durationMs ?? 0),
      usage: addUsage(before.usage, usage),
      unknownCostTurns: before.unknownCostTurns + (status !== 'running' && usage.costUsd === null ? 1 : 0),
    });
  }
  return [...hats.values()].sort((a, b) => (b.usage.costUsd ?? 0) - (a.usage.costUsd ?? 0) || b.durationMs - a.durationMs);
}
