import type { Json, JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/**
 * Translates `pi -p --mode json`. The process exits with 0 whatever the model said: the last assistant message's `stopReason` decides.
 * `agent_end` comes once for each try; it is the end unless another try follows.
 */
export function createPiTranslator(): Translator {
  let stopReason = '';
  let errorMessage = '';

  function endAssistant(message: JsonObject, turn: StreamRecorder): void {
    turn.whole(listAt(message, 'content').map(toText).join(''));
    turn.endMessage();
    stopReason = textAt(message, 'stopReason');
    errorMessage = textAt(message, 'errorMessage');
    const usage = objectAt(message, 'usage');
    turn.addUsage(
      toUsage({
        input: numberAt(usage, 'input'),
        output: numberAt(usage, 'output'),
        cacheRead: numberAt(usage, 'cacheRead'),
        cacheWrite: numberAt(usage, 'cacheWrite'),
        costUsd: numberAt(objectAt(usage, 'cost'), 'total'),
      }),
    );
  }

  function judge(turn: StreamRecorder): void {
    if (stopReason === 'stop' || stopReason === 'length') {
      if (stopReason === 'length') turn.warn("the answer was cut at the model's output limit");
      turn.succeed();
    } else if (stopReason === 'error' || stopReason === 'aborted') {
      turn.fail({ message: errorMessage || `the agent was ${stopReason === 'aborted' ? 'aborted' : 'stopped by an error'}` });
    }
  }

  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      if (type === 'session') turn.session(textAt(event, 'id'), null);
      if (type === 'agent_start' || type === 'turn_start' || type === 'auto_retry_start') turn.reopen();
      if (type === 'message_update') readUpdate(objectAt(event, 'assistantMessageEvent'), turn);
      const message = objectAt(event, 'message');
      if (type === 'message_end' && textAt(message, 'role') === 'assistant') endAssistant(message, turn);
      if (type === 'auto_retry_start') turn.retry({ message: textAt(event, 'errorMessage') }, numberAt(event, 'delayMs'));
      if (type === 'tool_execution_start')
        turn.toolStart(textAt(event, 'toolCallId'), textAt(event, 'toolName'), toInputSummary(event['args']));
      if (type === 'tool_execution_end') endTool(event, turn);
      if (type === 'agent_end') judge(turn);
    },
    close(turn) {
      // The long last event may be missing or cut: the last message has said it all.
      if (turn.final === null) judge(turn);
    },
  });
}

function readUpdate(update: JsonObject, turn: StreamRecorder): void {
  const type = textAt(update, 'type');
  if (type === 'text_delta') turn.delta(textAt(update, 'delta'));
  if (type === 'thinking_delta') turn.thinking(textAt(update, 'delta'));
}

function endTool(event: JsonObject, turn: StreamRecorder): void {
  turn.toolEnd(
    textAt(event, 'toolCallId'),
    event['isError'] !== true,
    toOutputSummary(objectAt(event, 'result')['content']),
    textAt(event, 'toolName'),
  );
}

function toText(block: Json): string {
  return textAt(block, 'type') === 'text' ? textAt(block, 'text') : '';
}
