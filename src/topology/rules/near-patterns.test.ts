import { expect, it } from 'vitest';
import { createNearPatterns } from './near-patterns.ts';

const near = createNearPatterns(['review.*', '*.blocked', 'deploy.*.done', 'build.done', 'text.*', '*']);

it.each([
  ['reveiw.request', 'review.request', 'review.*'],
  ['reveiw.one.two', 'review.one.two', 'review.*'],
  ['build.blokced', 'build.blocked', '*.blocked'],
  ['deplyo.web.done', 'deploy.web.done', 'deploy.*.done'],
  ['biuld.*', 'build.*', 'build.done'],
])('mends %s as %s', (written, mended, known) => {
  expect(near(written)).toEqual({ mended, known });
});

it.each(['review.request', 'reveiw', 'biuld.done', 'deplyo.done', 'deplyo.web.doen', 'test.passed', 'tests.passed', 'x', '*'])(
  'finds nothing for %s',
  (written) => {
    expect(near(written)).toBeUndefined();
  },
);

it('stays quick among many patterns', () => {
  const find = createNearPatterns(Array.from({ length: 100_000 }, (_none, at) => `word${'abcdefghij'[at % 10]}x.*.w${at}`));
  for (let at = 0; at < 10_000; at += 1) find(`wordqx.${'x'.repeat(at % 50)}.w1`);
  expect(find('build.done')).toBeUndefined();
});
