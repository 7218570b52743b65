import { toResultName, type Usage } from '../core/index.ts';
import { toGateEndText, toRefusals, toVerdict } from './evidence.ts';
import { toReviewSteps } from './next-step.ts';
import { cutText, toPlainLine } from './plain-line.ts';
import { toProof } from './proof.ts';
import { type ReviewHat, toReviewHats } from './review-hats.ts';
import { type FileToRead, type RunFacts, toReadFirst } from './run-facts.ts';
import type { RunReport } from './run-report.ts';
import { type StatusFacts, toRunStatus } from './run-status.ts';
import type { GateView, RunProof, RunView, TurnView } from './run-view.ts';

/** What somebody said in a run. */
export interface SaidText {
  /** A hat. */
  readonly by: string;
  readonly iteration: number;
  /** The event that it was published with; `null` where it was said. */
  readonly topic: string | null;
  readonly text: string;
}

/** A line that a run added and that says that something is left to be done. */
export interface TodoLine {
  readonly path: string;
  readonly text: string;
}

/** What was said in a run, in a bounded size. */
export interface SaidFacts {
  /** By those who look at work that others did, the newest first. */
  readonly reviews: readonly SaidText[];
  /** Last words, and lines that tell of what was left undone. */
  readonly left: readonly SaidText[];
  readonly todos: readonly TodoLine[];
}

/** What a review is made of, beside the journal. */
export interface ReviewFacts extends Omit<StatusFacts, 'facts'> {
  readonly facts: RunFacts;
  readonly said: SaidFacts;
  /** What of its journal cannot be read, in words. */
  readonly damage: string | null;
}

/** The last verdict of one gate. */
export interface ReviewEvidence {
  readonly name: string;
  readonly command: string;
  readonly verdict: ReturnType<typeof toVerdict>;
  /** How its command ended, in words. */
  readonly end: string;
  readonly exitCode: number | null;
  readonly iteration: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Hash of the files that the verdict is about; `null` where that could not be told. */
  readonly tree: string | null;
  /** File with its whole output; `null` where it was not kept. */
  readonly log: string | null;
}

/** A run for a person who decides what becomes of its work. Plain JSON; what is printed of it is made from nothing else. */
export interface Review {
  readonly v: 1;
  readonly runId: string;
  readonly state: 'running' | 'unseen' | 'ended' | 'dead';
  readonly headline: string;
  readonly isGood: boolean;
  /** What is told of it everywhere. */
  readonly rows: RunReport['rows'];
  readonly proof: RunProof | null;
  readonly objective: string;
  readonly startedAt: number;
  /** Time of the last input. */
  readonly at: number;
  readonly elapsedMs: number;
  readonly usage: Usage;
  readonly evidence: readonly ReviewEvidence[];
  readonly readFirst: readonly FileToRead[];
  readonly said: SaidFacts;
  readonly refused: readonly string[];
  /** Uses of tools that were stopped, and what hats changed that may not. */
  readonly stopped: readonly string[];
  readonly hats: readonly ReviewHat[];
  /** What to type next. */
  readonly next: readonly string[];
  readonly damage: string | null;
  readonly facts: RunFacts;
}

const MAX = { objective: 4000, evidence: 40, readFirst: 100, lines: 40 };

/** Pure. */
export function toReview(view: RunView, given: ReviewFacts): Review {
  const { facts, said, damage, isNewest = true } = given;
  const { headline, isGood, rows } = toRunStatus(view, given);
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
    verdict: toVerdict(view, gate),
    end: toGateEndText(gate),
    exitCode,
    iteration,
    at,
    tree: evidence?.tree ?? null,
    log: evidence?.log ?? null,
  };
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
