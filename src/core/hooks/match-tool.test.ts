import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern, createToolMatcher } from './match-tool.ts';

function takes(matcher: string, tools: readonly string[]): readonly string[] {
  const matches = createToolMatcher(matcher);
  return tools.filter((tool) => matches?.(tool));
}

const TOOLS = ['read_file', 'write_file', 'edit_file', 'bash', 'mcp__mem__write'];

describe('a matcher', () => {
  it('reads patterns as fnmatchcase of CPython does, on 50,000 pairs', () => {
    const lines = readFileSync(new URL('../../../fixtures/hooks/fnmatch.jsonl', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    const pairs = lines.map((line) => JSON.parse(line) as [string, string[], string]);
    const wrong = pairs.filter(([pattern, texts, hits]) => {
      const matches = compilePattern(pattern);
      return texts.map((text) => Number(matches(text))).join('') !== hits;
    });
    expect(wrong).toEqual([]);
    expect(pairs.flatMap(([, texts]) => texts)).toHaveLength(50_000);
  });

  it('takes every tool where it says nothing', () => {
    for (const matcher of ['', '*', ' | ']) expect(takes(matcher, TOOLS)).toEqual(TOOLS);
  });

  it('is a list of alternatives, by the names of other tools as well', () => {
    expect(takes('Write|Edit', TOOLS)).toEqual(['write_file', 'edit_file']);
    expect(takes('bash | [|x]', ['bash', '|', 'x', 'y'])).toEqual(['bash', '|', 'x']);
  });

  it('takes a tool whose name every object knows like any other', () => {
    expect(takes('bash|constructor', ['constructor', 'toString'])).toEqual(['constructor']);
  });

  it('asks a pattern about the own name only', () => {
    expect(takes('[!r]*', TOOLS)).toEqual(['write_file', 'edit_file', 'bash', 'mcp__mem__write']);
    expect(takes('W*', TOOLS)).toEqual([]);
  });

  it('may be a regular expression, which is found anywhere', () => {
    expect(takes('re:^mcp__.*write', TOOLS)).toEqual(['mcp__mem__write']);
    expect(createToolMatcher('re:(')).toBeNull();
  });

  it('ends soon whatever the pattern', () => {
    expect(compilePattern(`${'*a'.repeat(30)}b`)('a'.repeat(5000))).toBe(false);
  });
});
