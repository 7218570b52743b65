import { argsText, contentText, deltas, type Members, openaiError, record, records, sse, text } from './values.ts';
import type { Conversation, Dialect, ReadyReply, ToolCall, Turn } from './wire-types.ts';

/** OpenAI Chat Completions, streamed and whole. */
export const chatDialect: Dialect = {
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
    const chunk = (delta: Members, finish: string | null = null): string =>
      sse({ ...envelope(reply, conversation, '.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
    const thoughts = deltas(reply.thinking).map((piece) => chunk({ reasoning_content: piece }));
    const frames = [chunk({ role: 'assistant', content: '' }), ...thoughts, ...deltas(reply.text).map((content) => chunk({ content }))];
    frames.push(...reply.calls.flatMap(callDeltas).map((call) => chunk({ tool_calls: [call] })));
    frames.push(chunk({}, finishReason(reply)));
    frames.push(sse({ ...envelope(reply, conversation, '.chunk'), choices: [], usage: usage(reply) }), sse('[DONE]'));
    return frames;
  },

  whole(reply, conversation) {
    const calls = reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map(wholeCall) };
    const thoughts = reply.thinking === '' ? {} : { reasoning_content: reply.thinking };
    const message = { role: 'assistant', content: reply.text, ...thoughts, ...calls };
    return {
      ...envelope(reply, conversation, ''),
      choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
      usage: usage(reply),
    };
  },

  error: openaiError,
};

function isSystem(message: Members): boolean {
  return message['role'] === 'system' || message['role'] === 'developer';
}

function readTurn(message: Members): Turn {
  const content = contentText(message['content']);
  if (message['role'] === 'tool') return { role: 'user', text: '', calls: [], results: [content] };
  const calls = records(message['tool_calls']).map((call) => text(record(call['function'])['name']));
  return { role: message['role'] === 'assistant' ? 'assistant' : 'user', text: content, calls, results: [] };
}

function envelope(reply: ReadyReply, conversation: Conversation, suffix: string): Members {
  return { id: `chatcmpl-${reply.id}`, object: `chat.completion${suffix}`, created: 1_700_000_000, model: conversation.model };
}

function finishReason(reply: ReadyReply): string {
  if (reply.finish !== undefined) return reply.finish === 'length' ? 'length' : 'content_filter';
  return reply.calls.length === 0 ? 'stop' : 'tool_calls';
}

function usage({ usage: { inputTokens, cachedTokens, outputTokens } }: ReadyReply): Members {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function wholeCall({ id, name, args }: ToolCall): Members {
  return { id, type: 'function', function: { name, arguments: argsText(args) } };
}

function callDeltas(call: ToolCall, index: number): readonly Members[] {
  const open = { index, ...wholeCall(call), function: { name: call.name, arguments: '' } };
  return [open, ...deltas(argsText(call.args)).map((piece) => ({ index, function: { arguments: piece } }))];
}
