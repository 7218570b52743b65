import { EventEmitter, once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../core/property-fixtures.ts';
import type { JsonObject } from '../core/values/json.ts';
import { type AskReply, type AskRequest, createAskPersonTool } from './ask-person-tool.ts';

/** A tool whose questions are answered by the test. */
function makeTool(reply?: AskReply) {
  const asked: AskRequest[] = [];
  const later = new EventEmitter();
  const promise = once(later, 'answer').then(([choice]): AskReply => ({ choice: String(choice), by: 'person' }));
  const tool = createAskPersonTool((request) => {
    asked.push(request);
    return reply === undefined ? promise : Promise.resolve(reply);
  });
  return { tool, asked, answer: (choice: string) => later.emit('answer', choice) };
}

const DROP: JsonObject = { question: 'Drop it?', choices: ['drop', 'keep'], default: 'keep' };

test('the result is the choice, and whether a person made it', async () => {
  expect(await makeTool({ choice: 'drop', by: 'person' }).tool.call(DROP)).toEqual({ text: 'A person answered: drop', isError: false });
  for (const by of ['deadline', 'policy', 'withdrawn']) {
    expect((await makeTool({ choice: 'keep', by }).tool.call(DROP)).text).toBe('Nobody answered, so your default counts: keep');
  }
});

test('what is left out, or filled with nothing, is yes or no, and the last of them', async () => {
  const { tool, asked } = makeTool({ choice: 'no', by: 'deadline' });
  await tool.call({ question: ' Go on? ' });
  await tool.call({ question: 'Go on?', choices: [], default: '', deadline_seconds: 0 });
  await tool.call({ question: 'Go on?', deadline_seconds: 1.5 });
  expect(asked).toEqual([
    { text: 'Go on?', choices: ['yes', 'no'], default: 'no' },
    { text: 'Go on?', choices: ['yes', 'no'], default: 'no' },
    { text: 'Go on?', choices: ['yes', 'no'], default: 'no', deadlineMs: 1500 },
  ]);
});

test('what cannot be asked is refused, and nobody is asked', async () => {
  const { tool, asked } = makeTool({ choice: 'yes', by: 'person' });
  const wrong: readonly JsonObject[] = [
    {},
    { question: '  ' },
    { question: 'x'.repeat(5000) },
    { ...DROP, choices: ['one'] },
    { ...DROP, choices: ['same', 'same'] },
    { ...DROP, choices: ['drop', 7] },
    { ...DROP, choices: 'drop,keep' },
    { ...DROP, default: 'maybe' },
    { ...DROP, default: 3 },
    { ...DROP, deadline_seconds: -1 },
    { ...DROP, deadline_seconds: 1e9 },
  ];
  for (const args of wrong) expect(await tool.call(args)).toMatchObject({ isError: true, text: expect.stringMatching(/^No answer: `/) });
  expect(asked).toEqual([]);
});

test('a question whose client gave up is still open: asked again it is no second question, and takes the answer', async () => {
  const { tool, asked, answer } = makeTool();
  const gaveUp = new AbortController();
  const first = tool.call(DROP, gaveUp.signal);
  gaveUp.abort();
  expect((await first).isError).toBe(true);
  answer('drop');
  expect(await tool.call(DROP, new AbortController().signal)).toEqual({ text: 'A person answered: drop', isError: false });
  expect(asked).toHaveLength(1);
  await tool.call(DROP);
  expect(asked).toHaveLength(2);
});

test('what clients gave up on takes no place once it is settled', async () => {
  const { tool, answer } = makeTool();
  const gaveUp = AbortSignal.abort();
  for (let index = 0; index < 50; index += 1) await tool.call({ ...DROP, question: `${index}?` }, gaveUp);
  expect((await tool.call({ ...DROP, question: 'one more' })).text).toContain('too many questions');
  answer('drop');
  expect((await tool.call({ ...DROP, question: '0?' })).text).toBe('A person answered: drop');
  expect((await tool.call({ ...DROP, question: 'one more' })).text).toBe('A person answered: drop');
});

test('what goes wrong is told', async () => {
  const tool = createAskPersonTool(() => Promise.reject(new Error('no turn')));
  expect(await tool.call(DROP)).toEqual({ text: 'No answer: no turn', isError: true });
});

test('an answer that is none of the choices is no answer', async () => {
  expect((await makeTool({ choice: 'rm -rf', by: 'person' }).tool.call(DROP)).isError).toBe(true);
});

test('whatever the arguments are, the tool answers, and asks only what has its default among two or more choices', async () => {
  const value = fc.oneof(fc.jsonValue(), fc.array(fc.string()), fc.string());
  const args = fc.record({ question: value, choices: value, default: value, deadline_seconds: value }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(args, async (given) => {
      const asked: AskRequest[] = [];
      const tool = createAskPersonTool(async (request) => {
        asked.push(request);
        return { choice: request.default, by: 'deadline' };
      });
      await tool.call(given as JsonObject);
      for (const { text, choices, default: fallback } of asked) {
        expect(text.trim()).not.toBe('');
        expect(choices.length).toBeGreaterThan(1);
        expect(choices).toContain(fallback);
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});
