import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from './command-table.ts';
import { suggestWord } from './usage-error.ts';

describe('suggestWord', () => {
  it.each([
    ['rnu', 'run'],
    ['reumse', 'resume'],
    ['RESUME', 'resume'],
    ['stat', 'status'],
    ['doc', 'doctor'],
    ['complete', undefined],
    ['x', undefined],
    ['deploy', undefined],
  ])('%s means %s', (word, expected) => {
    expect(suggestWord(word, COMMAND_NAMES)).toBe(expected);
  });
});
