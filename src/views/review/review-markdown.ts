import { toLinesText } from '../report/change-text.ts';
import { cleanText, cutText, toCount, toPathText, toPlainLine } from '../text/plain-text.ts';
import { type Review, type SaidText, toHatText, toReadText, toReviewRows, toTodoText } from './review.ts';

/** A forge takes no longer text for the description of a change. */
const MAX = {
  files: 100,
  readFirst: 30,
  commits: 30,
  reviews: 6,
  reviewText: 1200,
  left: 12,
  todos: 20,
  leftText: 500,
  lines: 12,
  path: 200,
  task: 2000,
};
/** These labels have their own section below. */
const LISTED = new Set(['Asked', 'Read', 'Reviews', 'By hat', 'Stopped', 'Refused', 'Left', 'Commits', 'Next', 'Where']);

/** A review as Markdown that does nothing but show, whatever agents wrote: for the description of a change, or a file. */
export function toReviewMarkdown(review: Review): string {
  const { runId, headline, evidence, readFirst, said, refused, questions, stopped, hats, next, rows } = review;
  const commits = review.facts.place?.state?.commits ?? null;
  const left = rows.filter((row) => row.label === 'Left').map((row) => row.text);
  return [
    `## ${toMarkdownText(headline)}`,
    '',
    `Run ${toCodeSpan(runId)}`,
    '',
    ...toReviewRows(review)
      .filter((row) => !LISTED.has(row.label))
      .map(({ label, text }) => `- **${label}** ${toMarkdownText(text)}`),
    ...toSection('Task', toCodeBlock(cutText(review.objective, MAX.task))),
    ...toList(
      'Evidence',
      evidence.map(
        ({ name, verdict, end, iteration, at, tree }) =>
          `${verdict}: ${toCodeSpan(toPlainLine(name, 300))} (${toMarkdownText(end)}), ${toTime(at)}, after iteration ${iteration}${tree === null ? '' : `, files ${toCodeSpan(tree.slice(0, 12))}`}`,
      ),
      MAX.lines,
    ),
    ...toList(
      'Read first',
      readFirst.map((entry) => toMarkdownText(toReadText(entry))),
      MAX.readFirst,
    ),
    ...toFiles(review),
    ...toList(
      'Commits',
      (commits?.newest ?? []).map(
        ({ commit, subject }) => `${toCodeSpan(commit.slice(0, 12))} ${toMarkdownText(toPlainLine(subject, 160))}`,
      ),
      MAX.commits,
      commits?.count,
    ),
    ...toSaid('What reviewers said', said.reviews, MAX.reviews, MAX.reviewText),
    ...toList('Left undone', [...left, ...said.todos.slice(0, MAX.todos).map(toTodoText)].map(toMarkdownText), MAX.todos),
    ...toSaid(left.length + said.todos.length === 0 ? 'Left undone' : '', said.left, MAX.left, MAX.leftText),
    ...toList('Asked', questions.map(toMarkdownText), MAX.lines),
    ...toList('Refused', refused.map(toMarkdownText), MAX.lines),
    ...toList('Stopped', stopped.map(toMarkdownText), MAX.lines),
    ...toList(
      'Cost and time',
      hats.map((hat) => toMarkdownText(toHatText(hat))),
      MAX.lines,
    ),
    ...toList('Next', next.map(toMarkdownText), MAX.lines),
    '',
  ].join('\n');
}

function toTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function toSection(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [`### ${title}`, '']), ...lines];
}

function toList(title: string, items: readonly string[], limit: number, count = items.length): readonly string[] {
  const shown = items.slice(0, limit);
  return toSection(title, [...shown.map((item) => `- ${item}`), ...(count > shown.length ? [`- and ${count - shown.length} more`] : [])]);
}

function toSaid(title: string, texts: readonly SaidText[], limit: number, length: number): readonly string[] {
  return toSection(
    title,
    texts
      .slice(0, limit)
      .flatMap(({ by, iteration, topic, text }) => [
        `${toCodeSpan(toPlainLine(by, 60))}, iteration ${iteration}${topic === null ? '' : `, ${toCodeSpan(toPlainLine(topic, 80))}`}:`,
        '',
        ...toCodeBlock(cutText(text.trim(), length)),
        '',
      ]),
  );
}

