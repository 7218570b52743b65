/** Anthropic Messages, streamed and whole. */
import { contentText, deltas, record, records, sse, text } from './values.mjs';

/** @type {import('./types.d.ts').Dialect} */
export const anthropic = {
  name: 'anthropic',
  contentType: 'text/event-stream',
  matches: (path) => path.endsWith('/v1/messages'),

  read(body) {
    return {
      dialect: 'anthropic',
      model: text(body['model']),
      streaming: body['stream'] === true,
      system: contentText(body['system']),
      turns: records(body['messages']).map(readTurn),
      tools: records(body['tools']).map((tool) => ({ name: text(tool['name']), parameters: record(tool['input_schema']) })),
    };
  },

  frames(reply, conversation) {
    const message = { ...envelope(reply, conversation), content: [], stop_reason: null, usage: { ...usage(reply), output_tokens: 1 } };
    const frames = [sse({ type: 'message_start', message }, 'message_start')];
    blocks(reply).forEach((block, index) => frames.push(...blockFrames(block, index)));
    const end = { type: 'message_delta', delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage: usage(reply) };
    frames.push(sse(end, 'message_delta'), sse({ type: 'message_stop' }, 'message_stop'));
    return frames;
  },

  whole: (reply, conversation) => ({
    ...envelope(reply, conversation),
    content: blocks(reply),
    stop_reason: stopReason(reply),
    usage: usage(reply),
  }),

  error(fault) {
    const [status, type, message] = ERRORS[fault] ?? ERRORS['server-error'];
    return { status, headers: fault === 'usage-limit' ? LIMIT_HEADERS : {}, body: { type: 'error', error: { type, message } } };
  },
};

/** @type {Record<string, [number, string, string]> & { 'server-error': [number, string, string] }} */
const ERRORS = {
  unauthorized: [401, 'authentication_error', 'invalid x-api-key'],
  'rate-limited': [429, 'rate_limit_error', 'This request would exceed your rate limit of 50 requests per minute.'],
  'usage-limit': [429, 'rate_limit_error', "This request would exceed your account's usage limit. Try again later."],
  'server-error': [500, 'api_error', 'Internal server error'],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
};

/** A fixed time far ahead: the moment at which the made-up limit would be lifted (2100-01-01). */
const LIMIT_HEADERS = {
  'anthropic-ratelimit-unified-status': 'rejected',
  'anthropic-ratelimit-unified-reset': '4102444800',
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
};

/**
 * @param {Record<string, unknown>} message
 * @returns {import('./types.d.ts').Turn}
 */
function readTurn(message) {
  const content = records(message['content']);
  return {
    role: message['role'] === 'assistant' ? 'assistant' : 'user',
    text: contentText(message['content']),
    calls: content.filter((block) => block['type'] === 'tool_use').map((block) => text(block['name'])),
    results: content.filter((block) => block['type'] === 'tool_result').map((block) => contentText(block['content'])),
  };
}

/**
 * @param {import('./types.d.ts').ReadyReply} reply
 * @param {import('./types.d.ts').Conversation} conversation
 */
function envelope(reply, conversation) {
  return { id: `msg_${reply.id}`, type: 'message', role: 'assistant', model: conversation.model, stop_sequence: null };
}

/** @param {import('./types.d.ts').ReadyReply} reply */
function stopReason(reply) {
  return reply.call === undefined ? 'end_turn' : 'tool_use';
}

/** @param {import('./types.d.ts').ReadyReply} reply */
function usage({ usage: { inputTokens, cachedTokens, outputTokens } }) {
  return {
    input_tokens: inputTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

/**
 * @param {import('./types.d.ts').ReadyReply} reply
 * @returns {Record<string, unknown>[]}
 */
function blocks(reply) {
  const content = [];
  if (reply.text !== '') content.push({ type: 'text', text: reply.text });
  if (reply.call !== undefined) content.push({ type: 'tool_use', id: `toolu_${reply.id}`, name: reply.call.name, input: reply.call.args });
  return content;
}

/**
 * @param {Record<string, unknown>} block
 * @param {number} index
 */
function blockFrames(block, index) {
  const isText = block['type'] === 'text';
  const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const pieces = isText ? deltas(text(block['text'])) : deltas(JSON.stringify(block['input']));
  return [
    sse({ type: 'content_block_start', index, content_block: start }, 'content_block_start'),
    ...pieces.map((piece) => {
      const delta = isText ? { type: 'text_delta', text: piece } : { type: 'input_json_delta', partial_json: piece };
      return sse({ type: 'content_block_delta', index, delta }, 'content_block_delta');
    }),
    sse({ type: 'content_block_stop', index }, 'content_block_stop'),
  ];
}
