import { argsText, contentText, deltas, type Members, openaiError, record, records, sse, text } from './values.ts';
import type { Conversation, Dialect, OfferedTool, ReadyReply, ToolCall, Turn } from './wire-types.ts';

/** OpenAI Responses, streamed and whole. */
export const responsesDialect: Dialect = {
  name: 'responses',
  contentType: 'text/event-stream',
  matches: (path) => path.endsWith('/responses'),

  read(body) {
    const input = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : records(body['input']);
    const searched = input.flatMap((item) => (item['type'] === SEARCH_CALL ? [text(record(item['arguments'])['query'])] : []));
    const found = input.flatMap((item) => (item['type'] === 'tool_search_output' ? records(item['tools']) : []));
    return {
      dialect: 'responses',
      model: text(body['model']),
      streaming: body['stream'] === true,
      system: contentText(body['instructions']),
      turns: joinItems(input.flatMap(readItem)),
      tools: [...records(body['tools']), ...found].flatMap(readTool).map((tool) => (tool.kind === 'search' ? { ...tool, searched } : tool)),
    };
  },

  frames(reply, conversation) {
    let sequence = 0;
    const frame = (type: string, data: Members): string => sse({ type, sequence_number: sequence++, ...data }, type);
    const open = { ...envelope(reply, conversation), status: 'in_progress', output: [], usage: null };
    const frames = [frame('response.created', { response: open }), frame('response.in_progress', { response: open })];
    items(reply).forEach((item, index) => frames.push(...itemFrames(item, index, frame)));
    const end = reply.finish === undefined ? 'response.completed' : 'response.incomplete';
    frames.push(frame(end, { response: responsesDialect.whole(reply, conversation) }));
    return frames;
  },

  whole: (reply, conversation) => ({
    ...envelope(reply, conversation),
    ...(reply.finish === undefined
      ? { status: 'completed' }
      : { status: 'incomplete', incomplete_details: { reason: REASONS[reply.finish] } }),
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

/** No step of a script: only the way to a tool. */
const SEARCH_CALL = 'tool_search_call';
const KINDS: Readonly<Record<string, NonNullable<OfferedTool['kind']>>> = { custom: 'freeform', tool_search: 'search' };

const REASONS = { length: 'max_output_tokens', refusal: 'content_filter' } as const;

/** Name spaces hold tools of their own, such as those of an MCP server. */
function readTool(tool: Members): OfferedTool[] {
  const kind = KINDS[text(tool['type'])];
  const own = { name: text(tool['name']) || text(tool['type']), parameters: record(tool['parameters']), ...(kind && { kind }) };
  if (tool['type'] !== 'namespace') return [own];
  return records(tool['tools']).map((inner) => ({
    name: text(inner['name']),
    parameters: record(inner['parameters']),
    namespace: own.name,
  }));
}

/** What was said and called at once are items of their own here. */
function joinItems(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last?.role !== 'assistant' || turn.role !== 'assistant') joined.push(turn);
    else joined[joined.length - 1] = { ...last, text: `${last.text}${turn.text}`, calls: [...last.calls, ...turn.calls] };
  }
  return joined;
}

function readItem(item: Members): Turn[] {
  const kind = text(item['type']);
  if (kind === SEARCH_CALL) return [];
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
  if (reply.thinking !== '') {
    const summary = [{ type: 'summary_text', text: reply.thinking }];
    output.push({ id: `rs_${reply.id}`, type: 'reasoning', summary, encrypted_content: `enc_${reply.id}` });
  }
  if (reply.text !== '') {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    output.push({ id: `item_${reply.id}`, type: 'message', role: 'assistant', status: 'completed', content });
  }
  return [...output, ...reply.calls.map(toCallItem)];
}

function toCallItem({ id, name, args, namespace, kind }: ToolCall): Members {
  const shared = { id: id.replace(/^call_/, 'fc_'), call_id: id, status: 'completed' };
  if (kind === 'search') return { ...shared, type: SEARCH_CALL, execution: 'client', arguments: args };
  if (kind === 'freeform') {
    return { ...shared, type: 'custom_tool_call', name, input: typeof args === 'string' ? args : text(args['input']) };
  }
  return { ...shared, type: 'function_call', name, arguments: argsText(args), ...(namespace !== undefined && { namespace }) };
}

function itemFrames(item: Members, index: number, frame: (type: string, data: Members) => string): string[] {
  const at = { output_index: index, item_id: item['id'] };
  const done = (): string => frame('response.output_item.done', { output_index: index, item });
  if (item['type'] === 'reasoning') {
    const [summary] = records(item['summary']);
    return [
      frame('response.output_item.added', { output_index: index, item: { ...item, summary: [], encrypted_content: null } }),
      frame('response.reasoning_summary_part.added', { ...at, summary_index: 0, part: { type: 'summary_text', text: '' } }),
      ...deltas(text(summary?.['text'])).map((delta) => frame('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta })),
      done(),
    ];
  }
  if (item['type'] === SEARCH_CALL || item['type'] === 'custom_tool_call') {
    return [frame('response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress' } }), done()];
  }
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
