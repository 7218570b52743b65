import { inPieces, sse, toCallId, USAGE, type WireReply } from './wire-types.ts';

/** OpenAI Responses, streamed. */
export function responsesFrames(reply: WireReply, number: number): readonly string[] {
  const envelope = { id: `resp_${number}`, object: 'response', created_at: 1_700_000_000, model: 'gpt-mock', error: null, tools: [] };
  let sequence = 0;
  const frame = (type: string, data: object): string => sse({ type, sequence_number: sequence++, ...data }, type);
  const items = toItems(reply, number);
  const frames = [frame('response.created', { response: { ...envelope, status: 'in_progress', output: [], usage: null } })];
  for (const [output_index, { item, deltas }] of items.entries()) {
    const open = {
      ...item,
      ...('arguments' in item ? { arguments: '' } : {}),
      ...('encrypted_content' in item ? { encrypted_content: null } : {}),
    };
    frames.push(frame('response.output_item.added', { output_index, item: open }));
    for (const { type, ...data } of deltas) frames.push(frame(type, { output_index, item_id: item.id, ...data }));
    frames.push(frame('response.output_item.done', { output_index, item }));
  }
  const { input, cached = 0, output } = { ...USAGE, ...reply.usage };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const isCut = reply.finish === 'length';
  const end = { ...envelope, output: items.map(({ item }) => item), usage };
  frames.push(
    isCut
      ? frame('response.incomplete', { response: { ...end, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } })
      : frame('response.completed', { response: { ...end, status: 'completed', incomplete_details: null } }),
  );
  return frames;
}

interface Item {
  readonly item: { readonly id: string; readonly type: string };
  readonly deltas: readonly ({ readonly type: string } & Readonly<Record<string, unknown>>)[];
}

function toItems({ thinking, text, calls = [] }: WireReply, number: number): readonly Item[] {
  const items: Item[] = [];
  if (thinking !== undefined) {
    const summary = [{ type: 'summary_text', text: thinking }];
    items.push({
      item: Object.assign({ id: `rs_${number}`, type: 'reasoning' }, { summary, encrypted_content: `enc-${number}` }),
      deltas: [
        { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
        ...inPieces(thinking).map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta })),
      ],
    });
  }
  if (text !== undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }];
    items.push({
      item: Object.assign({ id: `msg_${number}`, type: 'message' }, { role: 'assistant', status: 'completed', content }),
      deltas: inPieces(text).map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta })),
    });
  }
  for (const [index, { name, args }] of calls.entries()) {
    const json = typeof args === 'string' ? args : JSON.stringify(args);
    items.push({
      item: Object.assign(
        { id: `fc_${number}_${index}`, type: 'function_call' },
        { call_id: toCallId(number, index), name, arguments: json, status: 'completed' },
      ),
      deltas: inPieces(json).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
    });
  }
  return items;
}
