import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isDeeperThan,
  isJsonObject,
  type Json,
  mapTexts,
  parseJson,
  readOwn,
  toCanonicalJson,
  toComparablePayload,
  toPayloadText,
} from './json.ts';

/** The same value with the members of its objects in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('canonical JSON', () => {
  it.each<[Json, string]>([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ 10: 'a', 9: 'b', Z: 'c', a: 'd' }, '{"10":"a","9":"b","Z":"c","a":"d"}'],
    [{ '\ud83d\ude00': 1, '\uffee': 2 }, '{"\ud83d\ude00":1,"\uffee":2}'],
    ['a"b', '"a\\"b"'],
    [-0, '0'],
    [[], '[]'],
    [{}, '{}'],
  ])('%j is %s', (value, text) => {
    expect(toCanonicalJson(value)).toBe(text);
  });

  it('does not lose a member called __proto__', () => {
    expect(toCanonicalJson(JSON.parse('{"__proto__":{"b":1},"a":1}') as Json)).toBe('{"__proto__":{"b":1},"a":1}');
  });

  it('is one text for equal values and another for others', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        expect(toCanonicalJson(reversed(left))).toBe(toCanonicalJson(left));
        expect(JSON.parse(toCanonicalJson(left))).toEqual(left);
        expect(toCanonicalJson(left) === toCanonicalJson(right)).toBe(isDeepStrictEqual(left, right));
      }),
    );
  });

  it('does not fail on nesting that the engine cannot write', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as Json;
    const deepObject = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as Json;
    expect([toCanonicalJson(deep).length, toCanonicalJson(deepObject).length]).toEqual([2003, 6003]);
  });
});

describe('comparing payloads', () => {
  it.each<[Json, Json]>([
    ['{"a":1,"b":2}', { b: 2, a: 1 }],
    [' words ', 'words'],
    ['7', 7],
    ['null', null],
    ['true', true],
    ['false', false],
    ['{ "a" : 1 }', '{"a":1}'],
  ])('%j and %j are the same', (left, right) => {
    expect(toComparablePayload(left)).toBe(toComparablePayload(right));
  });

  it.each<[Json, Json]>([
    ['', null],
    ['Words', 'words'],
    [
      [1, 2],
      [2, 1],
    ],
    ['a  b', 'a b'],
    [0, false],
  ])('%j and %j are not', (left, right) => {
    expect(toComparablePayload(left)).not.toBe(toComparablePayload(right));
  });
});

describe('JSON', () => {
  it('is undefined where a text is none', () => {
    expect([parseJson('{'), parseJson(''), parseJson('null')]).toEqual([undefined, undefined, null]);
  });

  it('is shown to people as it is when it is text', () => {
    expect([toPayloadText('a\nb'), toPayloadText({ a: 1 }), toPayloadText(null)]).toEqual(['a\nb', '{"a":1}', 'null']);
  });

  it('knows objects from everything else', () => {
    expect([{}, [], null, 'a', undefined].map(isJsonObject)).toEqual([true, false, false, false, false]);
  });

  it.each<[Json, number, boolean]>([
    ['text', 0, false],
    [[], 0, true],
    [[], 1, false],
    [{ a: [1] }, 1, true],
    [{ a: [1] }, 2, false],
  ])('%j nested more than %i times: %s', (value, levels, expected) => {
    expect(isDeeperThan(value, levels)).toBe(expected);
  });
});

describe('names of fields that become alike', () => {
  it('get numbers in their order, however many there are', () => {
    const before = Object.fromEntries(Array.from({ length: 20_000 }, (_none, index) => [`x${index}`, index]));
    const after = mapTexts(
      { 'x 3': true, ...before },
      (text) => text,
      undefined,
      (key) => key.replace(/\d+$/, (digits) => (key === 'x 3' ? digits : '')),
    );
    const names = Object.keys(after as object);
    expect(names.slice(0, 4)).toEqual(['x 3', 'x', 'x 2', 'x 4']);
    expect(new Set(names).size).toBe(20_001);
    expect(names.at(-1)).toBe('x 20001');
  });
});

it('a record has what stands in it, not what it inherits', () => {
  const record: Record<string, number> = { a: 1 };
  expect([readOwn(record, 'a'), readOwn(record, 'b'), readOwn(record, 'constructor')]).toEqual([1, undefined, undefined]);
});
