import type { Readable, Writable } from 'node:stream';
import { toErrorMessage } from '../core/values/errors.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, readOwn } from '../core/values/json.ts';
import { accept, type Result, refuse } from '../core/values/result.ts';
import { type McpServer, toWireResult } from './mcp-tool.ts';
import { createMessageLines, MAX_LINE_BYTES, type MessageLine } from './message-lines.ts';
import { createWaitingCalls, type RequestId, type WaitingCalls } from './waiting-calls.ts';

/** Versions of the protocol that this server can speak, the newest first. What it offers is the same in all of them. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Error codes of JSON-RPC. */
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** What ends the waiting for a client that does not read. */
const WRITABLE_AGAIN = ['drain', 'close', 'error'] as const;

/** The two pipes to a client, and where problems are told: clients show them in their logs. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** One line, without its end. */
  readonly complain: (line: string) => void;
}

/**
 * Serves one client: a message per line, answered in the order in which they came, but for calls of tools that wait: these are answered when their
 * result is there, each on a line of its own. Resolves when the input has ended or the output is not read any more, which also ends what waits; never
 * rejects. What is no message is told to `complain` and passed over.
 */
export async function serveMessages(server: McpServer, { input, output, complain }: McpStreams): Promise<void> {
  const lines = createMessageLines();
  let isOpen = true;
  output.on('error', () => {
    isOpen = false;
    input.destroy();
  });
  const write = async (answer: Json): Promise<void> => {
    if (!isOpen || output.write(`${JSON.stringify(answer)}\n`)) return;
    // A client that asks and does not read is waited for, not buffered without end.
    await new Promise<void>((resume) => {
      const go = (): void => {
        for (const name of WRITABLE_AGAIN) output.off(name, go);
        resume();
      };
      for (const name of WRITABLE_AGAIN) output.on(name, go);
    });
  };
  const waiting = createWaitingCalls(write);
  const session: ClientSession = { server, waiting };
  try {
    for await (const chunk of input) {
      for (const line of lines.take(chunk as Buffer)) {
        const answer = await answerLine(line, session, complain);
        if (answer !== null) await write(answer);
      }
      if (!isOpen) return;
    }
  } catch (error) {
    if (isOpen) complain(`the input broke: ${toErrorMessage(error)}`);
  } finally {
    await waiting.end();
  }
  if (lines.hasRest()) complain('the last line has no end: it was not read');
}

interface ClientSession {
  readonly server: McpServer;
  readonly waiting: WaitingCalls;
}

async function answerLine(line: MessageLine, session: ClientSession, complain: (line: string) => void): Promise<Json | null> {
  if (line.kind === 'too-long') {
    complain(`a line of more than ${MAX_LINE_BYTES} bytes was passed over`);
    return line.id === null ? null : toTooLongError(line.id, MAX_LINE_BYTES);
  }
  const text = line.text.replace(/^\uFEFF/, '').trim();
  if (text === '') return null;
  const message = parseJson(text);
  if (message === undefined) {
    complain('a line that is no JSON was passed over');
    return null;
  }
  const { answer, problem } = await answerMessage(message, session);
  // Clients take an answer without an id for a fault of the server, so none is written.
  if (problem !== null) complain(`${problem} was passed over`);
  return answer;
}

/** Why a request is not answered with a result. */
interface RequestError {
  readonly code: number;
  readonly message: string;
}

type MethodResult = Result<Json, RequestError>;
/** `null`: the answer comes later. */
type Method = (params: JsonObject, session: ClientSession, id: RequestId) => Promise<MethodResult | null> | MethodResult;

const METHODS: Readonly<Record<string, Method>> = {
  initialize: (params, { server: { name, version, instructions } }) =>
    accept({
      protocolVersion: VERSIONS.find((known) => known === params['protocolVersion']) ?? VERSIONS[0],
      capabilities: { tools: {} },
      serverInfo: { name, version },
      instructions,
    }),
  ping: () => accept({}),
  'tools/list': (_params, { server: { tools } }) =>
    accept({ tools: tools.map(({ name, description, inputSchema, annotations }) => ({ name, description, inputSchema, annotations })) }),
  'tools/call': callTool,
};

