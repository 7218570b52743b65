import { expect, test } from 'vitest';
import { createReadEventsTool, type EventQuery, type EventsFileEntry } from './read-events-tool.ts';

function makeTool(events: readonly EventsFileEntry[] = []) {
  const asked: EventQuery[] = [];
  const tool = createReadEventsTool((query) => {
    asked.push(query);
    return events;
  });
  return { tool, asked };
}

test('events are shown one a line, with the moment that whoever wrote them says', async () => {
  const { tool } = makeTool([
    { at: 0, topic: 'build.done', payload: 'one\ntwo' },
    { at: 1e300, topic: 'build.task', target: 'builder', payload: '' },
  ]);
  expect((await tool.call({})).text.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
    { at: '1970-01-01T00:00:00.000Z', topic: 'build.done', payload: 'one\ntwo' },
    { at: null, topic: 'build.task', target: 'builder', payload: '' },
  ]);
  expect((await makeTool().tool.call({})).text).toBe('No such event yet.');
});

test('never more than fifty are asked for, and a count that is none is the usual one', async () => {
  const { tool, asked } = makeTool();
  for (const last of [3, 51, 1e9, 0, -1, 'all', null]) await tool.call({ last, topic: 'build.*' });
  expect(asked.map(({ last }) => last)).toEqual([3, 50, 50, 20, 20, 20, 20]);
  expect(asked[0]?.topic).toBe('build.*');
});

test('what is no topic is refused, and what cannot be read is told', async () => {
  const { tool, asked } = makeTool();
  expect((await tool.call({ topic: 'a b' })).isError).toBe(true);
  expect(asked).toEqual([]);
  const broken = createReadEventsTool(() => {
    throw new Error('a link');
  });
  expect(await broken.call({})).toEqual({ text: 'Not read: a link', isError: true });
});
