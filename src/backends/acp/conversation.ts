import { type Json, type JsonObject, UNKNOWN_USAGE } from '../../core/index.ts';
import type { ToolServer } from '../../ports/index.ts';
import { type FailureSigns, findStatus } from '../failure-class.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-fields.ts';
import type { JsonStream } from '../json-translator.ts';
import type { Dialogue } from '../translator.ts';
import type { TurnRecorder } from '../turn-recorder.ts';
import { planSettings, type SessionSetting } from './settings.ts';
import { createUpdateReader } from './updates.ts';

/** What a conversation with an agent is about. */
export interface AcpTask {
  readonly prompt: string;
  /** Absolute path of the folder the agent works in. */
  readonly cwd: string;
  readonly model?: string | undefined;
  /** Servers of tools that the session begins with; absent: none. */
  readonly toolServers?: readonly ToolServer[] | undefined;
  /** Whether the agent may do what it asks for; else it is refused, for there is nobody to ask. */
  readonly isBypass: boolean;
}

const PROTOCOL_VERSION = 1;
const METHOD_NOT_FOUND = -32601;

interface Asked {
  readonly onResult: (result: JsonObject, turn: TurnRecorder) => void;
  readonly onError: (error: JsonObject, turn: TurnRecorder) => void;
}

/**
 * Our side of the Agent Client Protocol (JSON-RPC, one message a line) for one prompt: initialize, new session, its mode and model,
 * prompt. No file or terminal abilities are offered: the agent uses its own tools. Requests that are not understood are answered with
 * an error, so that no agent waits for us.
 */
export class AcpConversation implements JsonStream, Dialogue {
  readonly #task: AcpTask;
  readonly #updates = createUpdateReader();
  readonly #asked = new Map<Json, Asked>();
  #outbox: string[] = [];
  #lastId = 0;
  #sessionId = '';
  #agentName = '';
  #isAnswering = false;

  constructor(task: AcpTask) {
    this.#task = task;
  }

  open(): readonly string[] {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    this.#ask('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities }, (result) => {
      this.#agentName = textAt(objectAt(result, 'agentInfo'), 'name');
      this.#startSession();
    });
    return this.replies();
  }

  replies(): readonly string[] {
    const taken = this.#outbox;
    this.#outbox = [];
    return taken;
  }

  cancel(): readonly string[] {
    if (this.#sessionId !== '') this.#post({ method: 'session/cancel', params: { sessionId: this.#sessionId } });
    return this.replies();
  }

  read(message: JsonObject, turn: TurnRecorder): void {
    const { id, method } = message;
    if (typeof method !== 'string') this.#settle(message, turn);
    else if (id !== undefined && id !== null) {
      turn.endMessage();
      this.#answer(id, method, objectAt(message, 'params'));
    } else if (method === 'session/update' && this.#isAnswering) this.#updates.read(objectAt(objectAt(message, 'params'), 'update'), turn);
  }

  #settle(message: JsonObject, turn: TurnRecorder): void {
    const asked = this.#asked.get(message['id'] ?? null);
    this.#asked.delete(message['id'] ?? null);
    if (message['error'] === undefined) asked?.onResult(objectAt(message, 'result'), turn);
    else asked?.onError(objectAt(message, 'error'), turn);
  }

  #startSession(): void {
    this.#ask('session/new', { cwd: this.#task.cwd, mcpServers: (this.#task.toolServers ?? []).map(toServer) }, (session, turn) => {
      this.#sessionId = textAt(session, 'sessionId');
      turn.session(this.#sessionId, null);
      this.#setUp(planSettings(session, this.#task));
    });
  }

  #setUp([next, ...rest]: readonly SessionSetting[]): void {
    if (next === undefined) return this.#sendPrompt();
    const goOn = (): void => this.#setUp(rest);
    this.#ask(next.method, next.params, goOn, (error, turn) => {
      turn.warn(`the agent refused ${next.what}: ${textAt(error, 'message')}`);
      goOn();
    });
  }

  #sendPrompt(): void {
    // What was told before, about modes and commands, is no answer.
    this.#isAnswering = true;
    const prompt = [{ type: 'text', text: this.#task.prompt }];
    this.#ask('session/prompt', { sessionId: this.#sessionId, prompt }, (result, turn) => {
      const usage = this.#updates.total(result);
      // opencode tells the tokens of its last call, and the cost of all: more than one call leaves the tokens unknown.
      const isPartial = this.#agentName === 'OpenCode' && turn.toolCalls > 0;
      turn.setUsage(isPartial ? { ...UNKNOWN_USAGE, costUsd: usage.costUsd } : usage);
      const error = findToldError(this.#agentName, this.#updates.lastChunk(), result);
      if (error === '') judgeStop(textAt(result, 'stopReason'), turn);
      else turn.fail({ message: error });
    });
  }

  #answer(id: Json, method: string, params: JsonObject): void {
    if (method !== 'session/request_permission') return this.#post({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
    this.#post({ id, result: { outcome: chooseOption(listAt(params, 'options'), this.#task.isBypass) } });
  }

  /** Sends a request. An error ends the turn unless it is taken care of. */
  #ask(method: string, params: JsonObject, onResult: Asked['onResult'], onError: Asked['onError'] = failTurn): void {
    this.#lastId += 1;
    this.#asked.set(this.#lastId, { onResult, onError });
    this.#post({ id: this.#lastId, method, params });
  }

  #post(message: JsonObject): void {
    this.#outbox.push(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

