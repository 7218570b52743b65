import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listAnchors, listLinks, PAGES, ROOT, readPage } from './markdown-pages.ts';

/** Where people begin to read. */
const BEGINNINGS = ['README.md', 'docs/README.md'];
/** Tasks to fill in: what an agent reads, no page for people. */
const isTask = (page: string): boolean => page.startsWith('presets/prompts/') || page.endsWith('/PROMPT.md');

const LINKS = PAGES.flatMap((page) => listLinks(page));

test('every relative link leads to a file', () => {
  const broken = LINKS.filter(({ target }) => !existsSync(join(ROOT, target)));
  expect(LINKS.length).toBeGreaterThan(100);
  expect(broken.map(({ page, line, target }) => `${page}:${line}: ${target}`)).toEqual([]);
});

test('every link to a heading leads to one that is there', () => {
  const named = LINKS.filter(({ anchor, target }) => anchor !== '' && target.endsWith('.md') && existsSync(join(ROOT, target)));
  const broken = named.filter(({ anchor, target }) => !listAnchors(readPage(target)).includes(anchor));
  expect(named.length).toBeGreaterThan(10);
  expect(broken.map(({ page, line, target, anchor }) => `${page}:${line}: ${target}#${anchor}`)).toEqual([]);
});

test('every page can be reached by links from README or docs/README', () => {
  const reached = new Set(BEGINNINGS);
  for (const page of reached) {
    for (const link of LINKS) {
      if (link.page !== page) continue;
      // A link to a folder shows its README.
      for (const target of [link.target, join(link.target, 'README.md')]) if (PAGES.includes(target)) reached.add(target);
    }
  }
  expect(PAGES.filter((page) => !reached.has(page) && !isTask(page))).toEqual([]);
});

test('docs/README lists every page of docs, and a folder of one kind by its own list', () => {
  const listed = listLinks('docs/README.md').map(({ target }) => target);
  const folders = ['docs/rules/', 'docs/decisions/'];
  const expected = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter(
    (page) => !folders.some((folder) => page.startsWith(folder)) || page.endsWith('/README.md'),
  );
  expect(expected.filter((page) => !listed.includes(page))).toEqual([]);
});

describe('what the checks above read', () => {
  test.each([
    ['## The `ralph: {…}` key', 'the-ralph--key'],
    ['### A hat in a file of its own', 'a-hat-in-a-file-of-its-own'],
    ['## [Presets](x.md), and *more*', 'presets-and-more'],
    ['# `$NAME` in values', 'name-in-values'],
    ['## event_loop.max_iterations', 'event_loopmax_iterations'],
    ['## Ünder Größe #', 'ünder-größe'],
  ])('%s is linked to as #%s', (heading, slug) => {
    expect(listAnchors(`${heading}\n`)).toEqual([slug]);
  });

  test('headings of the same words are numbered, and comments in code are no headings', () => {
    expect(listAnchors('# A\n\n```sh\n# no heading\n```\n\n## A\n')).toEqual(['a', 'a-1']);
  });

  test('links are found with their lines, and those in code are none', () => {
    const text = '# A\n\n`[a](b.md)`\n\n```\n[c](d.md)\n```\n\nsee [e](../f.md#g), [h](#i), [j](https://example.org/k.md)\n';
    expect(listLinks('docs/x/y.md', text)).toEqual([
      { page: 'docs/x/y.md', line: 9, target: 'docs/f.md', anchor: 'g' },
      { page: 'docs/x/y.md', line: 9, target: 'docs/x/y.md', anchor: 'i' },
    ]);
  });
});
