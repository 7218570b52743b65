import { toOneLine } from '../../core/text/shorten.ts';
import type { Json, JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder, UNWRITTEN } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, withoutCached } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** Translates `codex exec --json`. Whole messages, no pieces; no cost. */
export function createCodexTranslator(): Translator {
  const started = new Set<string>();

  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      if (type === 'thread.started') turn.session(textAt(event, 'thread_id'), null);
      if (type === 'turn.started') turn.reopen();
      if (type === 'item.started' || type === 'item.completed') readItem(objectAt(event, 'item'), type === 'item.completed', started, turn);
      // Not final: the client still tries again ("Reconnecting... 1/4"). Only `turn.failed` is.
      if (type === 'error') turn.retry({ message: textAt(event, 'message') }, null);
      if (type === 'turn.failed') turn.fail({ message: textAt(objectAt(event, 'error'), 'message') || (turn.trouble?.message ?? '') });
      if (type === 'turn.completed') {
        turn.setUsage(readUsage(objectAt(event, 'usage')));
        turn.succeed();
      }
    },
  });
}

function readUsage(usage: JsonObject): ReturnType<typeof toUsage> {
  const cacheRead = numberAt(usage, 'cached_input_tokens');
  return toUsage({
    input: withoutCached(numberAt(usage, 'input_tokens'), cacheRead),
    output: numberAt(usage, 'output_tokens'),
    cacheRead,
    cacheWrite: numberAt(usage, 'cache_write_input_tokens'),
  });
}

function readItem(item: JsonObject, isOver: boolean, started: Set<string>, turn: StreamRecorder): void {
  const type = textAt(item, 'type');
  if (type === 'agent_message') {
    if (!isOver) return;
    turn.whole(textAt(item, 'text'));
    turn.endMessage();
    return;
  }
  if (type === 'reasoning') {
    if (isOver) turn.thinking(textAt(item, 'text'));
    return;
  }
  // An error item is the client's own warning; the turn goes on.
  if (type === 'error') return turn.warn(textAt(item, 'message'));
  if (type === 'todo_list' || type === '') return;
  readTool(item, type, isOver, started, turn);
}

function readTool(item: JsonObject, type: string, isOver: boolean, started: Set<string>, turn: StreamRecorder): void {
  const id = textAt(item, 'id');
  const name = type === 'mcp_tool_call' ? `${textAt(item, 'server')}.${textAt(item, 'tool')}` : (TOOL_NAMES[type] ?? type);
  if (!started.has(id)) turn.toolStart(id, name, toToolSummary(item));
  if (!isOver) {
    started.add(id);
    return;
  }
  started.delete(id);
  const exitCode = numberAt(item, 'exit_code');
  const ok = textAt(item, 'status') !== 'failed' && textAt(item, 'status') !== 'declined' && (exitCode ?? 0) === 0;
  const error = textAt(objectAt(item, 'error'), 'message') || (type === 'file_change' && !ok ? toEditError(textAt(item, 'status')) : '');
  turn.toolEnd(id, ok, error || toOutputSummary(textAt(item, 'aggregated_output')), name);
}

/** Its stream gives no reason. A patch that does not fit is never begun; a refusal of its own it calls declined. */
function toEditError(status: string): string {
  return status === 'declined' ? 'The edit was declined' : UNWRITTEN;
}

const TOOL_NAMES: Readonly<Record<string, string>> = { command_execution: 'shell', file_change: 'edit', web_search: 'web search' };

function toToolSummary(item: JsonObject): string {
  const command = textAt(item, 'command');
  if (command !== '') return toOneLine(withoutShell(command));
  const changes = listAt(item, 'changes').map((change: Json) => `${textAt(change, 'kind')} ${textAt(change, 'path')}`.trim());
  if (changes.length > 0) return toOneLine(changes.join(', '));
  return toInputSummary(item['arguments'] ?? item['query']);
}

/** `/bin/bash -lc 'npm test'` is `npm test` to a person. */
function withoutShell(command: string): string {
  const match = /^(?:\S*\/)?(?:ba|z|da)?sh -l?c (['"])([\s\S]*)\1$/.exec(command);
  if (match === null) return command;
  const inner = match[2] as string;
  return match[1] === '"' ? inner.replace(/\\(["\\$`])/g, '$1') : inner.replace(/'\\''/g, "'");
}