/** By `kind`: the ids differ from agent to agent. */
function chooseOption(options: readonly Json[], isBypass: boolean): JsonObject {
  const kinds = isBypass ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const option = options.find((candidate) => textAt(candidate, 'kind') === kind);
    if (option !== undefined) return { outcome: 'selected', optionId: textAt(option, 'optionId') };
  }
  return { outcome: 'cancelled' };
}

function failTurn(error: JsonObject, turn: TurnRecorder): void {
  turn.fail(toSigns(error));
}

const GENERIC = /^internal error\W*/i;

function toSigns(error: JsonObject): FailureSigns {
  const data = objectAt(error, 'data');
  const code = numberAt(error, 'code');
  const detail = textAt(data, 'message') || textAt(data, 'details') || textAt(error, 'data');
  // JSON-RPC calls every failure so that has no code of its own; beside the agent's own words it says nothing.
  const message = textAt(error, 'message').replace(GENERIC, '') || (detail === '' ? textAt(error, 'message') : '');
  const told = code !== null && code >= 400 && code < 600 ? code : null;
  const httpStatus = numberAt(data, 'httpStatus') ?? numberAt(data, 'statusCode') ?? told ?? findStatus(detail);
  return {
    message: detail === '' || message.includes(detail) ? message : [message, detail].filter((text) => text !== '').join(': '),
    httpStatus,
  };
}

/**
 * Copilot tells what went wrong as one piece of text and then ends its turn as if it were done; only the usage is missing then.
 * Empty for everything else.
 */
function findToldError(agentName: string, lastChunk: string, result: JsonObject): string {
  const isTold = agentName === 'Copilot' && result['usage'] === undefined && lastChunk.startsWith('Error: ');
  return isTold ? lastChunk.slice('Error: '.length) : '';
}

function judgeStop(reason: string, turn: TurnRecorder): void {
  if (reason === 'max_tokens') turn.warn("the answer was cut at the model's output limit");
  if (reason === 'end_turn' || reason === 'max_tokens') return turn.succeed();
  turn.fail({ message: `the agent stopped: ${reason.replace(/_/g, ' ') || 'no reason given'}`, class: 'agent' });
}

function toServer({ name, command, args }: ToolServer): JsonObject {
  return { name, command, args, env: [] };
}
