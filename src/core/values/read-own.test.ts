import { expect, it } from 'vitest';
import { readOwn } from './read-own.ts';

it('a record has what stands in it, not what it inherits', () => {
  const record: Record<string, number> = { a: 1 };
  expect([readOwn(record, 'a'), readOwn(record, 'b'), readOwn(record, 'constructor')]).toEqual([1, undefined, undefined]);
});
