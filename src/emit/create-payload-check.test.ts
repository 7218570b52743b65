import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventContracts } from '../core/run/run-spec.ts';
import type { Json } from '../core/values/json.ts';
import { createPayloadCheck } from './create-payload-check.ts';

const SCHEMA: Json = {
  type: 'object',
  required: ['files', 'risk'],
  properties: {
    files: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } } },
    risk: { enum: ['low', 'high'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  additionalProperties: false,
};
const CONTRACTS: EventContracts = {
  'build.done': { schema: SCHEMA },
  'plain.text': { schema: { type: 'string' } },
  'only.words': { description: 'x' },
};
const check = createPayloadCheck(CONTRACTS) as NonNullable<ReturnType<typeof createPayloadCheck>>;
const problemOf = (topic: string, payload: Json): string => {
  const verdict = check(topic, payload);
  return 'problem' in verdict ? verdict.problem : '';
};

describe('a payload', () => {
  it.each<[string, Json]>([
    ['build.done', { files: [{ name: 'a' }], risk: 'low' }],
    ['only.words', 3],
    ['other.topic', { anything: [] }],
    ['plain.text', '{"a": 1}'],
    ['constructor', 'x'],
  ])('of %s is taken as it is: %j', (topic, payload) => {
    expect(check(topic, payload)).toEqual({ payload });
  });

  it('that is a text of JSON is taken as that JSON where only that fits', () => {
    expect(check('build.done', '{"files": [], "risk": "high"}')).toEqual({ payload: { files: [], risk: 'high' } });
  });

  it.each<[Json, string]>([
    ['go', 'payload is string, not object; '],
    [{}, 'payload lacks "files"; payload lacks "risk"; '],
    [{ files: [{ name: '' }], risk: 'low' }, 'payload.files[0].name String is too short (0 < 1); '],
    [{ files: [{}], risk: 'mid' }, 'payload.files[0] lacks "name"; payload.risk does not match any of ["low","high"]; '],
    [{ files: [], risk: 'low', more: 1 }, 'payload.more is not allowed; '],
    [{ files: [], risk: 'low', note: 3 }, 'payload.note does not match any subschemas; '],
    ['{"files": 3, "risk": "low"}', 'payload.files is number, not array; '],
  ])('that is wrong is refused with the path of what is wrong: %j', (payload, begin) => {
    expect(problemOf('build.done', payload)).toBe(
      `${begin}the payload is to be {files: [{name: string}, …], risk: "low"|"high", note?: string|null}`,
    );
  });

  it('of any form is judged without an error, twice the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const payload = value as Json;
        expect(check('build.done', payload)).toEqual(check('build.done', payload));
      }),
    );
  });

  it.each<[string, Json, Json]>([
    ['a pattern of the schema takes for ever with', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['comparing its parts takes for ever with', { type: 'array', uniqueItems: true }, Array.from({ length: 60_000 }, (_, at) => [at])],
  ])('is given up and refused where %s it', (_, schema, payload) => {
    const slow = createPayloadCheck({ 'a.b': { schema } });
    for (let time = 0; time < 3; time += 1)
      expect(slow?.('a.b', payload)).toMatchObject({
        problem: expect.stringMatching(/cannot be judged by its schema \(.* took too long\)/),
      });
    // A machine that stands still for a moment may take even a plain one for slow.
    const plain = Array.from({ length: 5 }, () => slow?.('a.b', Array.isArray(payload) ? [1, 2] : 'aaa'));
    expect(plain.some((judged) => judged !== undefined && !('problem' in judged))).toBe(true);
  });

  it('is judged by a schema that is frozen, and refused where the schema cannot be evaluated', () => {
    const frozen = createPayloadCheck(Object.freeze({ a: Object.freeze({ schema: Object.freeze({ type: 'integer' }) }) }));
    expect(frozen?.('a', 1)).toEqual({ payload: 1 });
    const broken = createPayloadCheck({ a: { schema: { $ref: '#/nowhere' } } })?.('a', 1);
    expect(broken).toMatchObject({ problem: expect.stringContaining('cannot be judged by its schema') });
  });
});

it('there is nothing to check, and no library to load, where no topic has a schema', () => {
  expect(createPayloadCheck(undefined)).toBeNull();
  expect(createPayloadCheck({ a: { description: 'x' } })).toBeNull();
});
