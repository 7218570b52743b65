import { tryOr } from '../core/values/result.ts';
import { argsText, deltas, type Members, openaiError, record, records, text } from './values.ts';
import type { Dialect, ToolCall, Turn } from './wire-types.ts';

const TEXT = 0;
const TOOL_RESULT = 1;
const TOOL_USE = 5;
const TOKEN_USAGE = 10;
const STOP_END = 1;
const STOP_TOOL_USE = 3;

/** Augment's chat stream: one JSON object a line, made of numbered node types. */
export const augmentDialect: Dialect = {
  name: 'augment',
  contentType: 'application/x-ndjson',
  matches: (path) => path.endsWith('/chat-stream'),

  read(body) {
    const history = records(body['chat_history']).flatMap((exchange) => [
      userTurn(exchange['request_nodes'], exchange['request_message']),
      assistantTurn(exchange['response_nodes'], exchange['response_text']),
    ]);
    return {
      dialect: 'augment',
      model: text(body['model']),
      streaming: true,
      system: text(body['user_guidelines']),
      turns: [...history, userTurn(body['nodes'], body['message'])],
      tools: records(body['tool_definitions']).map((tool) => ({ name: text(tool['name']), parameters: schemaOf(tool) })),
    };
  },

  frames(reply) {
    const nodes = deltas(reply.text).map((content) => ({ type: TEXT, content }));
    const { calls, usage } = reply;
    const tools = calls.map((call) => ({ type: TOOL_USE, content: '', tool_use: toolUse(call) }));
    const tokens = {
      input_tokens: usage.inputTokens - usage.cachedTokens,
      cache_read_input_tokens: usage.cachedTokens,
      cache_creation_input_tokens: 0,
      output_tokens: usage.outputTokens,
    };
    const pieces = [...nodes, ...tools, { type: TOKEN_USAGE, content: '', token_usage: tokens }];
    const lines = pieces.map((node, index) => line({ text: node.type === TEXT ? node.content : '', nodes: [{ id: index + 1, ...node }] }));
    return [...lines, line({ text: '', nodes: [], stop_reason: calls.length === 0 ? STOP_END : STOP_TOOL_USE })];
  },

  whole: (reply) => ({ text: reply.text, nodes: [], stop_reason: STOP_END }),
  error: openaiError,
};

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function toolUse({ id, name, args }: ToolCall): Members {
  return { tool_use_id: id, tool_name: name, input_json: argsText(args) };
}

function userTurn(nodes: unknown, message: unknown): Turn {
  const parts = records(nodes);
  const words = parts.map((node) => text(record(node['text_node'])['content'])).filter((part) => part !== '');
  const results = parts.filter((node) => node['type'] === TOOL_RESULT).map((node) => text(record(node['tool_result_node'])['content']));
  return { role: 'user', text: [text(message), ...words].join('\n').trim(), calls: [], results };
}

function assistantTurn(nodes: unknown, message: unknown): Turn {
  const uses = records(nodes).filter((node) => node['type'] === TOOL_USE);
  return { role: 'assistant', text: text(message), calls: uses.map((node) => text(record(node['tool_use'])['tool_name'])), results: [] };
}

function schemaOf(tool: Members): Members {
  return tryOr(() => record(JSON.parse(text(tool['input_schema_json']))), {});
}
