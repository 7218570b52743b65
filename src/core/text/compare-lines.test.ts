import { expect, it } from 'vitest';
import { compareLines } from './compare-lines.ts';

const giveUp = (): undefined => undefined;

it('asks for the lines between the first and the last that differ', () => {
  const asked: unknown[] = [];
  compareLines(['a', 'b', 'c', 'z'], ['a', 'x', 'y', 'z'], (before, after) => {
    asked.push(before, after);
    return [];
  });
  expect(asked).toEqual([
    ['b', 'c'],
    ['x', 'y'],
  ]);
});

it.each([
  [['a', 'a'], ['a', 'a', 'a'], [], ['a']],
  [['a', 'b', 'z'], ['a', 'c', 'z'], ['b'], ['c']],
  [[], ['a'], [], ['a']],
  [['a'], ['a'], [], []],
])('from %j to %j counts them as replaced where they are too many', (before, after, removed, added) => {
  const changes = compareLines(before, after, giveUp);
  expect(changes.filter((change) => change.removed).flatMap(({ value }) => value)).toEqual(removed);
  expect(changes.filter((change) => change.added).flatMap(({ value }) => value)).toEqual(added);
  expect(changes.filter((change) => !change.added).flatMap(({ value }) => value)).toEqual(before);
  expect(changes.filter((change) => !change.removed).flatMap(({ value }) => value)).toEqual(after);
});
