import { expect, test } from 'vitest';
import { toOrderTitle, toSentenceStart } from './turn.ts';

test('an order of a fleet is called as the other outputs call a turn, with its hat where that is known', () => {
  expect(['7.1', '7.2', 'gate3', 'hook2', '7.2.3.1'].map((name) => toOrderTitle(name))).toEqual([
    'iteration 7',
    'iteration 7, attempt 2',
    'gate 3',
    'hook 2',
    'iteration 7, attempt 2, agent 3, round 1',
  ]);
  expect(toSentenceStart(toOrderTitle('7.2', 'builder'))).toBe('Iteration 7 (builder), attempt 2');
});
