import { expect, it } from 'vitest';
import { runSteps } from '../turn/step-loop.ts';
import { callAll, makeTurn, say } from '../turn/turn-fixtures.ts';
import { foldTranscript, NO_MEMORY } from './transcript.ts';

it('what a person says comes behind the results of the calls that are being made, in one message, once', async () => {
  const turn = makeTurn([
    (_request, _observe) => {
      turn.parts.words.put({ id: 'c1', text: 'use the old API', by: 'ann' });
      turn.parts.words.put({ id: 'c2', text: 'and\u0007 the new\ntests', by: 'b\u0000b' });
      return callAll('look', 'look');
    },
    callAll('look'),
    say('Done.'),
  ]);
  await runSteps(turn.parts, turn.state);
  const [, second, third] = turn.requests;
  expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(second?.messages.at(-1)).toEqual({
    role: 'user',
    text: 'ann, who runs this, says while you work:\n\nuse the old API\n\nb?b, who runs this, says while you work:\n\nand\uFFFD the new\ntests',
  });
  expect(third?.messages.filter((message) => message.role === 'user' && message.text.includes('old API'))).toHaveLength(1);
  expect(turn.events.filter(({ type }) => type === 'injected')).toEqual([{ type: 'injected', ids: ['c1', 'c2'], call: 2, isKept: true }]);
});

it('it is in the transcript before anybody learns that it was given, so that a conversation that is taken up has it', async () => {
  let written = -1;
  const turn = makeTurn([
    () => {
      turn.parts.words.put({ id: 'c1', text: 'use the old API', by: 'ann' });
      return callAll('look');
    },
    say('Done.'),
  ]);
  const parts = {
    ...turn.parts,
    tell: (event: Parameters<typeof turn.parts.tell>[0]) => {
      if (event.type === 'injected')
        written = turn.lines.findIndex((line) => line.type === 'message' && line.told?.includes('c1') === true);
    },
  };
  await runSteps(parts, turn.state);
  expect(written).toBeGreaterThan(0);
  const { messages } = foldTranscript(turn.lines.map((line) => JSON.stringify(line)).join('\n'), NO_MEMORY);
  expect(messages.filter((message) => message.role === 'user' && message.text.includes('old API'))).toHaveLength(1);
});

it('what was said before the first step is given with it, and what comes behind the last is not', async () => {
  const turn = makeTurn([
    () => {
      turn.parts.words.put({ id: 'late', text: 'too late', by: 'ann' });
      return say('Done.');
    },
  ]);
  turn.parts.words.put({ id: 'early', text: 'first of all', by: 'ann' });
  await runSteps(turn.parts, turn.state);
  expect(turn.requests[0]?.messages.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('first of all') });
  expect(turn.events.filter(({ type }) => type === 'injected')).toMatchObject([{ ids: ['early'], call: 0 }]);
});
