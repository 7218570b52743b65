import { expect, test } from 'vitest';
import type { SteeringSource, SteeringWord } from '../../ports/steering.ts';
import { readSteering } from './read-steering.ts';

const clock = { now: () => 7, setTimer: () => () => undefined };
const sender = { place: 'root', pid: 1, by: 'token' } as never;

function steer(ids: readonly string[]): SteeringSource {
  const words = ids.map((id, index): { word: SteeringWord; offset: number } => ({
    word: { kind: 'tell', id, text: `said ${id}`, to: null, when: 'now', sender },
    offset: 10 * (index + 1),
  }));
  return {
    read: (from) => ({ words: words.filter(({ offset }) => offset > from), offset: 10 * ids.length }),
    watch: () => () => undefined,
  };
}

test('a command that was heard, or stands there twice, is no input, and the next read begins behind it', () => {
  const { inputs, offset } = readSteering({ steering: steer(['a', 'b', 'b', 'c', 'a']), clock }, { steeringOffset: 0, heardIds: ['c'] });
  expect(inputs.map(({ id, steeringOffset }) => [id, steeringOffset])).toEqual([
    ['a', 10],
    ['b', 20],
  ]);
  expect(offset).toBe(50);
});
