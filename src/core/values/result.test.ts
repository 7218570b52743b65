import { describe, expect, it } from 'vitest';
import { quietly, tryOr } from './result.ts';

function fail(): never {
  throw new Error('no');
}

describe('what is tried', () => {
  it('is what was given, also where that is nothing', () => {
    expect(tryOr(() => 1, 2)).toBe(1);
    expect(tryOr(() => undefined, 2)).toBe(undefined);
  });

  it('is the other where it throws', () => {
    expect(tryOr(fail, 2)).toBe(2);
    expect(tryOr(fail, undefined)).toBe(undefined);
  });

  it('ends nothing where nothing depends on it', () => {
    expect(() => quietly(fail)).not.toThrow();
  });
});
