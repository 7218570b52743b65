import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../values/json.ts';
import { describeShape } from './describe-shape.ts';

it.each<[Json, string]>([
  [true, 'any'],
  [false, 'nothing'],
  [{}, 'any'],
  [{ type: 'string' }, 'string'],
  [{ type: ['integer', 'null'] }, 'integer|null'],
  [{ enum: ['low', 'high', 3] }, '"low"|"high"|3'],
  [{ const: null }, 'null'],
  [{ items: { type: 'string' } }, '[string, …]'],
  [{ type: 'array' }, 'list'],
  [{ type: 'object' }, 'object'],
  [{ required: ['a b'], properties: { a: { type: 'number' } } }, '{"a b": any, a?: number}'],
  [{ anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] }, 'string|{id: any}'],
  [{ $ref: '#/$defs/x', $defs: { x: { type: 'boolean' } } }, 'boolean'],
  [{ properties: { next: { $ref: '#' } } }, '{next?: {next?: any}}'],
])('%j is told as %s', (schema, text) => {
  expect(describeShape(schema)).toBe(text);
});

it('is as long as asked for, at most, and is told of anything', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.integer({ min: 1, max: 50 }),
      (value, limit) => describeShape(value as Json, limit).length <= limit,
    ),
  );
});
