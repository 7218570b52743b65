import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../core/values/json.ts';
import { accept } from '../../core/values/result.ts';
import { makeContext } from '../tool/tool-fixtures.ts';
import { createNativeEmitEventTool } from './emit-event.ts';
import { taskCompleteTool } from './task-complete.ts';

function toTopicSchema(publishes: readonly string[]): { description: string; enum?: readonly string[] } {
  const schema = z.toJSONSchema(createNativeEmitEventTool(publishes).parameters, { io: 'input' }) as unknown as {
    properties: { topic: { description: string; enum?: readonly string[] } };
  };
  return schema.properties.topic;
}

function toTopicText(publishes: readonly string[]): string {
  return toTopicSchema(publishes).description;
}

describe('emit_event', () => {
  it('names in its schema what this hat may publish, and nothing else', () => {
    expect(toTopicText(['review.done', 'review.failed'])).toBe('The topic, one of: review.done, review.failed.');
    expect(toTopicText(['review.*'])).toBe('The topic, one of: review.* (* stands for any word).');
  });

  it('closes its schema to the topics that this hat may publish, where they can be listed', () => {
    expect(toTopicSchema(['review.done', 'review.failed']).enum).toEqual(['review.done', 'review.failed']);
    for (const open of [[], ['review.*', 'done'], Array.from({ length: 61 }, (_, index) => `topic.${index}`)])
      expect(toTopicSchema(open)).not.toHaveProperty('enum');
  });

  it('leaves a topic that is not listed to the contract of the hat, which refuses it with the list', () => {
    expect(createNativeEmitEventTool(['x']).parameters.safeParse({ topic: 'deploy.done' }).success).toBe(true);
  });

  it('stays short where a hat may publish very much', () => {
    expect(toTopicText(Array.from({ length: 5000 }, (_, index) => `topic.${index}`)).length).toBeLessThan(2000);
  });

  it.each<[unknown, Json]>([
    [undefined, ''],
    ['text', 'text'],
    [{ a: [1, null] }, { a: [1, null] }],
    [0, 0],
    [null, null],
  ])('publishes the payload %j as %j', async (given, payload) => {
    const published: unknown[] = [];
    const context = makeContext({
      publish: async (...args) => {
        published.push(args);
        return accept(args[0]);
      },
    });
    const tool = createNativeEmitEventTool(['x']);
    const args = tool.parameters.parse({ topic: 'x', target: 'critic', ...(given !== undefined && { payload: given }) });
    expect(await tool.run(args, context)).toMatchObject({ isError: false, report: { kind: 'published', topic: 'x' } });
    expect(published).toEqual([['x', payload, 'critic']]);
  });
});

it('task_complete publishes the summary and the evidence under the topic of completion', async () => {
  const published: unknown[] = [];
  const context = makeContext({
    publish: async (topic, payload) => {
      published.push({ topic, payload });
      return accept(topic);
    },
  });
  expect(await taskCompleteTool.run({ summary: 's', evidence: 'e' }, context)).toMatchObject({ isError: false });
  expect(published).toEqual([{ topic: 'task.complete', payload: { summary: 's', evidence: 'e' } }]);
});
