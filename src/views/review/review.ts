import type { Usage } from '../../core/backends/usage.ts';
import { toDurationText } from '../../core/text/duration.ts';
import type { GateVerdict, RunProof } from '../fold/run-view.ts';
import { cutStart, toChangedTexts, toFileText, toLinesText } from '../report/change-text.ts';
import type { FileToRead, WorkFacts, WorkPlace } from '../report/work-facts.ts';
import { type FactRow, toRows } from '../text/fact-rows.ts';
import { toCount, toList, toPathText, toPlainLine, toSpentText } from '../text/plain-text.ts';

/** A run for a person who decides what becomes of its work. Plain JSON; everything printed of a review comes from it. */
export interface Review {
  readonly v: 1;
  readonly runId: string;
  readonly state: 'running' | 'unseen' | 'ended' | 'dead';
  readonly headline: string;
  readonly isGood: boolean;
  /** The rows of its report. */
  readonly rows: readonly FactRow[];
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
  /** What people were asked, and what became of it. */
  readonly questions: readonly string[];
  /** Uses of tools that were stopped, and what hats changed that may not. */
  readonly stopped: readonly string[];
  readonly hats: readonly ReviewHat[];
  /** What to type next. */
  readonly next: readonly string[];
  readonly damage: string | null;
  readonly facts: WorkFacts;
}

export interface ReviewEvidence {
  readonly name: string;
  readonly command: string;
  readonly verdict: GateVerdict;
  /** How its command ended, in words. */
  readonly end: string;
  readonly exitCode: number | null;
  readonly iteration: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Hash of the files that the verdict is about; `null` where it is not known. */
  readonly tree: string | null;
  /** File with its whole output; `null` where it was not kept. */
  readonly log: string | null;
}

export interface SaidText {
  /** A hat. */
  readonly by: string;
  readonly iteration: number;
  /** The event that it was published with; `null` where it was said. */
  readonly topic: string | null;
  readonly text: string;
}

/** A line that a run added and that says that something is still to be done. */
export interface TodoLine {
  readonly path: string;
  readonly text: string;
}

/** What was said in a run, in a bounded size. */
export interface SaidFacts {
  /** By hats that look at the work of others, the newest first. */
  readonly reviews: readonly SaidText[];
  /** Last words, and lines about what was left undone. */
  readonly left: readonly SaidText[];
  readonly todos: readonly TodoLine[];
}

export interface ReviewHat {
  readonly hat: string;
  readonly turns: number;
  /** Of them, those that failed or were interrupted. */
  readonly failed: number;
  /** Time of its turns together. */
  readonly durationMs: number;
  readonly usage: Usage;
  /** Turns whose cost nobody knows. */
  readonly unknownCostTurns: number;
}

/** The rows of a review in their order: those of the report, and between them what only a reader of the work asks. */
export function toReviewRows(review: Review): readonly FactRow[] {
  const { rows, facts, readFirst, said, stopped, hats, next } = review;
  const changed = facts.changed === null ? [facts.isCopy === true ? CHANGES_ELSEWHERE : UNKNOWN_CHANGES] : toChangedTexts(facts.changed);
  const take = (...labels: readonly string[]): readonly FactRow[] => rows.filter((row) => labels.includes(row.label));
  const known = new Set([
    'Damaged',
    'Why',
    'Asked',
    'Evidence',
    'Flagged',
    'Changed',
    'Commits',
    'Refused',
    'Cost',
    'Used',
    'Left',
    'You',
    'Done',
  ]);
  return [
    ...take('Damaged'),
    ...take('Asked', 'Why'),
    ...rows.filter((row) => !known.has(row.label)),
    ...take('Evidence', 'Flagged'),
    ...toRows('Changed', changed),
    ...toRows('Read', readFirst.map(toReadText)),
    ...take('Commits'),
    ...toRows('Reviews', said.reviews.map(toSaidText)),
    ...take('Left'),
    ...toRows('Left', [...said.todos.map(toTodoText), ...said.left.map(toSaidText)]),
    ...take('Refused'),
    ...toRows('Stopped', stopped),
    ...take('Cost', 'Used'),
    ...toRows('By hat', hats.length < 2 ? [] : hats.map(toHatText)),
    ...toRows('Where', facts.place === null ? [] : [toPlaceText(facts.place)]),
    ...take('You'),
    ...toRows('Next', next),
  ].map(({ label, text }) => ({ label, text: toPlainLine(text, MAX_TEXT) }));
}

