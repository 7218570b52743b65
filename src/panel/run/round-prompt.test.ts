import { expect, it } from 'vitest';
import type { HandWay } from './panel-settings.ts';
import { buildRoundPrompt, type RoundPrompt, renderDigest } from './round-prompt.ts';

const ANSWERS = [
  { name: 'agent1', content: 'A', folder: null },
  { name: 'agent2', content: 'B', folder: null },
];
const build = (way: HandWay, more: Partial<RoundPrompt> = {}): string =>
  buildRoundPrompt({
    task: '',
    instructions: '',
    round: 'answer',
    answers: [],
    voting: 'balanced',
    way,
    isEnforced: false,
    topics: [],
    ...more,
  });
const COMMAND: HandWay = { kind: 'command', command: '"$RALPH_BIN"' };

it('names the way that the agent has, and no other', () => {
  expect(build({ kind: 'tools' })).toBe(
    '## HAND IN\n\nDo the work in your folder, then hand in your answer: call `new_answer` with all that matters in it.',
  );
  expect(build(COMMAND, { topics: ['a', 'b'] })).toBe(
    '## HAND IN\n\nDo the work in your folder, then hand in your answer: run `"$RALPH_BIN" panel answer "…"` (long: `--file F`) with all that matters in it. `--topic` names what it publishes, one of a, b.',
  );
  expect(build({ kind: 'words' }, { topics: ['a', 'b'] })).toContain('`PUBLISH: <topic>`, one of a, b.');
});

it('names those who can be voted for where no tool does', () => {
  const vote = { round: 'vote', answers: ANSWERS } as const;
  expect(build(COMMAND, vote)).toContain('run `"$RALPH_BIN" panel vote <agent> "<why>"`, the agent one of agent1, agent2.');
  expect(build({ kind: 'words' }, vote)).toContain('end with the line `VOTE: <agent> <why>`, the agent one of agent1, agent2.');
  expect(build({ kind: 'tools' }, vote)).toContain('call `vote`.');
});

it('keeps what an agent did before short, however much that was', () => {
  const many = Array.from({ length: 5000 }, (_, index) => `src/some/folder/file-${index}.ts`);
  const digest = renderDigest(many, 'word '.repeat(5000));
  expect(digest).toMatch(/`src\/some\/folder\/file-0\.ts`, .* and 4,?\d+ more\./);
  expect(digest.length).toBeLessThanOrEqual(1500);
  expect(renderDigest(['x'.repeat(4000)], '')).toBe('Files of your folder that you changed: 1 more.');
  expect(renderDigest([], '')).toBe('');
});
