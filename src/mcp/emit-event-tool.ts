import { hasWildcard } from '../core/events/topics.ts';
import type { Json, JsonObject } from '../core/values/json.ts';
import { type McpResult, type McpTool, toReason } from './mcp-tool.ts';

export interface EmitOffer {
  readonly hat: string;
  /** Topics and patterns; `null` where the contract is not known, so that anything may be tried. */
  readonly topics: readonly string[] | null;
  /** Ids of the hats that an event can be addressed to. */
  readonly targets: readonly string[];
  /** What a payload must look like, in words or as JSON Schema, by topic; topics without a rule are missing. */
  readonly shapes: Readonly<Record<string, string>>;
}

/** An event as the model asked for it, its form checked. */
export interface EmitRequest {
  readonly topic: string;
  readonly payload: Json;
  readonly target?: string;
}

/** More topics than this are told in words: a longer enum costs the model more than it helps. */
const MAX_ENUM = 60;
const MAX_LISTED = 30;

/**
 * The tool through which an agent publishes.
 *
 * @param publish checks the event against the contract, writes it, and returns what else is to be said of it; what it throws is told to the model, its message first
 */
export function createEmitEventTool(offer: EmitOffer, publish: (request: EmitRequest) => string): McpTool {
  return {
    name: 'emit_event',
    description: toDescription(offer),
    inputSchema: toInputSchema(offer),
    annotations: { title: 'Publish an event', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    call: async (args) => emit(args, offer, publish),
  };
}

function toDescription({ hat, topics }: EmitOffer): string {
  const may = topics === null ? '' : ` ${topics.length === 0 ? 'This hat may publish nothing.' : `Topics: ${toList(topics)}.`}`;
  return `Publish an event of the hat \`${hat}\`, to hand work on; use it instead of writing to files.${may}`;
}

function toInputSchema({ topics, targets, shapes }: EmitOffer): JsonObject {
  const isClosed = topics !== null && topics.length > 0 && topics.length <= MAX_ENUM && !topics.some(hasWildcard);
  const topic = isClosed ? { type: 'string', enum: topics } : { type: 'string', description: toTopicText(topics) };
  const target = targets.length === 0 ? {} : { target: { type: 'string', description: `Only to address one hat: ${toList(targets)}.` } };
  return {
    type: 'object',
    properties: { topic, payload: { type: 'string', description: toPayloadText(shapes) }, ...target },
    required: ['topic'],
  };
}

function toTopicText(topics: readonly string[] | null): string {
  if (topics === null) return 'Such as build.done.';
  if (topics.length === 0) return 'This hat may publish nothing.';
  return `One of: ${toList(topics)}.${topics.some(hasWildcard) ? ' A * stands for words of your choice.' : ''}`;
}

function toPayloadText(shapes: EmitOffer['shapes']): string {
  const rules = Object.entries(shapes).map(([topic, shape]) => `${topic}: JSON, ${shape}`);
  return ['What the receiver should know: text, or JSON as text.', ...rules].join(' ');
}

function toList(words: readonly string[]): string {
  const shown = words.slice(0, MAX_LISTED).join(', ');
  return words.length > MAX_LISTED ? `${shown} and ${words.length - MAX_LISTED} more` : shown;
}

function emit(args: JsonObject, offer: EmitOffer, publish: (request: EmitRequest) => string): McpResult {
  const { topic, payload = '', target } = args;
  if (typeof topic !== 'string' || topic === '') return toRefusal('`topic` must be text, such as build.done.');
  if (target !== undefined && target !== null && typeof target !== 'string') return toRefusal('`target` must be the id of a hat.');
  try {
    // Models fill what is optional with an empty text.
    const remark = publish({ topic, payload, ...(typeof target === 'string' && target !== '' && { target }) });
    return { text: `Published ${topic} as ${offer.hat}.${remark === '' ? '' : ` ${remark}`}`, isError: false };
  } catch (error) {
    return toRefusal(toReason(error));
  }
}

function toRefusal(why: string): McpResult {
  return { text: `Not published: ${why}`, isError: true };
}
