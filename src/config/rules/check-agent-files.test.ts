import { describe, expect, it } from 'vitest';
import { loadText } from '../config-fixtures.ts';

const findings = (core: string, profile: string): string[] =>
  loadText(`core: {${core}}\nhats:\n  critic: {triggers: [task.start], publishes: [LOOP_COMPLETE], profile: ${profile}}`)
    .diagnostics.filter(({ code }) => code === 'agent-file-closed')
    .map(({ severity, message }) => `${severity} ${message}`);

describe('the files that every hat writes', () => {
  it.each(['events.jsonl', 'notes/events.jsonl', './notes/events.jsonl', '.ralph/events.jsonl', '.events.jsonl'])(
    'cannot lie at %s where a hat may not write',
    (path) => {
      expect(findings(`events_file: ${path}`, 'critic')).toEqual([
        `error The hat 'critic' may not change the workspace, so it could not write "${path}".`,
      ]);
    },
  );

  it('are told each at its own place', () => {
    const text = 'core:\n  events_file: a.jsonl\n  scratchpad: notes.md\nhats:\n  critic: {profile: critic}\n';
    const told = loadText(text).diagnostics.filter(({ code }) => code === 'agent-file-closed');
    expect(told.map(({ line }) => line)).toEqual([2, 3]);
  });

  it.each(['.agent/events.jsonl', './.agent/events.jsonl', '.notes/deep/events.jsonl'])('may lie at %s', (path) => {
    expect(findings(`events_file: ${path}`, 'critic')).toEqual([]);
  });

  it('may lie anywhere in the workspace where every hat may write', () => {
    expect(findings('events_file: events.jsonl, scratchpad: notes.md', 'creator')).toEqual([]);
  });
});
