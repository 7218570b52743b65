import { expect, it } from 'vitest';
import { propertySize } from '../../core/property-fixtures.ts';
import { createNearPatterns, createNearTopics } from './near-topics.ts';

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

const KNOWN = ['build.done', 'build.task', 'review.request', 'test.passed', 'step-1.done', 'deploy'];

it.each([
  ['biuld.done', 'build.done'],
  ['build.dome', 'build.done'],
  ['Build.Done', 'build.done'],
  ['build_done', 'build.done'],
  ['build-done', 'build.done'],
  ['review.requst', 'review.request'],
  ['reviews.request', 'review.request'],
  ['deplyo', 'deploy'],
])('finds what %s was meant as', (topic, meant) => {
  expect(createNearTopics(KNOWN).find(topic)).toBe(meant);
});

it.each([
  'build.done',
  'build.stop',
  'review.requested',
  'test.failed',
  'step-2.done',
  'step-1.task',
  'done.build',
  'a.b',
  '',
  'x',
  'build.done.twice',
])('finds nothing for %j', (topic) => {
  expect(createNearTopics(KNOWN).find(topic)).toBeUndefined();
});

it('stays quick among many topics that differ in one word', () => {
  const topics = Array.from({ length: propertySize(100_000) }, (_, index) => `task.number-${'abcdefghij'[index % 10]}${index}`);
  const near = createNearTopics(topics);
  for (let at = 0; at < propertySize(10_000); at += 1) near.find(`tusk.${'x'.repeat(at % 50)}`);
  expect(near.find('build.done')).toBeUndefined();
});
