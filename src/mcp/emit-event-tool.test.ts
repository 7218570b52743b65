import { expect, test } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { createEmitEventTool, type EmitOffer, type EmitRequest } from './emit-event-tool.ts';

const OFFER: EmitOffer = { hat: 'critic', topics: ['review.approved', 'review.rejected'], targets: ['creator'], shapes: {} };

function createTool(offer: Partial<EmitOffer> = {}) {
  const published: EmitRequest[] = [];
  const tool = createEmitEventTool({ ...OFFER, ...offer }, (request) => {
    published.push(request);
    return '';
  });
  return { tool, published };
}

test('the schema lists exactly the topics of the hat', () => {
  expect(createTool().tool.inputSchema).toMatchObject({
    properties: { topic: { enum: ['review.approved', 'review.rejected'] }, payload: { type: 'string' }, target: { type: 'string' } },
    required: ['topic'],
  });
});

test('a hat with patterns, without topics or with too many gets them in words', () => {
  const topicOf = (topics: readonly string[] | null): unknown => createTool({ topics }).tool.inputSchema['properties'];
  expect(topicOf(['review.*'])).toMatchObject({ topic: { type: 'string', description: expect.stringContaining('review.*') } });
  expect(topicOf(null)).toMatchObject({ topic: { type: 'string' } });
  expect(topicOf([])).toMatchObject({ topic: { description: expect.stringContaining('nothing') } });
  const many = Array.from({ length: 200 }, (_, index) => `topic.${index}`);
  expect(JSON.stringify(topicOf(many)).length).toBeLessThan(1000);
});

test('the target is offered only where somebody can be addressed', () => {
  expect(createTool({ targets: [] }).tool.inputSchema['properties']).not.toHaveProperty('target');
});

test('what a payload must look like is said', () => {
  const { tool } = createTool({ shapes: { 'review.rejected': '{"reasons": […]}' } });
  expect(JSON.stringify(tool.inputSchema)).toContain('review.rejected: JSON, {\\"reasons\\"');
});

test('an event is published with its payload as it was given', async () => {
  const { tool, published } = createTool();
  await tool.call({ topic: 'review.approved' });
  await tool.call({ topic: 'review.rejected', payload: { line: 3 }, target: 'creator' });
  const last = await tool.call({ topic: 'review.rejected', payload: 'no test', target: '' });
  expect(last).toEqual({ text: 'Published review.rejected as critic.', isError: false });
  expect(published).toEqual([
    { topic: 'review.approved', payload: '' },
    { topic: 'review.rejected', payload: { line: 3 }, target: 'creator' },
    { topic: 'review.rejected', payload: 'no test' },
  ]);
});

test('a refusal is a result that says what is allowed', async () => {
  const tool = createEmitEventTool(OFFER, () => {
    throw new RalphError({
      code: 'emit-refused',
      what: 'critic may not publish x.',
      why: 'Contract.',
      fix: 'Allowed topics: review.approved.',
    });
  });
  const result = await tool.call({ topic: 'x' });
  expect(result).toEqual({
    text: 'Not published: critic may not publish x.\nContract.\nAllowed topics: review.approved.',
    isError: true,
  });
});

test('arguments of the wrong kind are refused before anything is written', async () => {
  const { tool, published } = createTool();
  for (const args of [{}, { topic: 7 }, { topic: '' }, { topic: 'review.approved', target: 7 }]) {
    expect((await tool.call(args)).isError).toBe(true);
  }
  expect(published).toEqual([]);
});
