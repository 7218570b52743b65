import { expect, test } from 'vitest';
import { toHomeOwner } from './turn-home.ts';

test.each([
  ['acp', 'gemini', 'gemini'],
  ['acp', '/usr/local/bin/opencode', 'opencode'],
  ['acp', 'claude-code-acp', 'claude'],
  ['custom', 'claude', 'claude'],
  ['custom', './claude', 'custom'],
  ['custom', 'tools/gemini', 'custom'],
  ['custom', 'my-agent', 'custom'],
  ['acp', undefined, 'acp'],
  ['codex', 'gemini', 'codex'],
] as const)('an agent of the type %s that is started by %s needs the home of %s', (type, command, owner) => {
  expect(toHomeOwner(type, command)).toBe(owner);
});
