import { describe, expect, it } from 'vitest';
import { cutCells, toCharCells, toTextCells } from './text-cells.ts';

describe('the columns of a text', () => {
  it('are two for wide characters, none for marks that stand on others', () => {
    expect(['a', 'é', '漢', '🚀', '\u0301', '\u200d'].map(toCharCells)).toEqual([1, 1, 2, 2, 0, 0]);
    expect(toTextCells('漢字 ok')).toBe(7);
  });
});

describe('a text that is cut to columns', () => {
  it('stays as it is where it has room', () => {
    expect(cutCells('builder', 7)).toBe('builder');
    expect(cutCells('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301');
  });

  it('ends with an ellipsis, and never takes more columns', () => {
    expect(cutCells('builder', 4)).toBe('bui…');
    expect(cutCells('漢字漢字', 4)).toBe('漢…');
    expect(cutCells('漢字漢字', 1)).toBe('…');
    expect(cutCells('x', 0)).toBe('');
  });
});