const CHANGES_ELSEWHERE = 'not here: `ralph review` tells them where the run is';
const UNKNOWN_CHANGES = 'not known: there are no snapshots of it here, which need a git repository';

const MAX_NAME = 160;
const MAX_TEXT = 1000;
const REASONS: Readonly<Record<FileToRead['why'], string>> = {
  gate: 'a gate runs it',
  protected: 'protected',
  test: 'a test',
  configuration: 'configuration',
  large: 'a large change',
  unchecked: 'changed after the last gate that passed',
};

/** `package.json (a gate runs it; +1 −1)` */
export function toReadText({ file, why }: FileToRead): string {
  const late = file.isAfterGreen && why !== 'unchecked' ? `; ${REASONS.unchecked}` : '';
  return `${cutStart(toFileText(file), MAX_NAME)} (${REASONS[why]}; ${toLinesText(file)}${late})`;
}

/** `reviewer, iteration 5, review.passed` */
export function toSpeaker({ by, iteration, topic }: Omit<SaidText, 'text'>): string {
  return `${toPlainLine(by, 60)}, iteration ${iteration}${topic === null ? '' : `, ${toPlainLine(topic, 80)}`}`;
}

/** `reviewer, iteration 5, review.passed: looks fine` */
function toSaidText({ by, iteration, topic, text }: SaidText): string {
  return `${toSpeaker({ by, iteration, topic })}: ${toPlainLine(text, 400)}`;
}

export function toTodoText({ path, text }: TodoLine): string {
  return `${cutStart(toPathText(path), MAX_NAME)}: ${toPlainLine(text, 200)}`;
}

/** `builder 2 turns (1 failed), 2 min 4 s, $0.10, 4,000 tokens in, 900 out` */
export function toHatText({ hat, turns, failed, durationMs, usage, unknownCostTurns }: ReviewHat): string {
  const trouble = failed === 0 ? '' : ` (${failed} failed or interrupted)`;
  const cost =
    usage.costUsd === null && usage.inputTokens === null ? '' : `, ${toSpentText(usage, usage.costUsd === null ? 0 : unknownCostTurns)}`;
  return `${hat} ${toCount(turns, 'turn')}${trouble}, ${toDurationText(durationMs)}${cost}`;
}

const SHOWN_FILES = 4;

/** `not committed: 2 files (a.txt, b.txt); on branch ralph/…-cart (begun on main), in the worktree …-cart, /…`: what is left to do first, a screen may end before the rest. */
function toPlaceText({ folder, isThere, worktree, baseBranch, state }: WorkPlace): string {
  const path = toPathText(folder);
  if (!isThere) return `${worktree === null ? 'its folder' : `its worktree ${toPathText(worktree)}`} is gone: ${path}`;
  const where = worktree === null ? `in place, ${path}` : `in the worktree ${toPathText(worktree)}, ${path}`;
  if (state === null) return where;
  const branch = state.branch === null ? 'on no branch' : `on branch ${toPathText(state.branch)}`;
  const from = baseBranch === null || baseBranch === state.branch ? '' : ` (begun on ${toPathText(baseBranch)})`;
  const { count, first } = state.uncommitted;
  const more = count > SHOWN_FILES ? [...first.slice(0, SHOWN_FILES), `${count - SHOWN_FILES} more`] : first;
  const open =
    count === 0 ? 'all is committed' : `not committed: ${toCount(count, 'file')} (${toList(more.map(toPathText), SHOWN_FILES + 1)})`;
  return `${open}; ${branch}${from}, ${where}`;
}
