import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  completedRun,
  createScript,
  failedWith,
  limitedRun,
  retryingRun,
  START,
  sampleFacts,
  sampleSpec,
  sampleUsage,
} from './fixtures.ts';
import { foldRunView } from './fold/fold-run-view.ts';
import { toRunReport } from './report/run-report.ts';
import { toRunStatus } from './report/run-status.ts';
import { toTurnDetails } from './report/turn-details.ts';
import { toReview } from './review/create-review.ts';
import { sampleReview, sampleReviewFacts } from './review/review-fixtures.ts';
import { toReviewMarkdown } from './review/review-markdown.ts';
import { toReviewDetails, toReviewScreen } from './review/review-screen.ts';
import { type RunReport, toRowLines } from './text/fact-rows.ts';

/** `UPDATE_GOLDEN=1 npx vitest run src/views/golden.test.ts` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const FOLDER = new URL('./golden/', import.meta.url);

const toText = ({ headline, rows }: RunReport): string => `${[headline, ...toRowLines(rows, { width: 100 })].join('\n')}\n`;

function signedOutRun() {
  const script = createScript(sampleSpec({ hats: null, limits: { ...sampleSpec().limits, maxConsecutiveFailures: 1 } }));
  script.publish('task.start', 'system', ['ralph']);
  script.startTurn('ralph', 1);
  script.endTurn(1, { outcome: failedWith('Invalid API key', 'auth'), exitCode: 1, durationMs: 900, usage: sampleUsage(null) });
  script.effect({
    type: 'run-end',
    reason: 'parked',
    detail: 'ralph (claude) cannot work: Invalid API key',
    attention: 'sign in to claude: `claude /login`, or set ANTHROPIC_API_KEY',
  });
  return script;
}

const toClock = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
const toLines = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const IN_PLACE = sampleReviewFacts({
  facts: {
    ...sampleFacts(['src/cart.mjs']),
    place: {
      folder: '/project',
      isThere: true,
      worktree: null,
      baseBranch: 'main',
      state: { head: null, branch: 'main', uncommitted: { count: 2, first: ['src/cart.mjs', 'notes.txt'] }, commits: null },
    },
  },
  said: { reviews: [], left: [], todos: [] },
});

/** All of it, not a screen. */
const LONG = /details$|\.md$/;

const CASES = {
  'completed-report': () =>
    toText(toRunReport(foldRunView(completedRun().records), { facts: sampleFacts(['src/cart.mjs', 'test/cart.test.mjs']) })),
  'completed-review': () => toLines(toReviewScreen(sampleReview(), { width: 80, height: 24, clock: toClock })),
  'completed-review-details': () => toLines(toReviewDetails(sampleReview(), { width: 100, clock: toClock })),
  'completed-review.md': () => toReviewMarkdown(sampleReview()),
  'limited-review': () =>
    toLines(toReviewScreen(toReview(foldRunView(limitedRun().records), IN_PLACE), { width: 80, height: 24, clock: toClock })),
  'dead-review': () =>
    toLines(toReviewScreen(toReview(foldRunView(retryingRun().records.slice(0, -4)), IN_PLACE), { width: 80, height: 24, clock: toClock })),
  'limited-report': () => toText(toRunReport(foldRunView(limitedRun().records))),
  'signed-out-report': () => toText(toRunReport(foldRunView(signedOutRun().records))),
  'waiting-status': () => toText(toRunStatus(foldRunView(retryingRun().records), { isAlive: true, now: START + 100_000 })),
  'dead-status': () => toText(toRunStatus(foldRunView(retryingRun().records.slice(0, -4)), { isAlive: false, now: START + 7_200_000 })),
  'turn-details': () => `${toRowLines(toTurnDetails(foldRunView(completedRun().records).turns[1] as never), { width: 100 }).join('\n')}\n`,
};

describe('screens of typical runs, as people can read them in golden/', () => {
  it.each(Object.keys(CASES) as (keyof typeof CASES)[])('%s is what a person reads', (name) => {
    const file = new URL(name.endsWith('.md') ? name : `${name}.txt`, FOLDER);
    const text = CASES[name]();
    if (UPDATE) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(text).toBe(readFileSync(file, 'utf8'));
    if (!LONG.test(name)) expect(text.split('\n').length).toBeLessThanOrEqual(26);
  });
});