interface MessageOutcome {
  /** What to write back; `null` where nothing may be written (notifications and answers have none), or nothing yet. */
  readonly answer: Json | null;
  /** What was wrong with a message that cannot even be answered, because it has no id that could be read. */
  readonly problem: string | null;
}

const SILENCE: MessageOutcome = { answer: null, problem: null };

/** Answers what was on one line of a client: a request, a notification, an answer, a batch of these, or anything else. Never rejects. */
async function answerMessage(message: Json, session: ClientSession): Promise<MessageOutcome> {
  if (!Array.isArray(message)) return answerOne(message, session);
  const parts: MessageOutcome[] = [];
  for (const part of message as readonly Json[]) parts.push(await answerOne(part, session));
  const answers = parts.flatMap(({ answer }) => (answer === null ? [] : [answer]));
  const problem = message.length === 0 ? 'an empty batch' : (parts.find((part) => part.problem !== null)?.problem ?? null);
  return { answer: answers.length === 0 ? null : answers, problem };
}

async function answerOne(message: Json, session: ClientSession): Promise<MessageOutcome> {
  if (!isJsonObject(message)) return { answer: null, problem: 'a message that is no object' };
  const { id, method, params = {} } = message;
  // The client was asked nothing, so what it answers is passed over.
  if (method === undefined && ('result' in message || 'error' in message)) return SILENCE;
  if (id === undefined && typeof method === 'string') {
    if (method === CANCELLED && isJsonObject(params)) cancel(params, session);
    return SILENCE;
  }
  if (typeof id !== 'string' && typeof id !== 'number') return { answer: null, problem: 'a request without an id' };
  return { answer: await answerRequest({ id, method, params }, session), problem: null };
}

/** With which a client says that it does not want the answer to a request any more. */
const CANCELLED = 'notifications/cancelled';

function cancel({ requestId }: JsonObject, { waiting }: ClientSession): void {
  if (typeof requestId === 'string' || typeof requestId === 'number') waiting.cancel(requestId);
}

interface Request {
  readonly id: RequestId;
  readonly method: Json | undefined;
  readonly params: Json;
}

async function answerRequest({ id, method, params }: Request, session: ClientSession): Promise<Json | null> {
  if (typeof method !== 'string') return toError(id, INVALID_REQUEST, 'A request names its method.');
  const perform = readOwn(METHODS, method);
  if (perform === undefined) return toError(id, METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method.slice(0, 80))}.`);
  if (!isJsonObject(params)) return toError(id, INVALID_PARAMS, 'The parameters of a request are an object.');
  try {
    const result = await perform(params, session, id);
    if (result === null) return null;
    return result.ok ? { jsonrpc: '2.0', id, result: result.value } : toError(id, result.refused.code, result.refused.message);
  } catch (error) {
    return toError(id, INTERNAL_ERROR, toErrorMessage(error));
  }
}

async function callTool(params: JsonObject, { server: { tools }, waiting }: ClientSession, id: RequestId): Promise<MethodResult | null> {
  const { name, arguments: args = {} } = params;
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined)
    return refuse({ code: INVALID_PARAMS, message: `There is no such tool. Tools: ${tools.map((known) => known.name).join(', ')}.` });
  if (!isJsonObject(args)) return refuse({ code: INVALID_PARAMS, message: 'The arguments of a tool are an object.' });
  if (tool.waits !== true) return accept(toWireResult(await tool.call(args)));
  const hasBegun = waiting.begin({ id, meta: params['_meta'], call: (signal) => tool.call(args, signal) });
  return hasBegun ? null : accept(toWireResult({ text: 'Too many calls wait already. Wait for one of them.', isError: true }));
}

/** The answer to what could not be done. */
function toError(id: RequestId, code: number, message: string): Json {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The answer to a line that is longer than what is read. */
function toTooLongError(id: RequestId, limitBytes: number): Json {
  return toError(id, INVALID_REQUEST, `A message may have ${limitBytes} bytes; this one has more.`);
}
