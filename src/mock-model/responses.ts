import { openaiError } from './openai-errors.ts';
import { contentText, deltas, type Members, record, records, sse, text } from './values.ts';
import type { Conversation, Dialect, OfferedTool, ReadyReply, Turn } from './wire-types.ts';

/** OpenAI Responses, streamed and whole. */
export const responses: Dialect = {
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
      turns: joinCalls(input.flatMap(readItem)),
      tools: records(body['tools']).flatMap(readTool),
    };
  },

  frames(reply, conversation) {
    let sequence = 0;
    const frame = (type: string, data: Members): string => sse({ type, sequence_number: sequence++, ...data }, type);
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

/** Name spaces hold tools of their own, such as those of an MCP server. */
function readTool(tool: Members): OfferedTool[] {
  const own = { name: text(tool['name']) || text(tool['type']), parameters: record(tool['parameters']) };
  if (tool['type'] !== 'namespace') return [own];
  return records(tool['tools']).map((inner) => ({
    name: text(inner['name']),
    parameters: record(inner['parameters']),
    namespace: own.name,
  }));
}

/** Calls that were made at once are items of their own here. */
function joinCalls(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    const belongs = last !== undefined && last.calls.length > 0 && turn.calls.length > 0;
    if (belongs) joined[joined.length - 1] = { ...last, calls: [...last.calls, ...turn.calls] };
    else joined.push(turn);
  }
  return joined;
}

function readItem(item: Members): Turn[] {
  const kind = text(item['type']);
  if (kind.endsWith('_call')) return [{ role: 'assistant', text: '', calls: [text(item['name']) || kind], results: [] }];
  if (kind.endsWith('_call_output')) return [{ role: 'user', text: '', calls: [], results: [resultText(item['output'])] }];
  const role = item['role'];
  if (role !== 'user' && role !== 'assistant') return [];
  return [{ role, text: contentText(item['content']), calls: [], results: [] }];
}

function resultText(output: unknown): string {
  return typeof output === 'string' || Array.isArray(output) ? contentText(output) : JSON.stringify(output ?? '');
}

function envelope(reply: ReadyReply, conversation: Conversation): Members {
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

function items(reply: ReadyReply): Members[] {
  const output: Members[] = [];
  if (reply.text !== '') {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    output.push({ id: `item_${reply.id}`, type: 'message', role: 'assistant', status: 'completed', content });
  }
  for (const { id, name, args, namespace } of reply.calls) {
    const call = { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args), status: 'completed' };
    output.push({ id: id.replace(/^call_/, 'fc_'), ...call, ...(namespace !== undefined && { namespace }) });
  }
  return output;
}

function itemFrames(item: Members, index: number, frame: (type: string, data: Members) => string): string[] {
  const at = { output_index: index, item_id: item['id'] };
  const done = (): string => frame('response.output_item.done', { output_index: index, item });
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
