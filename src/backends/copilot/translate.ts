import type { FailureSigns } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** Translates `copilot --output-format json`. It counts requests, not tokens: usage stays unknown unless a later version tells it. */
export function createCopilotTranslator(): Translator {
  let error: FailureSigns | null = null;

  function readResult(event: JsonObject, turn: StreamRecorder): void {
    turn.session(textAt(event, 'sessionId'), null);
    const exitCode = numberAt(event, 'exitCode');
    if (exitCode === 0) turn.succeed();
    else turn.fail(error ?? { message: `the agent's result says exit code ${exitCode ?? 'unknown'}` });
  }

  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      const data = objectAt(event, 'data');
      // What a sub-agent says is not what the agent answers.
      const isMain = textAt(data, 'parentToolCallId') === '';
      if (type === 'assistant.message_delta' && isMain) turn.delta(textAt(data, 'deltaContent'), textAt(data, 'messageId') || undefined);
      if (type === 'assistant.message' && isMain) {
        turn.whole(textAt(data, 'content'), textAt(data, 'messageId') || undefined);
        turn.endMessage();
      }
      if (type === 'assistant.reasoning_delta' && isMain) turn.thinking(textAt(data, 'deltaContent'));
      if (type === 'assistant.usage') turn.addUsage(readUsage(data));
      if (type === 'tool.execution_start')
        turn.toolStart(textAt(data, 'toolCallId'), textAt(data, 'toolName'), toInputSummary(data['arguments']));
      if (type === 'tool.execution_complete') endTool(data, turn);
      if (type === 'model.call_failure')
        turn.retry({ message: textAt(data, 'errorMessage'), httpStatus: numberAt(data, 'statusCode') }, null);
      if (type === 'session.error')
        error = { message: textAt(data, 'message') || textAt(data, 'errorType'), httpStatus: numberAt(data, 'statusCode') };
      if (type === 'result') readResult(event, turn);
    },
    close(turn) {
      if (turn.final === null && error !== null) turn.fail(error);
    },
  });
}

function endTool(data: JsonObject, turn: StreamRecorder): void {
  const exitCode = numberAt(objectAt(data, 'shellExecution'), 'exitCode');
  const error = textAt(objectAt(data, 'error'), 'message');
  const ok = data['success'] === true && (exitCode ?? 0) === 0;
  turn.toolEnd(
    textAt(data, 'toolCallId'),
    ok,
    error ? toOneLine(error) : toOutputSummary(objectAt(data, 'result')['content']),
    textAt(data, 'toolName') || undefined,
  );
}

function readUsage(data: JsonObject): ReturnType<typeof toUsage> {
  return toUsage({
    input: numberAt(data, 'inputTokens'),
    output: numberAt(data, 'outputTokens'),
    cacheRead: numberAt(data, 'cacheReadTokens'),
    cacheWrite: numberAt(data, 'cacheWriteTokens'),
  });
}
