import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { completedRun, createScript, limitedRun, retryingRun, START } from '../fixtures.ts';
import { foldRunView } from '../fold/fold-run-view.ts';
import type { RunView } from '../fold/run-view.ts';
import { toRunReport } from '../report/run-report.ts';
import { toRunStatus } from '../report/run-status.ts';
import { toReview } from './create-review.ts';
import { sampleReview, sampleReviewFacts } from './review-fixtures.ts';
import { toReviewMarkdown } from './review-markdown.ts';
import { toReviewDetails, toReviewScreen } from './review-screen.ts';

const SCREEN = { width: 80, height: 24, clock: (at: number): string => new Date(at).toISOString().slice(0, 16) };
const VIEWS: Readonly<Record<string, RunView>> = {
  completed: foldRunView(completedRun().records),
  limited: foldRunView(limitedRun().records),
  waiting: foldRunView(retryingRun().records),
};

describe('a review', () => {
  it.each(['completed', 'limited'] as const)('tells the same of a %s run as its report and its status', (name) => {
    const view = VIEWS[name] as RunView;
    const given = sampleReviewFacts();
    const report = toRunReport(view, { facts: given.facts });
    const status = toRunStatus(view, given);
    const review = toReview(view, given);
    expect([status.headline, review.headline]).toEqual([report.headline, report.headline]);
    expect(status.rows).toEqual(report.rows);
    expect(review.rows).toEqual(report.rows.filter((row) => row.label !== 'Next'));
    const texts = [toReviewDetails(review, { ...SCREEN, width: 400 }).join('\n'), toReviewMarkdown(review).replaceAll('`', '')];
    for (const { label, text } of report.rows) {
      if (!['Why', 'Changed', 'Cost', 'Flagged', 'You'].includes(label)) continue;
      for (const shown of texts) expect(shown).toContain(text.replaceAll('`', '').replace('$', '$'));
    }
    const next = report.rows.find((row) => row.label === 'Next')?.text ?? '';
    expect(next).toBe(name === 'completed' ? 'Look at the work: `ralph review`.' : review.next[0]);
  });

  it('says what to type next, with the run where it is not the newest', () => {
    expect(sampleReview().next.join(' ')).toMatch(/ralph show --diff.*ralph land.*ralph undo/);
    expect(sampleReview({ isNewest: false }).next.join(' ')).toContain('`ralph land 20261121-223331-k7f2a`');
    const given = sampleReviewFacts();
    const { facts } = given;
    const inPlace = { ...facts, place: facts.place === null ? null : { ...facts.place, worktree: null } };
    expect(sampleReview({ facts: inPlace }).next.join(' ')).not.toContain('ralph land');
    const nothing = { ...facts, changed: facts.changed === null ? null : { ...facts.changed, count: 0, files: [] } };
    expect(sampleReview({ facts: nothing }).next).toEqual(['See its turns: `ralph show`.']);
  });

  it('knows a run that is under way, dead or out of sight', () => {
    const state = (more: object): string => toReview(VIEWS['waiting'] as RunView, { ...sampleReviewFacts(), ...more }).state;
    expect([state({ isAlive: true }), state({}), state({ isAlive: true, isUnseen: true })]).toEqual(['running', 'dead', 'unseen']);
  });

  it('says so where nobody knows what changed', () => {
    const review = sampleReview({ facts: { at: START, changed: null, place: null }, damage: 'journal.jsonl: line 7 is cut short' });
    const shown = toReviewScreen(review, SCREEN).join('\n');
    expect(shown).toContain('Changed   not known: there are no snapshots');
    expect(shown).toContain('Damaged   journal.jsonl: line 7 is cut short');
  });

  const hostile = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'`<>@#[]()!*_~|\\ \n\u001b\u202e\tab:/.$-'), maxLength: 120 }),
    fc.constantFrom(
      '<script>alert(1)</script>',
      '```\n</details>\n```',
      '[x](javascript:alert(1))',
      '\u001b]8;;http://evil\u0007x',
      '@all #1 https://evil',
    ),
  );

  it('fits on a small screen and does nothing in Markdown, whatever agents say and whatever files are called', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 30 }), fc.nat(10_000), (texts, count) => {
        const base = sampleReviewFacts();
        const { changed } = base.facts;
        if (changed === null) throw new Error('no sample');
        const file = changed.files[0];
        if (file === undefined) throw new Error('no sample');
        const files = texts.map((text) => ({ ...file, path: text || 'a', from: text }));
        const review = sampleReview({
          facts: { ...base.facts, changed: { ...changed, count, files } },
          said: {
            reviews: texts.map((text) => ({ by: text, iteration: 1, topic: text, text })),
            left: texts.map((text) => ({ by: text, iteration: 1, topic: null, text })),
            todos: texts.map((text) => ({ path: text, text })),
          },
          damage: texts[0] ?? null,
        });
        const screen = toReviewScreen(review, SCREEN);
        expect(screen.length).toBeLessThanOrEqual(23);
        for (const line of [...screen, ...toReviewDetails(review, SCREEN)]) {
          expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
          if (!line.includes('`')) expect([...line].length).toBeLessThanOrEqual(80);
        }
        expect(withoutCode(toReviewMarkdown(review))).not.toMatch(/[<>@[\]\\|~]|:\/\//);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it('as Markdown says what people were asked, and what became of it or how to answer', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['builder']);
    script.startTurn('builder', 1);
    const question = { iteration: 1, attempt: 1, hat: 'builder', purpose: 'question', choices: ['yes', 'no'], default: 'no' } as const;
    for (const id of ['q1', 'q2'])
      script.effect({ type: 'question-open', question: { ...question, id, text: `${id}?`, askedAt: START, dueAt: START } } as never);
    script.effect({ type: 'question-close', id: 'q1', choice: 'yes', by: 'person' } as never);
    const markdown = toReviewMarkdown(toReview(foldRunView(script.records), sampleReviewFacts()));
    expect(markdown).toContain('### Asked');
    expect(markdown).toContain('answered "yes"');
    expect(markdown).toContain('`ralph answer q2 yes|no`');
  });

  it('is soon there and bounded after a thousand turns', () => {
    const script = createScript();
    script.publish('task.start', 'system', ['planner']);
    for (let turn = 1; turn <= 1000; turn += 1) {
      script.startTurn(turn % 2 === 0 ? 'builder' : 'planner', turn);
      script.endTurn(turn);
      script.effect({ type: 'event-reject', id: `r${turn}`, hat: 'builder', topic: `ship.${turn}`, why: 'scope', allowed: [] } as never);
    }
    const view = foldRunView(script.records);
    const begun = performance.now();
    const review = toReview(view, sampleReviewFacts());
    expect(toReviewScreen(review, SCREEN).length).toBeLessThanOrEqual(23);
    expect(toReviewMarkdown(review).length).toBeLessThan(65_000);
    expect(JSON.stringify(review).length).toBeLessThan(200_000);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  it('stays within what a forge takes, of ten thousand files and long speeches too', () => {
    const base = sampleReviewFacts();
    const file = base.facts.changed?.files[0];
    if (base.facts.changed === null || file === undefined) throw new Error('no sample');
    const files = Array.from({ length: 1000 }, (_, index) => ({ ...file, path: `${'deep/'.repeat(60)}${index}` }));
    const text = 'x'.repeat(10_000);
    const said = Array.from({ length: 100 }, () => ({ by: 'reviewer', iteration: 1, topic: 'review.passed', text }));
    const todos = Array.from({ length: 100 }, () => ({ path: text, text }));
    const review = sampleReview({
      facts: { ...base.facts, changed: { ...base.facts.changed, count: 10_000, files } },
      said: { reviews: said, left: said, todos },
    });
    expect(toReviewMarkdown(review).length).toBeLessThan(65_000);
    expect(toReviewScreen(review, SCREEN).length).toBeLessThanOrEqual(23);
    expect(toReviewMarkdown(review)).toContain('- and 9,900 more files');
  });
});

/** What is left of Markdown outside of blocks and pieces of code. */
function withoutCode(markdown: string): string {
  let fence: string | null = null;
  const lines = markdown.split('\n').filter((line) => {
    if (fence !== null) {
      if (line.trim() === fence) fence = null;
      return false;
    }
    fence = /^(`{3,})text$/.exec(line)?.[1] ?? null;
    return fence === null;
  });
  expect(fence).toBeNull();
  return lines.map((line) => line.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')).join('\n');
}
