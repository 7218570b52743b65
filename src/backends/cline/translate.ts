import type { FailureClass, FailureSigns } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, withoutCached } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

const CLASSES: Readonly<Record<string, FailureClass>> = { auth: 'auth', rate_limit: 'transient', network: 'transient', quota: 'limit' };

/** Translates `cline --json`. Pieces of text come as `content_start`; a message's whole text again as `content_end`. */
export function createClineTranslator(): Translator {
  let error: FailureSigns | null = null;

  function readAgentEvent(event: JsonObject, turn: StreamRecorder): void {
    const type = textAt(event, 'type');
    const content = textAt(event, 'contentType');
    if (type === 'content_start' && content === 'text') turn.delta(textAt(event, 'text'));
    if (type === 'content_end' && content === 'text') {
      turn.whole(textAt(event, 'text'));
      turn.endMessage();
    }
    if (type === 'content_start' && content === 'reasoning') turn.thinking(textAt(event, 'reasoning') || textAt(event, 'text'));
    if (type === 'content_start' && content === 'tool') {
      turn.endMessage();
      turn.toolStart(textAt(event, 'toolCallId'), textAt(event, 'toolName'), toInputSummary(event['input']));
    }
    if (type === 'content_end' && content === 'tool') endTool(event, turn);
    if (type === 'iteration_end') turn.endMessage();
    if (type === 'usage') turn.setUsage(readRunningUsage(event));
    if (type === 'error') error = readError(event, turn);
  }

  function readResult(event: JsonObject, turn: StreamRecorder): void {
    const total = objectAt(event, 'aggregateUsage');
    turn.setUsage(readUsage(Object.keys(total).length > 0 ? total : objectAt(event, 'usage')));
    const reason = textAt(event, 'finishReason');
    if (reason === 'completed') return turn.succeed();
    const message = textAt(event, 'text') || textAt(event, 'error') || `the agent finished with "${reason || 'no reason'}"`;
    turn.fail({ ...error, message });
  }

  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      if (type === 'agent_event') readAgentEvent(objectAt(event, 'event'), turn);
      if (type === 'hook_event' && textAt(event, 'parentAgentId') === '') turn.session(textAt(event, 'taskId'), null);
      if (type === 'run_result') readResult(event, turn);
      if (type === 'error' && turn.final === null) error = { message: textAt(event, 'message') };
    },
    close(turn) {
      if (turn.final === null && error !== null) turn.fail(error);
    },
  });
}

function endTool(event: JsonObject, turn: StreamRecorder): void {
  const parts = listAt(event, 'output');
  const ok = textAt(event, 'error') === '' && parts.every((part) => objectAt({ part }, 'part')['success'] !== false);
  const words = textAt(event, 'error') || parts.map((part) => textAt(part, 'result') || textAt(part, 'error')).join(' ');
  turn.toolEnd(textAt(event, 'toolCallId'), ok, words ? toOneLine(words) : toOutputSummary(event['output']), textAt(event, 'toolName'));
}

/** A recoverable error is on its way to being mended by the agent itself. */
function readError(event: JsonObject, turn: StreamRecorder): FailureSigns {
  const message = textAt(objectAt(event, 'error'), 'message') || textAt(event, 'message');
  if (event['recoverable'] === true) turn.retry({ message }, null);
  const named = CLASSES[textAt(event, 'errorClass')];
  return named === undefined ? { message } : { message, class: named };
}

function readUsage(usage: JsonObject): ReturnType<typeof toUsage> {
  const cacheRead = numberAt(usage, 'cacheReadTokens');
  return toUsage({
    input: withoutCached(numberAt(usage, 'inputTokens'), cacheRead),
    output: numberAt(usage, 'outputTokens'),
    cacheRead,
    cacheWrite: numberAt(usage, 'cacheWriteTokens'),
    costUsd: numberAt(usage, 'totalCost'),
  });
}

function readRunningUsage(event: JsonObject): ReturnType<typeof toUsage> {
  const cacheRead = numberAt(event, 'totalCacheReadTokens');
  return toUsage({
    input: withoutCached(numberAt(event, 'totalInputTokens'), cacheRead),
    output: numberAt(event, 'totalOutputTokens'),
    cacheRead,
    cacheWrite: numberAt(event, 'totalCacheWriteTokens'),
    costUsd: numberAt(event, 'totalCost'),
  });
}
