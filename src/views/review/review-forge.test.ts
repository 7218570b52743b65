import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { sampleReview, sampleReviewFacts } from './review-fixtures.ts';
import { toMarkdownText, toReviewMarkdown } from './review-markdown.ts';

const HOSTILE = [
  '(www.example.com)',
  '"www.example.com',
  'see:www.example.com/x',
  '(a1b2c3d)',
  'a1b2c3d..b2c3d4e',
  'commit:a1b2c3d,b2c3d4e',
  'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0;',
  '[x](javascript:alert(1))',
  '![x](y)',
  '(!12)',
  'group/project!12',
  '%4',
  '(%"v1"',
  'KEY-12',
  '/key-12/',
  '(gh-3)',
  'owner/repo#1',
  'owner/repo@a1b2c3d',
  '@all',
  'mailto:a@example.com',
  'https://example.com',
  'ftp://example.com',
  '//example.com',
  'example.com',
  '(docs.example.co.uk/x)',
  '<script>alert(1)</script>',
  '</details>',
  '&lt;',
  '<!--',
  '~~x~~',
  ':tada:',
  '$x$',
  '{+x+}',
  '/close',
  '[ ]',
  '[^1]',
  '1)',
  '---',
  '===',
  '```',
  '`',
  '``',
  '\n\n',
  '\t',
  '|',
  'a',
  ',',
  '.',
];
const pieces = fc.array(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 4 });
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(pieces, fc.constantFrom(' ', '', ',', '(', '`', '\u200b')).map(([texts, glue]) => texts.join(glue)) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'`<>@#[]()!*_~|\\ \nw.com:/-0afgh$%&{}"\u200b'), maxLength: 60 }) },
);

/** Elements that our own words make, and no others. */
const PLAIN = /<\/?(?:h2|h3|ul|li|p|strong|code|pre)>|<code class="language-text">/g;

/** What a reader of Markdown makes of it, checked: plain elements alone, and outside of code nothing that a forge would make a link of. */
function expectNothingDone(markdown: string): void {
  const html = micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
  const words = html.replace(/<code[^>]*>[\s\S]*?<\/code>/g, '<code>');
  expect(words.replace(PLAIN, '')).not.toMatch(/[<>]/);
  const texts = words.replace(PLAIN, '\n').replaceAll('&quot;', '"');
  expect(texts).not.toMatch(/&(?!amp;$)/);
  expect(texts).not.toMatch(/[@#~[\]{}|$\\*_]|\/\/|www\.|[\p{L}\p{N}-]\.\p{L}{2}/iu);
  expect(texts).not.toMatch(/(?<![\p{L}\p{N}_])[0-9a-f]{7,64}(?![\p{L}\p{N}_])/iu);
  expect(texts).not.toMatch(/(?<![\p{L}\p{N}_])\p{L}[\p{L}\p{N}_]*-\d/u);
  expect(texts).not.toMatch(/![\w"([]|%[\w"]|^\s*\/|:[a-z]+:/im);
}

describe('Markdown of what agents chose, read as a forge reads it', () => {
  it.each(HOSTILE)('%j does nothing', (text) => {
    expectNothingDone(`- **Row** ${toMarkdownText(text)}`);
    expectNothingDone(`- **Row** ${toMarkdownText(`1 file (${text}): ${text}; ${text}`)}`);
  });

  it('does nothing, whatever one text is made of', () => {
    fc.assert(
      fc.property(hostile, (text) => expectNothingDone(`- **Row** ${toMarkdownText(text)}`)),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('does nothing in a whole review: paths, branches, commits, hats, gates, topics, tools and words', () => {
    fc.assert(
      fc.property(hostile, (text) => expectNothingDone(toReviewMarkdown(toHostileReview(text)))),
      { numRuns: propertyRuns(300) },
    );
  });
});

/** A review in which everything that somebody else chose is that text. */
function toHostileReview(text: string): ReturnType<typeof sampleReview> {
  const { facts } = sampleReviewFacts();
  const { changed, place } = facts;
  const [file] = changed?.files ?? [];
  const state = place?.state ?? null;
  if (changed === null || file === undefined || place === null || state === null) throw new Error('no sample');
  const spoken = { by: text, iteration: 1, topic: text, text };
  const review = sampleReview({
    facts: {
      ...facts,
      changed: { ...changed, count: 2, files: [{ ...file, path: text, from: text }] },
      landed: { at: 0, onto: text, revert: text },
      place: {
        ...place,
        folder: text,
        worktree: text,
        baseBranch: text,
        state: {
          ...state,
          branch: text,
          commits: { count: 2, newest: [{ commit: 'a1b2c3d4e5f6a7b8c9d0', subject: text }] },
          uncommitted: { count: 2, first: [text, text] },
        },
      },
    },
    said: { reviews: [spoken], left: [{ ...spoken, topic: null }], todos: [{ path: text, text }] },
    damage: text,
  });
  const [evidence] = review.evidence;
  const [hat] = review.hats;
  if (evidence === undefined || hat === undefined) throw new Error('no sample');
  return {
    ...review,
    headline: `Needs you (${text}) after 1 iteration: ${text}.`,
    objective: text,
    rows: [...review.rows, ...['Why', 'Flagged', 'Left', 'You', 'Undone'].map((label) => ({ label, text: `ours (${text}): ${text}` }))],
    evidence: [{ ...evidence, name: text, command: text, end: `exit 1, ${text}`, log: text }],
    refused: [`${text} (${text})`],
    stopped: [`${text}: ${text} (${text}): ${text}`],
    hats: [{ ...hat, hat: text }],
    next: [`Go on: \`ralph resume ${text}\``],
  };
}
