/** Augment's chat stream: one JSON object a line, made of numbered node types. */
import { openaiError } from './openai-errors.mjs';
import { deltas, record, records, text } from './values.mjs';

const TEXT = 0;
const TOOL_RESULT = 1;
const TOOL_USE = 5;
const TOKEN_USAGE = 10;
const STOP_END = 1;
const STOP_TOOL_USE = 3;

/** @type {import('./types.d.ts').Dialect} */
export const augment = {
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
    const { call, usage } = reply;
    const tools = call === undefined ? [] : [{ type: TOOL_USE, content: '', tool_use: toolUse(call) }];
    const tokens = {
      input_tokens: usage.inputTokens - usage.cachedTokens,
      cache_read_input_tokens: usage.cachedTokens,
      cache_creation_input_tokens: 0,
      output_tokens: usage.outputTokens,
    };
    const pieces = [...nodes, ...tools, { type: TOKEN_USAGE, content: '', token_usage: tokens }];
    const lines = pieces.map((node, index) => line({ text: node.type === TEXT ? node.content : '', nodes: [{ id: index + 1, ...node }] }));
    return [...lines, line({ text: '', nodes: [], stop_reason: call === undefined ? STOP_END : STOP_TOOL_USE })];
  },

  whole: (reply) => ({ text: reply.text, nodes: [], stop_reason: STOP_END }),
  error: openaiError,
};

/** @param {unknown} value */
function line(value) {
  return `${JSON.stringify(value)}\n`;
}

/** @param {import('./types.d.ts').ToolCall} call */
function toolUse({ id, name, args }) {
  return { tool_use_id: id, tool_name: name, input_json: JSON.stringify(args) };
}

/**
 * @param {unknown} nodes
 * @param {unknown} message
 * @returns {import('./types.d.ts').Turn}
 */
function userTurn(nodes, message) {
  const parts = records(nodes);
  const words = parts.map((node) => text(record(node['text_node'])['content'])).filter((part) => part !== '');
  const results = parts.filter((node) => node['type'] === TOOL_RESULT).map((node) => text(record(node['tool_result_node'])['content']));
  return { role: 'user', text: [text(message), ...words].join('\n').trim(), calls: [], results };
}

/**
 * @param {unknown} nodes
 * @param {unknown} message
 * @returns {import('./types.d.ts').Turn}
 */
function assistantTurn(nodes, message) {
  const uses = records(nodes).filter((node) => node['type'] === TOOL_USE);
  return { role: 'assistant', text: text(message), calls: uses.map((node) => text(record(node['tool_use'])['tool_name'])), results: [] };
}

/** @param {Record<string, unknown>} tool */
function schemaOf(tool) {
  try {
    return record(JSON.parse(text(tool['input_schema_json'])));
  } catch {
    return {};
  }
}