function toFiles({ facts: { changed } }: Review): readonly string[] {
  if (changed === null || changed.count === 0) return [];
  const shown = changed.files.slice(0, MAX.files);
  const left = changed.count - shown.length;
  return toSection('Files', [
    ...shown.map((file) => {
      const name = toCodeSpan(cutText(toPathText(file.path), MAX.path));
      const from = file.from === null ? '' : ` (was ${toCodeSpan(cutText(toPathText(file.from), MAX.path))})`;
      return `- ${name} ${toLinesText(file)}${from}`;
    }),
    ...(left === 0 ? [] : [`- and ${toCount(left, 'more file')}`]),
  ]);
}

/** What Markdown, HTML or a forge would interpret, anywhere in a word. */
const SPECIAL = new RegExp(
  [
    // Marks, mentions, numbers of issues, labels, mathematics.
    String.raw`[\\\x60*_~[\]<>{}|@#&$^]`,
    // Addresses, with and without a scheme; a command of a forge at the start.
    String.raw`//|www\.|(?:mailto|xmpp):|[\p{L}\p{N}\-]\.\p{L}{2}|^[^\p{L}\p{N}]*/`,
    // Commits, issues and milestones; little pictures.
    String.raw`(?<![\p{L}\p{N}])[0-9a-f]{7,64}(?![\p{L}\p{N}])|\p{L}[\p{L}\p{N}]*-\d|![\p{L}\p{N}"(]|%[\p{L}\p{N}"]|:[a-z0-9+\-]+:`,
  ].join('|'),
  'iu',
);
/** What begins a list, a heading or a line across. */
const LEADING = /^(?:[-+=]+|\d+[.)])(?= |$)/;
const CODE = /(`[^`\n]+`)/;

/**
 * A text from anywhere as Markdown on one line that shows it and does nothing: no HTML, no link, no mention, no picture. Words that could become more than
 * themselves stand in code, as what stands between backticks does.
 */
export function toMarkdownText(text: string): string {
  return (
    cleanText(text)
      .replace(/\s+/g, ' ')
      .trim()
      .replace(LEADING, '`$&`')
      .split(CODE)
      .map((part) => (/^`[^`\n]+`$/.test(part) ? toCodeSpan(part.slice(1, -1)) : toWords(part)))
      // Marks that touch would be other marks.
      .reduce((before, part) => (before.endsWith('`') && part.startsWith('`') ? `${before} ${part}` : before + part), '')
  );
}

/** Adjacent words that must be code share one code span. */
function toWords(text: string): string {
  const pieces: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) pieces.push(toCodeSpan(open.join(' ')));
    open = [];
  };
  const words = text.split(' ');
  for (const word of words) {
    const [, core = '', rest = ''] = /^([\s\S]*?)([,.]*)$/.exec(word) ?? [];
    if (SPECIAL.test(core)) {
      open.push(core);
      if (rest === '') continue;
      close();
      pieces.push(`${pieces.pop() ?? ''}${rest}`);
    } else {
      close();
      pieces.push(word);
    }
  }
  close();
  return pieces.join(' ');
}

/** A text as code in a line, whatever is in it. */
export function toCodeSpan(text: string): string {
  const line = cleanText(text).replace(/\s+/g, ' ');
  const mark = '`'.repeat(longestRun(line) + 1);
  const space = /^[`\s]|[`\s]$/.test(line) || line === '' ? ' ' : '';
  return `${mark}${space}${line}${space}${mark}`;
}

/** A text of several lines as a block of code that nothing in it ends. */
export function toCodeBlock(text: string): readonly string[] {
  const clean = cleanText(text).replace(/\n+$/, '');
  const mark = '`'.repeat(Math.max(3, longestRun(clean) + 1));
  return [`${mark}text`, ...clean.split('\n'), mark];
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
