import { describe, expect, it } from 'vitest';
import type { ToolDenial } from '../../core/tools/scope-violations.ts';
import { toScopeRows } from './turn-details.ts';

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
