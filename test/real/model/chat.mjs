/** OpenAI Chat Completions, streamed and whole. */
import { openaiError } from './openai-errors.mjs';
import { contentText, deltas, record, records, sse, text } from './values.mjs';

/** @type {import('./types.d.ts').Dialect} */
export const chat = {
  name: 'chat',
  contentType: 'text/event-stream',
  matches: (path) => path.endsWith('/chat/completions'),

  read(body) {
    const messages = records(body['messages']);
    return {
      dialect: 'chat',
      model: text(body['model']),
      streaming: body['stream'] === true,
      system: messages
        .filter(isSystem)
        .map((message) => contentText(message['content']))
        .join('\n'),
      turns: messages.filter((message) => !isSystem(message)).map(readTurn),
      tools: records(body['tools']).map((tool) => {
        const definition = record(tool['function']);
        return { name: text(definition['name']), parameters: record(definition['parameters']) };
      }),
    };
  },

  frames(reply, conversation) {
    /** @param {Record<string, unknown>} delta @param {string | null} finish */
    const chunk = (delta, finish = null) =>
      sse({ ...envelope(reply, conversation, '.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
    const frames = [chunk({ role: 'assistant', content: '' }), ...deltas(reply.text).map((content) => chunk({ content }))];
    if (reply.call !== undefined) frames.push(...callDeltas(reply.call).map((call) => chunk({ tool_calls: [call] })));
    frames.push(chunk({}, finishReason(reply)));
    frames.push(sse({ ...envelope(reply, conversation, '.chunk'), choices: [], usage: usage(reply) }), sse('[DONE]'));
    return frames;
  },

  whole(reply, conversation) {
    const calls = reply.call === undefined ? {} : { tool_calls: [wholeCall(reply.call)] };
    const message = { role: 'assistant', content: reply.text, ...calls };
    return {
      ...envelope(reply, conversation, ''),
      choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
      usage: usage(reply),
    };
  },

  error: openaiError,
};

/** @param {Record<string, unknown>} message */
function isSystem(message) {
  return message['role'] === 'system' || message['role'] === 'developer';
}

/**
 * @param {Record<string, unknown>} message
 * @returns {import('./types.d.ts').Turn}
 */
function readTurn(message) {
  const content = contentText(message['content']);
  if (message['role'] === 'tool') return { role: 'user', text: '', calls: [], results: [content] };
  const calls = records(message['tool_calls']).map((call) => text(record(call['function'])['name']));
  return { role: message['role'] === 'assistant' ? 'assistant' : 'user', text: content, calls, results: [] };
}

/**
 * @param {import('./types.d.ts').ReadyReply} reply
 * @param {import('./types.d.ts').Conversation} conversation
 * @param {string} suffix
 */
function envelope(reply, conversation, suffix) {
  return { id: `chatcmpl-${reply.id}`, object: `chat.completion${suffix}`, created: 1_700_000_000, model: conversation.model };
}

/** @param {import('./types.d.ts').ReadyReply} reply */
function finishReason(reply) {
  return reply.call === undefined ? 'stop' : 'tool_calls';
}

/** @param {import('./types.d.ts').ReadyReply} reply */
function usage({ usage: { inputTokens, cachedTokens, outputTokens } }) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

/** @param {import('./types.d.ts').ToolCall} call */
function wholeCall({ id, name, args }) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

/** @param {import('./types.d.ts').ToolCall} call */
function callDeltas(call) {
  const open = { index: 0, ...wholeCall(call), function: { name: call.name, arguments: '' } };
  return [open, ...deltas(JSON.stringify(call.args)).map((piece) => ({ index: 0, function: { arguments: piece } }))];
}
