import { describe, expect, it } from 'vitest';
import type { ToolDenial } from '../../core/tools/scope-violations.ts';
import { toHookRows, toScopeRows } from './turn-details.ts';

const textsOf = (denials: readonly ToolDenial[]): readonly string[] =>
  toScopeRows({ violations: null, denials, denied: denials.length }).map(({ text }) => text);

describe('what was stopped', () => {
  it('is counted where it is not all shown', () => {
    const denials = Array.from({ length: 20 }, () => ({ tool: 'Bash', layer: 'flags', reason: 'no' }) as const);
    expect(toScopeRows({ violations: null, denials, denied: 31 }).at(-1)).toEqual({ label: 'Stopped', text: 'and 19 more' });
    expect(toScopeRows({ violations: null, denials: denials.slice(0, 12), denied: 12 })).toHaveLength(12);
  });

  it('is told with what the tool was used for, what stopped it, and why', () => {
    const denial = { tool: 'Bash', use: 'git log --output=x', layer: 'flags', reason: 'not allowed' } as const;
    expect(textsOf([denial])).toEqual(['Bash (git log --output=x) by its CLI: not allowed']);
  });

  it('needs no use: some agents do not tell it', () => {
    expect(textsOf([{ tool: 'edit', layer: 'os', reason: 'read-only' }])).toEqual(['edit by the operating system: read-only']);
  });

  it('keeps what an agent wrote from steering the terminal', () => {
    const [text] = textsOf([{ tool: 'Bash', use: '\u001b[2Jls\n-l', layer: 'flags', reason: 'no' }]);
    for (const mark of ['\u001b', '\n']) expect(text).not.toContain(mark);
  });
});

describe('what hooks did', () => {
  it('is counted, and told where it was more than to allow', () => {
    const run = {
      name: 'guard',
      event: 'PreToolUse',
      tool: 'bash',
      decision: 'deny',
      reason: 'no\u001b[2J',
      error: null,
      ms: 1,
      preview: '',
    } as const;
    const counts = [
      { name: 'guard', decision: 'deny', count: 14 },
      { name: 'audit', decision: 'allow', count: 20 },
    ] as const;
    const texts = toHookRows({ counts, runs: Array.from({ length: 14 }, () => run) }).map(({ text }) => text);
    expect([texts[0], texts.length, texts.at(-1)]).toEqual(['guard deny 14, audit allow 20', 14, 'and 2 more']);
    expect(texts[1]).toMatch(/^guard said deny to bash: no/);
    expect(texts.join('')).not.toContain('\u001b');
    expect(toHookRows(null)).toEqual([]);
  });
});
