import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern, createForeignMatcher, createToolMatcher } from './match-tool.ts';

function takes(matcher: string, tools: readonly string[]): readonly string[] {
  const matches = createToolMatcher(matcher);
  return tools.filter((tool) => matches?.(tool));
}

const TOOLS = ['read_file', 'write_file', 'edit_file', 'bash', 'mcp__mem__write'];

describe('a matcher', () => {
  it('reads glob patterns as fnmatchcase of CPython does, on 50,000 pairs', () => {
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

  it('is a list of alternatives, by the names of other tools as well: Write or Edit', () => {
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

describe('matchers of agent CLIs', () => {
  const takesAs = (dialect: 'claude' | 'gemini', matcher: string): readonly string[] =>
    TOOLS.filter((tool) => createForeignMatcher(matcher, dialect)?.(tool));

  it('take every tool where they are empty', () => {
    for (const dialect of ['claude', 'gemini'] as const)
      for (const matcher of ['', ' ', '*']) expect(takesAs(dialect, matcher)).toEqual(TOOLS);
  });

  it('of Claude Code are lists of whole names, its own and ours', () => {
    expect(takesAs('claude', 'Write|Edit')).toEqual(['write_file', 'edit_file']);
    expect(takesAs('claude', 'Read, bash')).toEqual(['read_file', 'bash']);
    expect(takesAs('claude', 'Wri')).toEqual([]);
    expect(takesAs('claude', 'mcp__mem__write')).toEqual(['mcp__mem__write']);
  });

  it('of Claude Code are regular expressions with any other character, found anywhere in either name', () => {
    expect(takesAs('claude', '.*rit')).toEqual(['write_file', 'mcp__mem__write']);
    expect(takesAs('claude', '^(Write|Edit)$')).toEqual(['write_file', 'edit_file']);
    expect(takesAs('claude', 'mcp__.*')).toEqual(['mcp__mem__write']);
  });

  it('of Gemini CLI are always regular expressions', () => {
    expect(takesAs('gemini', 'rit')).toEqual(['write_file', 'mcp__mem__write']);
    expect(takesAs('gemini', 'replace|run_shell_command')).toEqual(['edit_file', 'bash']);
    expect(takesAs('gemini', 'Write')).toEqual([]);
  });

  it('that are no regular expressions are none', () => {
    expect([createForeignMatcher('(', 'claude'), createForeignMatcher('[', 'gemini')]).toEqual([null, null]);
  });
});
