import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from './command-table.ts';
import { findNearMiss } from './near-miss.ts';

describe('findNearMiss', () => {
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
    expect(findNearMiss(word, COMMAND_NAMES)).toBe(expected);
  });
});
