/** OpenAI Responses, streamed and whole. */
import { openaiError } from './openai-errors.mjs';
import { contentText, deltas, record, records, sse, text } from './values.mjs';

/** @type {import('./types.d.ts').Dialect} */
export const responses = {
  name: 'responses',
  contentType: 'text/event-stream',
  matches: (path) => path.endsWith('/responses'),

  read(body) {
    const input = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : records(body['input']);
    return {
      dialect: 'responses',
      model: text(body['model']),
      streaming: body['stream'] === true,
      system: contentText(body['instructions']),
      turns: input.flatMap(readItem),
      tools: records(body['tools']).map((tool) => ({
        name: text(tool['name']) || text(tool['type']),
        parameters: record(tool['parameters']),
      })),
    };
  },

  frames(reply, conversation) {
    let sequence = 0;
    /** @param {string} type @param {Record<string, unknown>} data */
    const frame = (type, data) => sse({ type, sequence_number: sequence++, ...data }, type);
    const open = { ...envelope(reply, conversation), status: 'in_progress', output: [], usage: null };
    const frames = [frame('response.created', { response: open }), frame('response.in_progress', { response: open })];
    items(reply).forEach((item, index) => frames.push(...itemFrames(item, index, frame)));
    frames.push(frame('response.completed', { response: responses.whole(reply, conversation) }));
    return frames;
  },

  whole: (reply, conversation) => ({
    ...envelope(reply, conversation),
    status: 'completed',
    output: items(reply),
    usage: {
      input_tokens: reply.usage.inputTokens,
      input_tokens_details: { cached_tokens: reply.usage.cachedTokens },
      output_tokens: reply.usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: reply.usage.inputTokens + reply.usage.outputTokens,
    },
  }),

  error: openaiError,
};

/**
 * @param {Record<string, unknown>} item
 * @returns {import('./types.d.ts').Turn[]}
 */
function readItem(item) {
  const kind = text(item['type']);
  if (kind.endsWith('_call')) return [{ role: 'assistant', text: '', calls: [text(item['name']) || kind], results: [] }];
  if (kind.endsWith('_call_output')) return [{ role: 'user', text: '', calls: [], results: [resultText(item['output'])] }];
  const role = item['role'];
  if (role !== 'user' && role !== 'assistant') return [];
  return [{ role, text: contentText(item['content']), calls: [], results: [] }];
}

/** @param {unknown} output */
function resultText(output) {
  return typeof output === 'string' || Array.isArray(output) ? contentText(output) : JSON.stringify(output ?? '');
}

/**
 * @param {import('./types.d.ts').ReadyReply} reply
 * @param {import('./types.d.ts').Conversation} conversation
 */
function envelope(reply, conversation) {
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: 1_700_000_000,
    model: conversation.model,
    error: null,
    incomplete_details: null,
    tools: [],
  };
}

/**
 * @param {import('./types.d.ts').ReadyReply} reply
 * @returns {Record<string, unknown>[]}
 */
function items(reply) {
  const output = [];
  if (reply.text !== '') {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    output.push({ id: `item_${reply.id}`, type: 'message', role: 'assistant', status: 'completed', content });
  }
  if (reply.call !== undefined) {
    const { id, name, args } = reply.call;
    output.push({ id: `fc_${reply.id}`, type: 'function_call', call_id: id, name, arguments: JSON.stringify(args), status: 'completed' });
  }
  return output;
}

/**
 * @param {Record<string, unknown>} item
 * @param {number} index
 * @param {(type: string, data: Record<string, unknown>) => string} frame
 */
function itemFrames(item, index, frame) {
  const at = { output_index: index, item_id: item['id'] };
  const done = frame.bind(null, 'response.output_item.done', { output_index: index, item });
  if (item['type'] === 'function_call') {
    return [
      frame('response.output_item.added', { output_index: index, item: { ...item, arguments: '', status: 'in_progress' } }),
      ...deltas(text(item['arguments'])).map((delta) => frame('response.function_call_arguments.delta', { ...at, delta })),
      frame('response.function_call_arguments.done', { ...at, arguments: item['arguments'] }),
      done(),
    ];
  }
  const [part] = records(item['content']);
  return [
    frame('response.output_item.added', { output_index: index, item: { ...item, content: [], status: 'in_progress' } }),
    frame('response.content_part.added', { ...at, content_index: 0, part: { ...part, text: '' } }),
    ...deltas(contentText(item['content'])).map((delta) => frame('response.output_text.delta', { ...at, content_index: 0, delta })),
    frame('response.output_text.done', { ...at, content_index: 0, text: contentText(item['content']) }),
    frame('response.content_part.done', { ...at, content_index: 0, part }),
    done(),
  ];
}
