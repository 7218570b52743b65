import { describe, expect, it } from 'vitest';
import { toCharCells, toTextCells } from './text-cells.ts';

describe('the columns of a text', () => {
  it('are two for wide characters, none for marks that stand on others', () => {
    expect(['a', 'é', '漢', '🚀', '\u0301', '\u200d'].map(toCharCells)).toEqual([1, 1, 2, 2, 0, 0]);
    expect(toTextCells('漢字 ok')).toBe(7);
  });
});
