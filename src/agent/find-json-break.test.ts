import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../core/index.ts';
import { findJsonBreak } from './find-json-break.ts';

describe('where a text stops being JSON', () => {
  it.each([
    ['{"path": a.ts}', 9],
    ['{"path": "a.ts" "limit": 3}', 16],
    ['{"text": "a\nb"}', 11],
    ['{"text": "a\\qb"}', 11],
    ['{"text": "half of', 17],
    ['{"a": 1,}', 8],
    ["{'a': 1}", 1],
    ['{"a": 01}', 7],
    ['{"a": 1.}', 8],
    ['{"a": tru', 9],
    ['[1, 2', 5],
    ['{"a": 1} {"b": 2}', 9],
    ['', 0],
  ])('%j: at %i', (text, at) => {
    expect(findJsonBreak(text)).toBe(at);
  });

  it('is nowhere exactly where the text is JSON', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9', '1', '-', '.5', 'e3', 'true', 'nul', ' ', '\n', '\\'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.json({ maxDepth: 3 }).map((text) => text.slice(1)),
          pieces.map((list) => list.join('')),
        ),
        (text) => {
          expect(findJsonBreak(text) === null).toBe(parseJson(text) !== undefined);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is at the end of every beginning of an object, since it could go on', () => {
    const cut = fc.json().chain((json) => fc.nat({ max: json.length }).map((length) => `{"a": ${json.slice(0, length)}`));
    fc.assert(
      fc.property(cut, (text) => {
        expect(findJsonBreak(text)).toBe(text.length);
      }),
      { numRuns: 1000 },
    );
  });
});
