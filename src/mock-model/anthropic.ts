import { argsText, contentText, deltas, type Members, record, records, sse, text } from './values.ts';
import type { Conversation, Dialect, ReadyReply, Turn } from './wire-types.ts';

/** Anthropic Messages, streamed and whole. */
export const anthropicDialect: Dialect = {
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
    const [status, type, message] = ERRORS[fault] ?? [500, 'api_error', 'Internal server error'];
    return { status, headers: fault === 'usage-limit' ? LIMIT_HEADERS : {}, body: { type: 'error', error: { type, message } } };
  },
};

const ERRORS: Readonly<Record<string, readonly [number, string, string]>> = {
  unauthorized: [401, 'authentication_error', 'invalid x-api-key'],
  'rate-limited': [429, 'rate_limit_error', 'This request would exceed your rate limit of 50 requests per minute.'],
  'usage-limit': [429, 'rate_limit_error', "This request would exceed your account's usage limit. Try again later."],
  overloaded: [529, 'overloaded_error', 'Overloaded'],
};

/** A fixed time far ahead: the moment at which the made-up limit would be lifted (2100-01-01). */
const LIMIT_HEADERS = {
  'anthropic-ratelimit-unified-status': 'rejected',
  'anthropic-ratelimit-unified-reset': '4102444800',
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
};

function readTurn(message: Members): Turn {
  const content = records(message['content']);
  return {
    role: message['role'] === 'assistant' ? 'assistant' : 'user',
    text: contentText(message['content']),
    calls: content.filter((block) => block['type'] === 'tool_use').map((block) => text(block['name'])),
    results: content.filter((block) => block['type'] === 'tool_result').map((block) => contentText(block['content'])),
  };
}

function envelope(reply: ReadyReply, conversation: Conversation): Members {
  return { id: `msg_${reply.id}`, type: 'message', role: 'assistant', model: conversation.model, stop_sequence: null };
}

function stopReason(reply: ReadyReply): string {
  if (reply.finish !== undefined) return reply.finish === 'length' ? 'max_tokens' : 'refusal';
  return reply.calls.length === 0 ? 'end_turn' : 'tool_use';
}

function usage({ usage: { inputTokens, cachedTokens, writtenTokens, outputTokens } }: ReadyReply): Members {
  return {
    input_tokens: inputTokens - cachedTokens - writtenTokens,
    cache_creation_input_tokens: writtenTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

function blocks(reply: ReadyReply): Members[] {
  const thoughts = reply.thinking === '' ? [] : [{ type: 'thinking', thinking: reply.thinking, signature: `sig_${reply.id}` }];
  const content = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
  const uses = reply.calls.map(({ id, name, args }) => ({ type: 'tool_use', id: id.replace(/^call_/, 'toolu_'), name, input: args }));
  return [...thoughts, ...content, ...uses];
}

function blockFrames(block: Members, index: number): string[] {
  const { start, pieces } = toPieces(block);
  return [
    sse({ type: 'content_block_start', index, content_block: start }, 'content_block_start'),
    ...pieces.map((delta) => sse({ type: 'content_block_delta', index, delta }, 'content_block_delta')),
    sse({ type: 'content_block_stop', index }, 'content_block_stop'),
  ];
}

/** What of a block comes at its start, and what behind. */
function toPieces(block: Members): { readonly start: Members; readonly pieces: readonly Members[] } {
  const { type } = block;
  if (type === 'text') {
    return { start: { type, text: '' }, pieces: deltas(text(block['text'])).map((piece) => ({ type: 'text_delta', text: piece })) };
  }
  if (type === 'thinking') {
    const thoughts = deltas(text(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: block['signature'] };
    return { start: { type, thinking: '', signature: '' }, pieces: [...thoughts, signature] };
  }
  const json = deltas(argsText(block['input']));
  return { start: { ...block, input: {} }, pieces: json.map((partial_json) => ({ type: 'input_json_delta', partial_json })) };
}
