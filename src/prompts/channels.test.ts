import { expect, test } from 'vitest';
import { buildPrompt } from './build-prompt.ts';
import { SETTINGS, sampleTopology, sampleTurn, TEAM } from './fixtures.ts';

function channelsOf(eventSources: readonly ('jsonl' | 'text')[], hasEmitTool?: boolean): string {
  const topology = sampleTopology({ hats: TEAM, eventSources });
  const prompt = buildPrompt(topology, sampleTurn('builder', hasEmitTool === undefined ? {} : { hasEmitTool }), SETTINGS);
  return /Publish by[\s\S]*?(?=\n#|$)/.exec(prompt)?.[0] ?? '';
}

test('an agent with a tool to publish with is told of it, and of no shell', () => {
  const told = channelsOf(['jsonl', 'text'], true);
  expect(told).toContain('`emit_event`');
  expect(told).toContain('<event topic="…">');
  expect(told).not.toContain('ralph emit');
  expect(told).not.toContain('$RALPH_EVENTS_FILE');
});

test('an agent without one is told of the shell and the file', () => {
  for (const told of [channelsOf(['jsonl', 'text'], false), channelsOf(['jsonl', 'text'])]) {
    expect(told).toContain('ralph emit');
    expect(told).toContain('$RALPH_EVENTS_FILE');
    expect(told).not.toContain('emit_event');
  }
});

test('an agent whose shell sets a PATH of its own is told of the command by its variable', () => {
  const topology = sampleTopology({ hats: TEAM, eventSources: ['jsonl'] });
  const told = buildPrompt(topology, sampleTurn('builder', { losesPath: true }), SETTINGS);
  expect(told).toContain('- shell: `"$RALPH_BIN" emit TOPIC \'payload\'`');
  expect(told).not.toMatch(/`ralph emit/);
});

test('where only text is read, no tool is told of', () => {
  expect(channelsOf(['text'], true)).not.toContain('emit_event');
});

test('the tool makes the prompt shorter', () => {
  expect(channelsOf(['jsonl', 'text'], true).length).toBeLessThan(channelsOf(['jsonl', 'text'], false).length);
});
