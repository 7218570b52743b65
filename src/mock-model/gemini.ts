import { deltas, type Members, record, records, sse, text } from './values.ts';
import type { Conversation, Dialect, ReadyReply, Turn } from './wire-types.ts';

const PATH = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

/** Gemini generateContent and streamGenerateContent. */
export const geminiDialect: Dialect = {
  name: 'gemini',
  contentType: 'text/event-stream',
  matches: (path) => PATH.test(path),

  read(body, url) {
    const [, model = '', method = ''] = PATH.exec(url.pathname) ?? [];
    return {
      dialect: 'gemini',
      model,
      streaming: method === 'streamGenerateContent',
      system: partsText(record(body['systemInstruction'])['parts']),
      turns: records(body['contents']).map(readTurn),
      tools: records(body['tools'])
        .flatMap((tool) => records(tool['functionDeclarations']))
        .map((declared) => ({
          name: text(declared['name']),
          parameters: record(declared['parametersJsonSchema'] ?? declared['parameters']),
        })),
    };
  },

  frames(reply, conversation) {
    const thoughts: Members[] = deltas(reply.thinking).map((piece) => ({ text: piece, thought: true }));
    const pieces: Members[] = deltas(reply.text).map((piece) => ({ text: piece }));
    const parts = [...thoughts, ...pieces, ...callParts(reply)];
    if (parts.length === 0) parts.push({ text: '' });
    return parts.map((part, index) => sse(chunk(reply, conversation, [part], index === parts.length - 1)));
  },

  whole(reply, conversation) {
    const thoughts = reply.thinking === '' ? [] : [{ text: reply.thinking, thought: true }];
    return chunk(reply, conversation, [...thoughts, { text: reply.text }, ...callParts(reply)], true);
  },

  error(fault) {
    const [code, status, message] = ERRORS[fault] ?? [500, 'INTERNAL', 'An internal error has occurred.'];
    const details = fault === 'usage-limit' ? { details: QUOTA } : {};
    return { status: code, headers: {}, body: { error: { code, message, status, ...details } } };
  },
};

const ERRORS: Readonly<Record<string, readonly [number, string, string]>> = {
  unauthorized: [401, 'UNAUTHENTICATED', 'API key not valid. Please pass a valid API key.'],
  'rate-limited': [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  'usage-limit': [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  'server-error': [500, 'INTERNAL', 'An internal error has occurred. Please retry.'],
  overloaded: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};

const QUOTA = [
  {
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaMetric: 'generate_requests', quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaValue: '100' }],
  },
];

function partsText(parts: unknown): string {
  return records(parts)
    .map((part) => text(part['text']))
    .filter((part) => part !== '')
    .join('\n');
}

function readTurn(content: Members): Turn {
  const parts = records(content['parts']);
  return {
    role: content['role'] === 'model' ? 'assistant' : 'user',
    text: partsText(parts),
    calls: parts.filter((part) => 'functionCall' in part).map((part) => text(record(part['functionCall'])['name'])),
    results: parts.filter((part) => 'functionResponse' in part).map((part) => JSON.stringify(record(part['functionResponse'])['response'])),
  };
}

/** The proof of what was thought hangs on the first call. */
function callParts({ id: reply, thinking, calls }: ReadyReply): Members[] {
  const signature = thinking === '' ? {} : { thoughtSignature: `sig_${reply}` };
  return calls.map(({ id, name, args }, index) => ({ functionCall: { id, name, args }, ...(index === 0 ? signature : {}) }));
}

function finishReason({ finish }: ReadyReply): string {
  if (finish === 'length') return 'MAX_TOKENS';
  return finish === 'refusal' ? 'SAFETY' : 'STOP';
}

function chunk(reply: ReadyReply, conversation: Conversation, parts: readonly Members[], last: boolean): Members {
  const { inputTokens, cachedTokens, outputTokens } = reply.usage;
  const usage = {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cachedTokens,
    candidatesTokenCount: outputTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
  const candidate = { index: 0, content: { role: 'model', parts }, ...(last ? { finishReason: finishReason(reply) } : {}) };
  return { candidates: [candidate], ...(last ? { usageMetadata: usage } : {}), modelVersion: conversation.model, responseId: reply.id };
}
