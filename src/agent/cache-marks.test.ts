import { expect, it } from 'vitest';
import type { ModelMessage } from '../ports/index.ts';
import { planCacheMarks } from './cache-marks.ts';

const user: ModelMessage = { role: 'user', text: 'x' };
const assistant: ModelMessage = { role: 'assistant', parts: [] };
const tool: ModelMessage = { role: 'tool', results: [] };

it.each([
  [[user], [0]],
  [
    [user, assistant, tool],
    [0, 2],
  ],
  [
    [user, assistant, tool, assistant, tool],
    [2, 4],
  ],
  // Two of ours in a row are one message for the provider: the mark is at its end.
  [
    [user, assistant, tool, user],
    [0, 3],
  ],
  [
    [user, user, assistant, tool, user, assistant, tool],
    [4, 6],
  ],
] as const)('marks the ends of the last two messages of ours in %#', (messages, marked) => {
  expect(planCacheMarks(messages)).toEqual({ system: true, tools: true, messages: marked });
});
