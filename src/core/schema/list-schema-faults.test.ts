import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../values/json.ts';
import { listSchemaFaults } from './list-schema-faults.ts';

const faultsOf = (schema: Json): readonly string[] =>
  listSchemaFaults(schema).map(({ path, severity, message }) => `${severity} ${path.join('/')} ${message}`);

describe('a JSON Schema', () => {
  it.each<Json>([
    true,
    {},
    { type: ['string', 'null'], minLength: 1, pattern: '^a' },
    { type: 'object', required: ['a'], properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { enum: [1] } }, additionalProperties: false },
    { properties: { required: { type: 'integer' }, type: {} }, 'x-own': 1 },
    // Round, but each time a part of the payload is used up.
    { properties: { child: { $ref: '#' } } },
    { $ref: '#/$defs/a~1b', $defs: { 'a/b': { items: { $ref: '#/$defs/a~1b' } } } },
  ])('%j has no fault', (schema) => {
    expect(faultsOf(schema)).toEqual([]);
  });

  it.each<[Json, string]>([
    ['string', 'error  must be a JSON Schema'],
    [{ requried: ['a'] }, 'error requried is no keyword of JSON Schema, so it does nothing: did you mean `required`?'],
    [{ colour: 'red' }, 'warning colour is no keyword'],
    [{ type: 'text' }, 'error type needs one or some of null'],
    [{ properties: { a: { minimum: '3' } } }, 'error properties/a/minimum needs a number'],
    [{ anyOf: [] }, 'error anyOf needs a list of schemas'],
    [{ allOf: [{}, { enum: 3 }] }, 'error allOf/1/enum needs a list of values'],
    [{ pattern: '(' }, 'error pattern needs a regular expression'],
    [{ patternProperties: { '[': {} } }, 'error patternProperties/[ needs a name that is a regular expression'],
    [{ $ref: 'https://example.com/schema' }, 'error $ref must lead to a part of the same schema'],
    [{ $ref: '#/$defs/a' }, 'error $ref leads to nothing'],
    [{ $ref: '#/enum', enum: [['x']] }, 'error $ref leads to nothing'],
    [{ $dynamicRef: '#a' }, 'error $dynamicRef is a keyword that is not supported here'],
    [{ $ref: '#' }, 'error  refers to itself in a circle'],
    [{ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ type: 'null' }, { not: { $ref: '#/$defs/a' } }] } } }, 'error  refers to itself'],
  ])('%j is told', (schema, begin) => {
    const [first = ''] = faultsOf(schema);
    expect(first.startsWith(begin)).toBe(true);
  });

  it('may be nested as deeply, and be as large, as anybody likes to write it', () => {
    let deep: Json = {};
    for (let level = 0; level < 10_000; level += 1) deep = { not: deep };
    expect(faultsOf(deep)[0]).toContain('is too large or nested too deeply');
    const wide = { properties: Object.fromEntries(Array.from({ length: 100_000 }, (_none, at) => [`p${at}`, {}])) };
    expect(faultsOf(wide)).toHaveLength(50);
  });

  it('of any form is looked at without an error', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => Array.isArray(listSchemaFaults(value as Json))));
  });
});
