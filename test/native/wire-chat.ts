import { inPieces, sse, toCallId, USAGE, type WireReply } from './wire-types.ts';

/** Chat Completions, streamed, with the `reasoning_content` that compatible servers have. */
export function chatFrames(reply: WireReply, number: number): readonly string[] {
  const { input, cached = 0, output } = { ...USAGE, ...reply.usage };
  const envelope = { id: `chatcmpl_${number}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'compatible-mock' };
  const chunk = (delta: object, finish: string | null = null): string =>
    sse({ ...envelope, choices: [{ index: 0, delta, finish_reason: finish }] });
  const calls = reply.calls ?? [];
  const stop =
    reply.finish === 'length' ? 'length' : reply.finish === 'refusal' ? 'content_filter' : calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  return [
    chunk({ role: 'assistant', content: '' }),
    ...inPieces(reply.thinking ?? '').map((piece) => chunk({ reasoning_content: piece })),
    ...inPieces(reply.text ?? '').map((piece) => chunk({ content: piece })),
    ...calls.flatMap(({ name, args }, index) => {
      const json = typeof args === 'string' ? args : JSON.stringify(args);
      return [
        chunk({ tool_calls: [{ index, id: toCallId(number, index), type: 'function', function: { name, arguments: '' } }] }),
        ...inPieces(json).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ];
    }),
    chunk({}, stop),
    sse({ ...envelope, choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}
