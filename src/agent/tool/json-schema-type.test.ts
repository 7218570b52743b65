import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { toJsonSchemaType } from './json-schema-type.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { path: { type: 'string', minLength: 2 }, deep: { type: 'object', properties: { n: { type: 'integer' } } } },
  required: ['path'],
};

/** What is wrong with arguments, as `path: message`. */
function issuesOf(schema: JsonObject, args: unknown): readonly string[] {
  const { success, error } = toJsonSchemaType(schema).safeParse(args);
  return success ? [] : error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a type made from JSON Schema', () => {
  it('is shown to models as it came, without what names it', () => {
    const shown = z.toJSONSchema(toJsonSchemaType({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', ...SCHEMA }), {
      io: 'input',
    });
    const { $schema: _, ...rest } = shown;
    expect(rest).toEqual(SCHEMA);
  });

  it('lets arguments through unchanged that fit', () => {
    const args = { path: 'ab', more: [1] };
    expect(toJsonSchemaType(SCHEMA).parse(args)).toEqual(args);
  });

  it('says where arguments do not fit, and why', () => {
    expect(issuesOf(SCHEMA, {})).toEqual([expect.stringContaining('path')]);
    expect(issuesOf(SCHEMA, { path: 'a' })).toEqual([expect.stringMatching(/^path: .*short/)]);
    expect(issuesOf(SCHEMA, { path: 'ab', deep: { n: 'x' } })).toEqual([expect.stringMatching(/^deep\.n: .*integer/)]);
    for (const args of [undefined, null, 'x', [1]]) expect(issuesOf(SCHEMA, args)).toEqual([': is no object']);
  });

  it.each<[string, JsonObject]>([
    ['an unknown type', { type: 'object', properties: { x: { type: 'nonsense' } } }],
    ['a reference to nowhere', { type: 'object', properties: { x: { $ref: '#/nowhere' } } }],
    ['a bad pattern', { type: 'object', properties: { x: { type: 'string', pattern: '(' } } }],
    ['nothing', {}],
  ])('that cannot be checked (%s) is no reason to throw', (_, schema) => {
    expect(() => issuesOf(schema, { x: 'y' })).not.toThrow();
    expect(z.toJSONSchema(toJsonSchemaType(schema), { io: 'input' })).toMatchObject({ type: 'object' });
  });

  it('may be made twice of schemas with one name', () => {
    for (const _ of [1, 2]) expect(() => toJsonSchemaType({ $id: 'same', id: 'same', type: 'object' })).not.toThrow();
  });

  it('never throws, whatever the schema and the arguments are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('type', 'properties', 'required', 'items', 'allOf', 'x'), fc.jsonValue()),
        fc.jsonValue(),
        (schema, args) => {
          expect(() => issuesOf(schema as JsonObject, args)).not.toThrow();
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});
