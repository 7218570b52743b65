import { toDurationText } from '../core/index.ts';
import type { FactRow } from './fact-rows.ts';
import { toPathText } from './path-text.ts';
import { toPlainLine } from './plain-line.ts';
import type { Review, SaidText, TodoLine } from './review.ts';
import type { ReviewHat } from './review-hats.ts';
import type { FileToRead, WorkPlace } from './run-facts.ts';
import { toChangedTexts } from './run-report.ts';
import { cutStart, toFileText, toLinesText } from './stat-lines.ts';
import { toCount, toList, toSpentText } from './words.ts';

/** The rows of a review in their order: what is told of the run everywhere, with what only a reader asks between it. */
export function toReviewRows(review: Review): readonly FactRow[] {
  const { rows, facts, readFirst, said, stopped, hats, next } = review;
  const changed = facts.changed === null ? [UNKNOWN_CHANGES] : toChangedTexts(facts.changed);
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

const UNKNOWN_CHANGES = 'not known: there are no snapshots of it, which need a git repository';

function toRows(label: string, texts: readonly string[]): readonly FactRow[] {
  return texts.map((text) => ({ label, text }));
}

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
