import { isJsonObject, type Json, type JsonObject, type Usage } from '../core/index.ts';
import type { FailureSigns } from './failure-class.ts';
import { listAt, numberAt, objectAt, textAt } from './json-fields.ts';
import type { JsonStream } from './json-translator.ts';
import { toInputSummary, toOutputSummary } from './one-line.ts';
import type { TurnRecorder } from './turn-recorder.ts';

/** How the dialects of this stream differ: several CLIs speak it. */
export interface ClaudeDialect {
  readonly toUsage: (result: JsonObject) => Usage;
}

/** The stream of Claude Code's `--output-format stream-json`, with or without partial messages. */
export function createClaudeStream(dialect: ClaudeDialect): JsonStream {
  let model = '';
  /** The message that comes in pieces now; empty between messages. */
  let partialId = '';
  let streamedThinking = false;
  let limitResetAt: number | undefined;

  function readPartial(event: JsonObject, turn: TurnRecorder): void {
    const inner = objectAt(event, 'event');
    const type = textAt(inner, 'type');
    if (type === 'message_start') {
      turn.endMessage();
      partialId = textAt(objectAt(inner, 'message'), 'id') || 'partial';
      streamedThinking = false;
    }
    if (type === 'content_block_delta') {
      const delta = objectAt(inner, 'delta');
      if (textAt(delta, 'type') === 'text_delta') turn.delta(textAt(delta, 'text'), partialId || undefined);
      if (textAt(delta, 'type') === 'thinking_delta') {
        streamedThinking = true;
        turn.thinking(textAt(delta, 'thinking'));
      }
    }
    if (type === 'message_stop') {
      partialId = '';
      turn.endMessage();
    }
  }

  function readBlock(block: Json, messageId: string, isMain: boolean, turn: TurnRecorder): void {
    const type = textAt(block, 'type');
    if (type === 'text' && isMain) turn.whole(textAt(block, 'text'), messageId || undefined);
    if (type === 'thinking' && isMain && !streamedThinking) turn.thinking(textAt(block, 'thinking'));
    if (type === 'tool_use')
      turn.toolStart(textAt(block, 'id'), textAt(block, 'name'), toInputSummary(isJsonObject(block) ? block['input'] : undefined));
  }

  function readAssistant(event: JsonObject, isMain: boolean, turn: TurnRecorder): void {
    const message = objectAt(event, 'message');
    // What the CLI itself says in the model's place ("Invalid API key") is no assistant text: the result tells it again.
    if (event['is_api_error_message'] === true || event['isApiErrorMessage'] === true || textAt(message, 'model') === '<synthetic>') return;
    const id = textAt(message, 'id');
    for (const block of listAt(message, 'content')) readBlock(block, id, isMain, turn);
    // A message that comes in pieces ends by its own event; one that comes whole ends here.
    if (isMain && id !== partialId) turn.endMessage();
  }

  function readUser(event: JsonObject, turn: TurnRecorder): void {
    for (const block of listAt(objectAt(event, 'message'), 'content')) {
      if (textAt(block, 'type') !== 'tool_result' || !isJsonObject(block)) continue;
      turn.toolEnd(textAt(block, 'tool_use_id'), block['is_error'] !== true, toOutputSummary(block['content']));
    }
  }

  function readSystem(event: JsonObject, turn: TurnRecorder): void {
    const subtype = textAt(event, 'subtype');
    if (subtype === 'init') {
      model = textAt(event, 'model');
      turn.session(textAt(event, 'session_id'), model);
    }
    if (subtype === 'api_retry')
      turn.retry({ message: toRetryText(event), httpStatus: numberAt(event, 'error_status') }, numberAt(event, 'retry_delay_ms'));
  }

  function readResult(event: JsonObject, turn: TurnRecorder): void {
    turn.session(textAt(event, 'session_id'), model);
    turn.setUsage(dialect.toUsage(event));
    if (event['is_error'] === true || textAt(event, 'subtype').startsWith('error')) {
      turn.fail({ ...toSigns(event), ...(limitResetAt !== undefined && { resetAt: limitResetAt }) });
    } else turn.succeed();
  }

  return {
    read(event, turn) {
      const type = textAt(event, 'type');
      const isMain = textAt(event, 'parent_tool_use_id') === '';
      if (type === 'assistant' || type === 'user' || type === 'stream_event') turn.reopen();
      if (type === 'system') readSystem(event, turn);
      if (type === 'stream_event' && isMain) readPartial(event, turn);
      if (type === 'assistant') readAssistant(event, isMain, turn);
      if (type === 'user') readUser(event, turn);
      if (type === 'rate_limit_event') limitResetAt = toLimitReset(objectAt(event, 'rate_limit_info')) ?? limitResetAt;
      if (type === 'result') readResult(event, turn);
    },
  };
}

function toSigns(result: JsonObject): FailureSigns {
  const errors = listAt(result, 'errors').map((error) => (typeof error === 'string' ? error : textAt(error, 'message')));
  const words = [textAt(result, 'result'), textAt(objectAt(result, 'error'), 'message'), textAt(result, 'error'), ...errors].filter(
    (text) => text !== '',
  );
  const subtype = textAt(result, 'subtype').replace(/_/g, ' ');
  const message =
    words.join(' · ') || [subtype, textAt(result, 'terminal_reason').replace(/_/g, ' ')].filter((text) => text !== '').join(': ');
  return { message, httpStatus: numberAt(result, 'api_error_status') };
}

function toRetryText(event: JsonObject): string {
  const attempt = numberAt(event, 'attempt');
  const most = numberAt(event, 'max_retries');
  const status = numberAt(event, 'error_status');
  const reason = textAt(event, 'error') || textAt(objectAt(event, 'error'), 'message') || 'model error';
  return `${reason}${status === null ? '' : ` (${status})`}, try ${attempt ?? '?'} of ${most ?? '?'}`;
}

/** The reset of a limit that refuses requests; warnings of a limit that is near are no limit. */
function toLimitReset(info: JsonObject): number | undefined {
  const seconds = numberAt(info, 'resetsAt');
  return textAt(info, 'status') === 'rejected' && seconds !== null ? seconds * 1000 : undefined;
}
