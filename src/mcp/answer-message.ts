import { isJsonObject, type Json, type JsonObject } from '../core/index.ts';
import { type McpServer, toWireResult } from './mcp-tool.ts';

/** Versions of the protocol that this server can speak, the newest first. What it offers is the same in all of them. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Error codes of JSON-RPC. */
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** A problem with a request, told to the client. A class, so that no result can be taken for one. */
class Refusal {
  readonly code: number;
  readonly message: string;

  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

type Method = (params: JsonObject, server: McpServer) => Promise<Json | Refusal> | Json | Refusal;

const METHODS: Readonly<Record<string, Method>> = {
  initialize: (params, { name, version, instructions }) => ({
    protocolVersion: VERSIONS.find((known) => known === params['protocolVersion']) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name, version },
    instructions,
  }),
  ping: () => ({}),
  'tools/list': (_params, { tools }) => ({
    tools: tools.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })),
  }),
  'tools/call': callTool,
};

/** What a message led to. */
export interface Answered {
  /** What to write back; `null` where nothing may be written (notifications and answers have none). */
  readonly answer: Json | null;
  /** What was wrong with a message that cannot even be answered, because it has no id that could be read. */
  readonly problem: string | null;
}

const SILENCE: Answered = { answer: null, problem: null };

/** Answers what was on one line of a client: a request, a notification, an answer, a batch of these, or anything else. Never rejects. */
export async function answerMessage(message: Json, server: McpServer): Promise<Answered> {
  if (!Array.isArray(message)) return answerOne(message, server);
  const parts: Answered[] = [];
  for (const part of message as readonly Json[]) parts.push(await answerOne(part, server));
  const answers = parts.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  const problem = message.length === 0 ? 'an empty batch' : (parts.find((part) => part.problem !== null)?.problem ?? null);
  return { answer: answers.length === 0 ? null : answers, problem };
}

async function answerOne(message: Json, server: McpServer): Promise<Answered> {
  if (!isJsonObject(message)) return { answer: null, problem: 'a message that is no object' };
  const { id, method, params = {} } = message;
  // Nothing was asked of the client, so an answer of its own is about nothing.
  if (method === undefined && ('result' in message || 'error' in message)) return SILENCE;
  if (id === undefined && typeof method === 'string') return SILENCE;
  if (typeof id !== 'string' && typeof id !== 'number') return { answer: null, problem: 'a request without an id' };
  return { answer: await answerRequest(id, method, params, server), problem: null };
}

async function answerRequest(id: string | number, method: Json | undefined, params: Json, server: McpServer): Promise<Json> {
  if (typeof method !== 'string') return toError(id, INVALID_REQUEST, 'A request names its method.');
  const perform = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (perform === undefined) return toError(id, METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method.slice(0, 80))}.`);
  if (!isJsonObject(params)) return toError(id, INVALID_PARAMS, 'The parameters of a request are an object.');
  try {
    const result = await perform(params, server);
    return result instanceof Refusal ? toError(id, result.code, result.message) : { jsonrpc: '2.0', id, result };
  } catch (error) {
    return toError(id, INTERNAL_ERROR, error instanceof Error ? error.message : String(error));
  }
}

async function callTool(params: JsonObject, { tools }: McpServer): Promise<Json | Refusal> {
  const { name, arguments: args = {} } = params;
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined)
    return new Refusal(INVALID_PARAMS, `There is no such tool. Tools: ${tools.map((known) => known.name).join(', ')}.`);
  if (!isJsonObject(args)) return new Refusal(INVALID_PARAMS, 'The arguments of a tool are an object.');
  return toWireResult(await tool.call(args));
}

/** The answer to what could not be done. */
function toError(id: string | number, code: number, message: string): Json {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The answer to a line that is longer than what is read. */
export function toTooLongError(id: string | number, limitBytes: number): Json {
  return toError(id, INVALID_REQUEST, `A message may have ${limitBytes} bytes; this one has more.`);
}
