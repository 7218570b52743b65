import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersectsPatterns } from '../core/index.ts';
import { propertyRuns } from '../core/property-fixtures.ts';
import { addPattern, createPatternTrie, visitMeeting } from './pattern-trie.ts';

function createTrie(patterns: readonly string[]) {
  const trie = createPatternTrie<string>();
  for (const pattern of patterns) addPattern(trie, pattern, pattern);
  return trie;
}

function meeting(patterns: readonly string[], pattern: string): readonly string[] {
  const found: string[] = [];
  visitMeeting(createTrie(patterns), pattern, (value) => found.push(value) > 0);
  return found.sort();
}

const segment = fc.constantFrom('a', 'b', '*', '*');
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('.'));

describe('the trie of patterns', () => {
  it('finds exactly what meets a pattern, each once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 20 }), pattern, (patterns, sample) => {
        expect(meeting(patterns, sample)).toEqual(patterns.filter((other) => intersectsPatterns(other, sample)).sort());
      }),
      { numRuns: propertyRuns(5000) },
    );
  });

  it.each([
    ['build.done', ['build.*', '*.done', '*', 'build.done'], ['*', '*.done', 'build.*', 'build.done']],
    ['build', ['build.*', '*', 'build'], ['*', 'build']],
    ['a.b.c', ['a.*', 'a.*.c', 'a.*.*', 'a.*.*.*', '*.b'], ['a.*', 'a.*.*', 'a.*.c']],
    ['*', ['a', 'a.b.c', '*.x', '*'], ['*', '*.x', 'a', 'a.b.c']],
    ['*.blocked', ['build.*', 'build.blocked', 'build.x.blocked', 'blocked'], ['build.*', 'build.blocked']],
  ])('%s meets of %j only %j', (sample, patterns, expected) => {
    expect(meeting(patterns, sample)).toEqual(expected);
  });

  it('stops when it is told to', () => {
    const seen: string[] = [];
    expect(visitMeeting(createTrie(['a', 'b', 'c']), '*', (value) => seen.push(value) < 2)).toBe(true);
    expect(seen).toHaveLength(2);
  });

  it('says so when the effort was not enough, and spends none afterwards', () => {
    const trie = createTrie(Array.from({ length: 100 }, (_none, index) => `t${index}.x`));
    const effort = { steps: 50 };
    expect(visitMeeting(trie, '*.y', () => true, effort)).toBe(false);
    expect(visitMeeting(trie, 't1.x', () => true, effort)).toBe(false);
  });

  it('goes as deep as the pattern', () => {
    const deep = Array.from({ length: 50_000 }, () => '*').join('.');
    expect(meeting([deep], deep)).toEqual([deep]);
  });
});
