import { describe, expect, it } from 'vitest';
import { isWithin } from './is-within.ts';

describe('whether a path lies in a folder', () => {
  it('is so for the folder itself and for what is below it', () => {
    expect(isWithin('/a/b', '/a/b')).toBe(true);
    expect(isWithin('/a/b/c/d', '/a/b')).toBe(true);
  });

  it('is not so for a neighbour whose name begins the same, nor for a folder above', () => {
    expect(isWithin('/a/bc', '/a/b')).toBe(false);
    expect(isWithin('/a', '/a/b')).toBe(false);
  });

  it('is so for all paths where the folder is the root', () => {
    expect(isWithin('/a', '/')).toBe(true);
    expect(isWithin('/', '/')).toBe(true);
  });
});
