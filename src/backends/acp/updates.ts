import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import type { Json, JsonObject } from '../../core/values/json.ts';
import type { StreamRecorder } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, withoutCached } from '../stream/read-fields.ts';

/** Reads `session/update` notifications, and remembers what they told of usage. */
export interface UpdateReader {
  read(update: JsonObject, turn: StreamRecorder): void;
  /** The last piece of text, as it came. */
  lastChunk(): string;
  /** The usage of the session so far, from the result of a prompt and what came before it; asked once for each prompt. */
  total(result: JsonObject): Usage;
}

/** Makes a reader for one session. */
export function createUpdateReader(): UpdateReader {
  const openTools = new Set<string>();
  let chunkUsage: Usage = UNKNOWN_USAGE;
  let quota: Usage = UNKNOWN_USAGE;
  let costUsd: number | null = null;
  let lastChunk = '';

  function startTool(update: JsonObject, turn: StreamRecorder): void {
    const id = textAt(update, 'toolCallId');
    if (openTools.has(id)) return;
    openTools.add(id);
    turn.endMessage();
    const name = textAt(objectAt(update, '_meta'), 'toolName') || textAt(update, 'kind') || 'tool';
    turn.toolStart(id, name, toInputSummary(update['rawInput']) || toOneLine(textAt(update, 'title')));
  }

  function endTool(update: JsonObject, turn: StreamRecorder): void {
    const status = textAt(update, 'status');
    if (status !== 'completed' && status !== 'failed') return;
    // Where a permission was asked for, some agents never told of the call itself.
    startTool(update, turn);
    openTools.delete(textAt(update, 'toolCallId'));
    turn.toolEnd(textAt(update, 'toolCallId'), status === 'completed', toContentSummary(update));
  }

  return {
    read(update, turn) {
      const kind = textAt(update, 'sessionUpdate');
      const text = textAt(objectAt(update, 'content'), 'text');
      if (kind === 'agent_message_chunk') {
        if (text !== '') lastChunk = text;
        turn.delta(text, textAt(update, 'messageId') || undefined);
        chunkUsage = addUsage(chunkUsage, toFigures(objectAt(objectAt(update, '_meta'), 'usage')));
      }
      if (kind === 'agent_thought_chunk') turn.thinking(text);
      if (kind === 'tool_call') startTool(update, turn);
      if (kind === 'tool_call' || kind === 'tool_call_update') endTool(update, turn);
      if (kind === 'usage_update') costUsd = toCostUsd(objectAt(update, 'cost')) ?? costUsd;
    },
    lastChunk: () => lastChunk,
    total: (result) => {
      // `usage` is told for the session, as by copilot; the quota of gemini and what comes with chunks is that of one prompt.
      quota = addUsage(quota, toQuota(result));
      return withCost(firstKnown(toFigures(objectAt(result, 'usage')), quota, chunkUsage), costUsd);
    },
  };
}

/**
 * Agents differ in whether input tokens include the cached ones; the total tells: where input and output alone make it up, they do.
 */
function toFigures(usage: JsonObject): Usage {
  const input = numberAt(usage, 'inputTokens');
  const output = numberAt(usage, 'outputTokens');
  const cacheRead = numberAt(usage, 'cachedReadTokens');
  const total = numberAt(usage, 'totalTokens');
  const isCachedIncluded = total !== null && total <= (input ?? 0) + (output ?? 0) + (numberAt(usage, 'thoughtTokens') ?? 0);
  return toUsage({
    input: isCachedIncluded ? withoutCached(input, cacheRead) : input,
    output,
    cacheRead,
    cacheWrite: numberAt(usage, 'cachedWriteTokens'),
  });
}

function toQuota(result: JsonObject): Usage {
  const count = objectAt(objectAt(objectAt(result, '_meta'), 'quota'), 'token_count');
  const cacheRead = numberAt(count, 'cached_input_tokens');
  return toUsage({ input: withoutCached(numberAt(count, 'input_tokens'), cacheRead), output: numberAt(count, 'output_tokens'), cacheRead });
}

function firstKnown(...usages: readonly Usage[]): Usage {
  return usages.find((usage) => usage.inputTokens !== null || usage.outputTokens !== null) ?? UNKNOWN_USAGE;
}

function withCost(usage: Usage, costUsd: number | null): Usage {
  const { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = usage;
  return toUsage({ input, output, cacheRead, cacheWrite, costUsd });
}

function toCostUsd(cost: JsonObject): number | null {
  return textAt(cost, 'currency') === 'USD' ? numberAt(cost, 'amount') : null;
}

function toContentSummary(update: JsonObject): string {
  const texts = listAt(update, 'content')
    .map((part: Json) => textAt(objectAt(part, 'content'), 'text'))
    .filter((text) => text !== '');
  if (texts.length > 0) return toOneLine(texts.join(' '));
  const output = objectAt(update, 'rawOutput');
  return toOutputSummary(output['output'] ?? output['content'] ?? '');
}
