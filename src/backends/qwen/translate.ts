import { join } from 'node:path';
import type { Usage } from '../../core/backends/usage.ts';
import { type JsonObject, parseJson } from '../../core/values/json.ts';
import { ClaudeStream } from '../claude/translate.ts';
import type { StreamRecorder } from '../stream/json-translator.ts';
import { createJsonTranslator } from '../stream/json-translator.ts';
import { numberAt, objectAt, textAt, toUsage, withoutCached } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** Translates `qwen -o stream-json`: Claude's stream without costs, whose input tokens include the cached ones. */
export function createQwenTranslator(): Translator {
  const stream = new ClaudeStream((result) => readUsage(objectAt(result, 'usage')), readUsage);
  return createJsonTranslator({
    read: (event, turn) => stream.read(event, turn),
    log: { file: findChat, read: readChat, isAtWork: (turn) => turn.isToolOpen },
  });
}

/** The record of the conversation, which also tells the calls of the model that were refused and are made again. */
function findChat({ sessionId }: StreamRecorder, env: Readonly<Record<string, string>>, cwd: string): string | null {
  const home = env['HOME'];
  if (home === undefined || sessionId === null || !/^[\w-]{1,100}$/.test(sessionId)) return null;
  return join(home, '.qwen', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), 'chats', `${sessionId}.jsonl`);
}

function readChat(line: string, turn: StreamRecorder): void {
  const record = line.includes('qwen-code.api_error') ? parseJson(line) : undefined;
  const event = objectAt(objectAt(record, 'systemPayload'), 'uiEvent');
  if (textAt(event, 'event.name') !== 'qwen-code.api_error') return;
  turn.retry({ message: textAt(event, 'error_message') || 'a call of the model failed', httpStatus: numberAt(event, 'status_code') }, null);
}

function readUsage(usage: JsonObject): Usage {
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  return toUsage({ input: withoutCached(numberAt(usage, 'input_tokens'), cacheRead), output: numberAt(usage, 'output_tokens'), cacheRead });
}
