import { z } from 'zod';
import { hasWildcard, isTopic, MAX_TOPIC_LENGTH } from '../../core/events/topics.ts';
import { isDeeperThan, type Json } from '../../core/values/json.ts';
import { defineTool, fail, succeedPublished, type Tool } from '../tool/tool.ts';

const MAX_PAYLOAD_BYTES = 100_000;
const MAX_PAYLOAD_LEVELS = 32;
const MAX_LISTED = 60;

export const EMIT_EVENT = 'emit_event';

interface Args {
  readonly topic: string;
  readonly payload?: unknown;
  readonly target?: string | undefined;
}

/**
 * The tool by which a hat hands its work on. Its schema names what this hat may publish, so that the model need not guess; what it publishes all the
 * same is refused by `context.publish`.
 *
 * @param publishes topics and patterns of the hat; empty where they are not known: then nothing is listed
 */
export function createNativeEmitEventTool(publishes: readonly string[]): Tool<Args> {
  return defineTool<Args>({
    name: EMIT_EVENT,
    group: 'coordination',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    description:
      'Publishes an event, so that another hat goes on with your work. Call it once your part is done; it takes effect when your turn ends.',
    parameters: z.strictObject({
      topic: z
        .string()
        .max(MAX_TOPIC_LENGTH)
        .refine(isTopic, 'is no topic: words of letters, digits, - and _, joined by dots')
        .meta({ description: toTopicText(publishes), ...toTopicChoice(publishes) }),
      payload: z.unknown().optional().describe('What whoever takes the event needs to know: text, or any JSON value.'),
      target: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe('The id of the hat that is to take it; default: whoever takes the topic.'),
    }),
    run: async ({ topic, payload = '', target }, context) => {
      const value = payload as Json;
      const problem = findPayloadProblem(value);
      if (problem !== null)
        return fail(`The payload ${problem}: nothing was published.`, 'Put what is long into a file and name the file in the payload.');
      const published = await context.publish(topic, value, target);
      if (published.ok) return succeedPublished(`Published ${published.value}. It is routed when your turn ends.`, published.value);
      return fail(`${topic} was not published: ${published.refused.reason}`, toAdvice(published.refused.allowed));
    },
  });
}

/** For the model only: what is not listed still parses, so that the contract refuses it, and it is recorded. */
function toTopicChoice(publishes: readonly string[]): { enum?: string[] } {
  const canBeListed = publishes.length > 0 && publishes.length <= MAX_LISTED && !publishes.some(hasWildcard);
  return canBeListed ? { enum: [...publishes] } : {};
}

function toTopicText(publishes: readonly string[]): string {
  if (publishes.length === 0) return 'The topic, such as review.done.';
  const listed = publishes.slice(0, MAX_LISTED).join(', ');
  const more = publishes.length > MAX_LISTED ? ', …' : '';
  const patterns = publishes.some(hasWildcard) ? ' (* stands for any word)' : '';
  return `The topic, one of: ${listed}${more}${patterns}.`;
}

function findPayloadProblem(payload: Json): string | null {
  if (isDeeperThan(payload, MAX_PAYLOAD_LEVELS)) return `is nested deeper than ${MAX_PAYLOAD_LEVELS} levels`;
  if (Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES) return `is larger than ${MAX_PAYLOAD_BYTES / 1000} KB`;
  return null;
}

function toAdvice(allowed: readonly string[]): string {
  return allowed.length === 0 ? 'This hat may publish nothing: end your turn with a summary.' : `You may publish: ${allowed.join(', ')}.`;
}
