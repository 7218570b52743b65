import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { FailureSigns } from '../../core/run/turn.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, type UsageFigures } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** Translates `claude -p --output-format stream-json --verbose [--include-partial-messages]`. */
export function createClaudeTranslator(): Translator {
  return createJsonTranslator(new ClaudeStream(readUsage, (usage) => toUsage(readFigures(usage))));
}

/**
 * The totals of all models where the result has them (`modelUsage` also counts sub-agents and small helper models, and so does the
 * cost), else those of the main conversation.
 */
function readUsage(result: JsonObject): Usage {
  const costUsd = numberAt(result, 'total_cost_usd');
  const main = readFigures(objectAt(result, 'usage'));
  const models = Object.values(objectAt(result, 'modelUsage'));
  if (models.length === 0) return toUsage({ ...main, costUsd });
  const sum = (key: string): number => models.reduce<number>((total, model) => total + (numberAt(model, key) ?? 0), 0);
  return toUsage({
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
    costUsd,
  });
}

function readFigures(usage: JsonObject): UsageFigures {
  return {
    input: numberAt(usage, 'input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cacheRead: numberAt(usage, 'cache_read_input_tokens'),
    cacheWrite: numberAt(usage, 'cache_creation_input_tokens'),
  };
}

/** The stream of Claude Code's `--output-format stream-json`, with or without partial messages. Several CLIs speak it. */
export class ClaudeStream {
  readonly #toUsage: (result: JsonObject) => Usage;
  readonly #toMessageUsage: (usage: JsonObject) => Usage;
  /** What each answer of the model has cost in tokens so far, by its id: the result, which has the totals, may never come. */
  readonly #usageOf = new Map<string, Usage>();
  #model = '';
  /** The message that comes in pieces now; empty between messages. */
  #partialId = '';
  #hasStreamedThinking = false;
  #limitResetAt: number | undefined;

  /** `toUsage` reads the result's figures, `toMessageUsage` those of one answer; the dialects differ in both. */
  constructor(toUsage: (result: JsonObject) => Usage, toMessageUsage: (usage: JsonObject) => Usage) {
    this.#toUsage = toUsage;
    this.#toMessageUsage = toMessageUsage;
  }

  read(event: JsonObject, turn: StreamRecorder): void {
    const type = textAt(event, 'type');
    // What a sub-agent says is not what the agent answers; its tools are shown.
    const isMain = textAt(event, 'parent_tool_use_id') === '';
    if (type === 'assistant' || type === 'user' || type === 'stream_event') turn.reopen();
    if (type === 'system') this.#readSystem(event, turn);
    if (type === 'stream_event' && isMain) this.#readPartial(objectAt(event, 'event'), turn);
    if (type === 'assistant') this.#readAssistant(event, isMain, turn);
    if (type === 'user') readToolResults(event, turn);
    if (type === 'rate_limit_event') this.#limitResetAt = toLimitReset(objectAt(event, 'rate_limit_info')) ?? this.#limitResetAt;
    if (type === 'result') this.#readResult(event, turn);
  }

  #readSystem(event: JsonObject, turn: StreamRecorder): void {
    const subtype = textAt(event, 'subtype');
    if (subtype === 'init') {
      this.#model = textAt(event, 'model');
      turn.session(textAt(event, 'session_id'), this.#model);
    }
    if (subtype === 'api_retry') {
      turn.retry({ message: toRetryText(event), httpStatus: numberAt(event, 'error_status') }, numberAt(event, 'retry_delay_ms'));
    }
  }

  #readPartial(event: JsonObject, turn: StreamRecorder): void {
    const type = textAt(event, 'type');
    if (type === 'message_start') {
      turn.endMessage();
      this.#partialId = textAt(objectAt(event, 'message'), 'id') || 'partial';
      this.#hasStreamedThinking = false;
      turn.progress();
      this.#noteUsage(this.#partialId, objectAt(objectAt(event, 'message'), 'usage'), turn);
    }
    if (type === 'message_delta') this.#noteUsage(this.#partialId, objectAt(event, 'usage'), turn);
    if (type === 'content_block_delta') this.#readDelta(objectAt(event, 'delta'), turn);
    if (type === 'message_stop') {
      this.#partialId = '';
      turn.endMessage();
    }
  }

  #readDelta(delta: JsonObject, turn: StreamRecorder): void {
    const type = textAt(delta, 'type');
    if (type === 'text_delta') turn.delta(textAt(delta, 'text'), this.#partialId || undefined);
    if (type === 'thinking_delta') {
      this.#hasStreamedThinking = true;
      turn.thinking(textAt(delta, 'thinking'));
    }
  }

  #readAssistant(event: JsonObject, isMain: boolean, turn: StreamRecorder): void {
    const message = objectAt(event, 'message');
    // What the CLI itself says in the model's place ("Invalid API key") is no assistant text: the result tells it again.
    if (event['is_api_error_message'] === true || event['isApiErrorMessage'] === true || textAt(message, 'model') === '<synthetic>') return;
    const id = textAt(message, 'id');
    if (id !== this.#partialId) this.#noteUsage(id, objectAt(message, 'usage'), turn);
    for (const block of listAt(message, 'content')) this.#readBlock(block, id, isMain, turn);
    // A message that comes in pieces ends by its own event; one that comes whole ends here.
    if (isMain && (id === '' || id !== this.#partialId)) turn.endMessage();
  }

  #readBlock(block: Json, messageId: string, isMain: boolean, turn: StreamRecorder): void {
    const type = textAt(block, 'type');
    if (type === 'text' && isMain) turn.whole(textAt(block, 'text'), messageId || undefined);
    if (type === 'thinking' && isMain && !this.#hasStreamedThinking) turn.thinking(textAt(block, 'thinking'));
    if (type === 'tool_use' && isJsonObject(block))
      turn.toolStart(textAt(block, 'id'), textAt(block, 'name'), toInputSummary(block['input']));
  }

  /** Figures of one answer only grow: its beginning and its end tell them, and each of its blocks repeats those of the beginning. */
  #noteUsage(id: string, figures: JsonObject, turn: StreamRecorder): void {
    const told = this.#toMessageUsage(figures);
    if (id === '' || (told.inputTokens === null && told.outputTokens === null) || this.#usageOf.size >= MAX_ANSWERS) return;
    this.#usageOf.set(id, toLarger(this.#usageOf.get(id) ?? UNKNOWN_USAGE, told));
    turn.setUsage([...this.#usageOf.values()].reduce(addUsage, UNKNOWN_USAGE));
  }

  #readResult(event: JsonObject, turn: StreamRecorder): void {
    turn.session(textAt(event, 'session_id'), this.#model);
    turn.setUsage(this.#toUsage(event));
    const isFailed = event['is_error'] === true || textAt(event, 'subtype').startsWith('error');
    if (!isFailed) return turn.succeed();
    turn.fail({ ...toSigns(event), ...(this.#limitResetAt !== undefined && { resetAt: this.#limitResetAt }) });
  }
}

/** More answers than any turn has; beyond it the running total stands until the result tells the true one. */
const MAX_ANSWERS = 1000;

function toLarger(left: Usage, right: Usage): Usage {
  const pick = (key: keyof Usage): number | null => {
    const [a, b] = [left[key], right[key]];
    return a === null || b === null ? (a ?? b) : Math.max(a, b);
  };
  return {
    inputTokens: pick('inputTokens'),
    outputTokens: pick('outputTokens'),
    cacheReadTokens: pick('cacheReadTokens'),
    cacheWriteTokens: pick('cacheWriteTokens'),
    costUsd: pick('costUsd'),
  };
}

function readToolResults(event: JsonObject, turn: StreamRecorder): void {
  for (const block of listAt(objectAt(event, 'message'), 'content')) {
    if (textAt(block, 'type') !== 'tool_result' || !isJsonObject(block)) continue;
    turn.toolEnd(textAt(block, 'tool_use_id'), block['is_error'] !== true, toOutputSummary(block['content']));
  }
}

function toSigns(result: JsonObject): FailureSigns {
  const errors = listAt(result, 'errors').map((error) => (typeof error === 'string' ? error : textAt(error, 'message')));
  const told = [textAt(result, 'result'), textAt(objectAt(result, 'error'), 'message'), textAt(result, 'error'), ...errors];
  const words = told.filter((text) => text !== '').join(' · ');
  const reasons = [textAt(result, 'subtype'), textAt(result, 'terminal_reason')].filter((text) => text !== '');
  return { message: words || reasons.join(': ').replace(/_/g, ' '), httpStatus: numberAt(result, 'api_error_status') };
}

function toRetryText(event: JsonObject): string {
  const status = numberAt(event, 'error_status');
  const reason = textAt(event, 'error') || textAt(objectAt(event, 'error'), 'message') || 'model error';
  const tries = `try ${numberAt(event, 'attempt') ?? '?'} of ${numberAt(event, 'max_retries') ?? '?'}`;
  return `${reason}${status === null ? '' : ` (${status})`}, ${tries}`;
}

/** The reset of a limit that refuses requests; warnings of a limit that is near are no limit. */
function toLimitReset(info: JsonObject): number | undefined {
  const seconds = numberAt(info, 'resetsAt');
  return textAt(info, 'status') === 'rejected' && seconds !== null ? seconds * 1000 : undefined;
}
