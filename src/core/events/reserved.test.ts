import { describe, expect, it } from 'vitest';
import { SYSTEM_TOPICS, toBlockedTopic } from './reserved.ts';
import { isTopic } from './topics.ts';

describe('reserved names', () => {
  it.each([
    ['task.complete', 'task.blocked'],
    ['build.done', 'build.blocked'],
    ['review.code.done', 'review.code.blocked'],
    ['done', 'done.blocked'],
  ])('a failing gate makes %s into %s', (topic, blocked) => {
    expect(toBlockedTopic(topic)).toBe(blocked);
  });

  it('what the system publishes are topics', () => {
    expect(SYSTEM_TOPICS.filter((topic) => !isTopic(topic))).toEqual([]);
  });
});
