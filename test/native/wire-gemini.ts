import { inPieces, sse, toCallId, USAGE, type WireReply } from './wire-types.ts';

/** Gemini streamGenerateContent. */
export function geminiFrames(reply: WireReply, number: number): readonly string[] {
  const { input, cached = 0, output } = { ...USAGE, ...reply.usage };
  const parts: object[] = [];
  if (reply.thinking !== undefined) parts.push(...inPieces(reply.thinking).map((text) => ({ text, thought: true })));
  if (reply.text !== undefined) parts.push(...inPieces(reply.text).map((text) => ({ text })));
  for (const [index, { name, args }] of (reply.calls ?? []).entries()) {
    const signature = index === 0 ? { thoughtSignature: `sig-${number}` } : {};
    parts.push({ functionCall: { id: toCallId(number, index), name, args }, ...signature });
  }
  if (parts.length === 0) parts.push({ text: '' });
  const usageMetadata = {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  };
  const finishReason = reply.finish === 'length' ? 'MAX_TOKENS' : reply.finish === 'refusal' ? 'SAFETY' : 'STOP';
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    const candidate = { index: 0, content: { role: 'model', parts: [part] }, ...(isLast ? { finishReason } : {}) };
    return sse({
      candidates: [candidate],
      ...(isLast ? { usageMetadata } : {}),
      modelVersion: 'gemini-mock',
      responseId: `resp-${number}`,
    });
  });
}
