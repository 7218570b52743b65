import { toStatLines } from '../report/change-text.ts';
import { type FactRow, toRowLines, wrapText } from '../text/fact-rows.ts';
import { cleanText, cutText, toCount, toPlainLine } from '../text/plain-text.ts';
import { type Review, type SaidText, toHatText, toReadText, toReviewRows, toSpeaker, toTodoText } from './review.ts';

/** How a review is laid out for a terminal. */
export interface ReviewLayout {
  readonly width: number;
  /** Lines of the screen; the whole has no more than these. */
  readonly height: number;
  /** A time for the person who reads it. */
  readonly clock: (at: number) => string;
  readonly styleLabel?: (label: string) => string;
}

/** Which labels get the lines that are left over, in this order, up to how many. */
const WANTS: readonly (readonly [label: string, lines: number])[] = [
  ['Changed', 3],
  ['Evidence', 2],
  ['Next', 4],
  ['Read', 4],
  ['Flagged', 3],
  ['Reviews', 2],
  ['Left', 3],
  ['You', 2],
  ['Read', 8],
  ['Evidence', 4],
  ['By hat', 3],
  ['Commits', 2],
  ['Refused', 2],
  ['Stopped', 2],
  ['Reviews', 4],
  ['Last', 4],
  ['By hat', 6],
];
/** These labels are dropped first where there is not one line for each. */
const LEAST = ['By hat', 'Stopped', 'Refused', 'Asked', 'Commits', 'Why', 'Reviews', 'Left'];

/** A review on one screen: every label with at least a line, what matters with more. */
export function toReviewScreen(review: Review, { width, height, clock, styleLabel }: ReviewLayout): readonly string[] {
  const head = [...wrapText(review.headline, width).slice(0, 2), toTimeLine(review, clock, width)];
  const foot = `More: ralph review ${review.runId} --full`;
  // The prompt of the shell takes one.
  const rows = fitRows(toReviewRows(review), height - head.length - 2);
  const column = Math.max(...rows.map((row) => row.label.length)) + 2;
  const room = width - column - 2;
  const lines = rows.map(({ label, text }) => ({ label, text: label === 'Next' ? text : cutText(text, room) }));
  return [...head, ...toRowLines(lines, { width: Number.MAX_SAFE_INTEGER, ...(styleLabel && { styleLabel }) }), cutText(foot, width)];
}

function toTimeLine({ runId, startedAt, at }: Review, clock: (at: number) => string, width: number): string {
  return cutText(`Run ${runId}, ${clock(startedAt)} to ${clock(at)}`, width);
}

/** The first rows of each label, as many as fit, with how many more there are. */
function fitRows(rows: readonly FactRow[], budget: number): readonly FactRow[] {
  const labels = [...new Set(rows.map((row) => row.label))];
  const total = new Map(labels.map((label) => [label, rows.filter((row) => row.label === label).length]));
  const given = new Map(labels.map((label) => [label, 1]));
  for (const label of LEAST) if (sum(given) > budget) given.delete(label);
  for (const [label, most] of WANTS) {
    const has = given.get(label);
    if (has === undefined) continue;
    const more = Math.min(most, total.get(label) ?? 0) - has;
    given.set(label, has + Math.max(0, Math.min(more, budget - sum(given))));
  }
  return labels.flatMap((label) => {
    const count = given.get(label) ?? 0;
    const own = rows.filter((row) => row.label === label);
    const left = own.length - count;
    return own.slice(0, count).map((row, index) => (left > 0 && index === count - 1 ? { label, text: `(+${left}) ${row.text}` } : row));
  });
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

const MAX_FILES = 200;
/** These labels have their own list below. */
const LISTED = new Set(['Read', 'Reviews', 'Left', 'By hat', 'Stopped', 'Evidence', 'Commits', 'Refused']);

/** All of a review, section by section. */
export function toReviewDetails(review: Review, { width, clock, styleLabel }: Omit<ReviewLayout, 'height'>): readonly string[] {
  const { facts, evidence, said, readFirst, hats, refused, stopped, objective, rows } = review;
  const layout = { width, ...(styleLabel && { styleLabel }) };
  const list = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : ['', styleLabel?.(title) ?? title, ...texts.flatMap((text) => toItem(text, width))];
  const commits = facts.place?.state?.commits ?? null;
  const events = rows.filter((row) => row.label === 'Left').map((row) => row.text);
  return [
    ...wrapText(review.headline, width),
    toTimeLine(review, clock, width),
    ...toRowLines(
      toReviewRows(review).filter((row) => !LISTED.has(row.label)),
      layout,
    ),
    ...list('Task', [cleanText(objective).replaceAll('\t', '  ')]),
    ...list(
      'Evidence',
      evidence.map(({ name, command, verdict, end, iteration, at, tree, log }) =>
        [
          `${verdict}  ${toPlainLine(name, 200)} (${end}), ${clock(at)}, after iteration ${iteration}`,
          ...(name === command ? [] : [`command ${toPlainLine(command, 300)}`]),
          ...(tree === null ? [] : [`files ${tree}`]),
          ...(log === null ? [] : [`output ${toPlainLine(log, 300)}`]),
        ].join('\n'),
      ),
    ),
    ...list('Read first', readFirst.map(toReadText)),
    ...toFileLines(review, width, styleLabel),
    ...list(
      'Commits',
      commits === null
        ? rows.filter((row) => row.label === 'Commits').map((row) => row.text)
        : [
            ...commits.newest.map(({ commit, subject }) => `${commit.slice(0, 12)} ${toPlainLine(subject, 200)}`),
            ...(commits.count > commits.newest.length ? [`and ${toCount(commits.count - commits.newest.length, 'commit')} more`] : []),
          ],
    ),
    ...list('What reviewers said', said.reviews.map(toWhole)),
    ...list('Left undone', [...events, ...said.todos.map(toTodoText), ...said.left.map(toWhole)]),
    ...list('Refused', refused),
    ...list('Stopped', stopped),
    ...list('By hat', hats.map(toHatText)),
  ];
}

function toFileLines({ facts: { changed } }: Review, width: number, styleLabel?: (label: string) => string): readonly string[] {
  if (changed === null || changed.count === 0) return [];
  const lines = toStatLines(changed, { width, limit: MAX_FILES }).slice(0, -1);
  const left = changed.count - Math.min(changed.files.length, MAX_FILES);
  const more = left > 0 && changed.files.length <= MAX_FILES ? [`  … and ${toCount(left, 'more file')}: ralph show --stat`] : [];
  return ['', styleLabel?.('Files') ?? 'Files', ...lines, ...more];
}

function toWhole(said: SaidText): string {
  return `${toSpeaker(said)}:\n${cleanText(said.text).replaceAll('\t', '  ').trim()}`;
}

function toItem(text: string, width: number): readonly string[] {
  return wrapText(text, width - 4).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`.trimEnd());
}
