import { inPieces, sse, toCallId, USAGE, type WireReply } from './wire-types.ts';

/** Anthropic Messages, streamed. */
export function anthropicFrames(reply: WireReply, number: number): readonly string[] {
  const { input, cached = 0, written = 0, output } = { ...USAGE, ...reply.usage };
  const usage = { input_tokens: input - cached - written, cache_read_input_tokens: cached, cache_creation_input_tokens: written };
  const start = {
    type: 'message_start',
    message: {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-mock',
      content: [],
      stop_reason: null,
      usage: { ...usage, output_tokens: 1 },
    },
  };
  const blocks: { readonly start: object; readonly deltas: readonly object[] }[] = [];
  if (reply.thinking !== undefined) {
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...inPieces(reply.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: `sig-${number}` },
      ],
    });
  }
  if (reply.text !== undefined) {
    blocks.push({ start: { type: 'text', text: '' }, deltas: inPieces(reply.text).map((text) => ({ type: 'text_delta', text })) });
  }
  for (const [index, { name, args }] of (reply.calls ?? []).entries()) {
    const json = typeof args === 'string' ? args : JSON.stringify(args);
    blocks.push({
      start: { type: 'tool_use', id: toCallId(number, index), name, input: {} },
      deltas: inPieces(json).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    });
  }
  const stop = reply.finish === 'length' ? 'max_tokens' : (reply.finish ?? ((reply.calls ?? []).length > 0 ? 'tool_use' : 'end_turn'));
  return [
    sse(start, 'message_start'),
    ...blocks.flatMap((block, index) => [
      sse({ type: 'content_block_start', index, content_block: block.start }, 'content_block_start'),
      ...block.deltas.map((delta) => sse({ type: 'content_block_delta', index, delta }, 'content_block_delta')),
      sse({ type: 'content_block_stop', index }, 'content_block_stop'),
    ]),
    sse({ type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } }, 'message_delta'),
    sse({ type: 'message_stop' }, 'message_stop'),
  ];
}
