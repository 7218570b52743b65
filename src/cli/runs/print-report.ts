import type { Review } from '../../views/review/review.ts';
import { toReviewDetails, toReviewScreen } from '../../views/review/review-screen.ts';
import { type RunReport, toRowLines } from '../../views/text/fact-rows.ts';
import { toLocalTime } from '../terminal/local-time.ts';
import { MAX_WIDTH, printLine, type Terminal } from '../terminal/terminal.ts';

/** Prints a review on so many lines, or (`null`) all of it. */
export function printReview(terminal: Terminal, review: Review, height: number | null): void {
  const { style } = terminal;
  const layout = {
    width: Math.min(terminal.columns(), MAX_WIDTH),
    clock: toLocalTime,
    styleLabel: (label: string) => style('faint', label),
  };
  const lines = height === null ? toReviewDetails(review, layout) : toReviewScreen(review, { ...layout, height });
  for (const [index, line] of lines.entries())
    printLine(terminal, index === 0 ? style('heading', style(review.isGood ? 'good' : 'warning', line)) : line);
}

/** A report in colours, as wide as the terminal. */
export function toReportLines(
  { headline, isGood, rows }: RunReport,
  { style, columns }: Pick<Terminal, 'style' | 'columns'>,
): readonly string[] {
  const layout = { width: Math.min(columns(), MAX_WIDTH), styleLabel: (label: string) => style('faint', label) };
  return [style('heading', style(isGood ? 'good' : 'warning', headline)), ...toRowLines(rows, layout)];
}
