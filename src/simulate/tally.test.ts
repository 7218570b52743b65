import { expect, test } from 'vitest';
import type { SimulatedTurn } from './simulation-types.ts';
import { findCircles } from './tally.ts';

/** `b:a.done` is a turn of hat b that was given a.done. */
function wayOf(text: string): readonly SimulatedTurn[] {
  return text.split(' ').map((step, index) => {
    const [hat = '', topic = ''] = step.split(':');
    const given = [{ topic, source: 'x' }];
    return { iteration: index + 1, hat, given, outcome: 'succeeded', said: '', isDumb: false, published: [], refused: [] };
  });
}

test('a way without a return has no circle', () => {
  expect(findCircles(wayOf('a:start b:x c:y'))).toEqual([]);
});

test('a circle is written with the topic that leads from each hat to the next', () => {
  expect(findCircles(wayOf('b:start a:x b:y'))).toEqual([
    {
      steps: [
        { hat: 'a', topic: 'y' },
        { hat: 'b', topic: 'x' },
      ],
      rounds: 1,
    },
  ]);
});

test('the same circle is counted from wherever it is entered', () => {
  const [circle, ...others] = findCircles(wayOf('b:start a:x b:y a:x b:y a:x'));
  expect(others).toEqual([]);
  expect(circle?.rounds).toBe(2);
});

test('a hat that hands on to itself is a circle of one', () => {
  expect(findCircles(wayOf('a:start a:again a:again'))).toEqual([{ steps: [{ hat: 'a', topic: 'again' }], rounds: 2 }]);
});

test('a small circle within a large one is cut out, and both are found', () => {
  const found = findCircles(wayOf('a:start b:x c:y b:z d:w a:v'));
  expect(found.map(({ steps }) => steps.map(({ hat }) => hat).join(''))).toEqual(['bc', 'abd']);
});
