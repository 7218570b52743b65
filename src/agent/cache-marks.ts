import type { CacheMarks, ModelMessage } from '../ports/index.ts';

/** How many messages may carry a mark: providers take four marks, the other two are behind the system text and the tools. */
const MARKED_MESSAGES = 2;

/**
 * Up to where a provider should keep what it has read: behind the system text, the last tool, and the last two messages of ours. The second to last
 * is where the call before this one ended, so what was kept then is found.
 */
export function planCacheMarks(messages: readonly ModelMessage[]): CacheMarks {
  const ours = messages.flatMap((message, index) => (message.role === 'assistant' ? [] : [{ index, next: messages[index + 1]?.role }]));
  // Two of ours in a row reach the provider as one.
  const ends = ours.filter(({ next }) => next === 'assistant' || next === undefined);
  return { system: true, tools: true, messages: ends.slice(-MARKED_MESSAGES).map(({ index }) => index) };
}
