import type { Json, JsonObject } from '../../core/index.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-fields.ts';
import { createJsonTranslator } from '../json-translator.ts';
import type { Translator } from '../translator.ts';
import type { TurnRecorder } from '../turn-recorder.ts';
import { planSettings, type SessionSetting } from './settings.ts';
import { createUpdateReader } from './updates.ts';

/** What a conversation with an agent is about. */
export interface AcpTask {
  readonly prompt: string;
  /** Absolute path of the folder the agent works in. */
  readonly cwd: string;
  readonly model?: string | undefined;
  /** Whether the agent may do what it asks for; else it is refused, for there is nobody to ask. */
  readonly isBypass: boolean;
}

const PROTOCOL_VERSION = 1;
const METHOD_NOT_FOUND = -32601;

/**
 * Speaks the Agent Client Protocol (JSON-RPC, one message a line) for one prompt: initialize, new session, its mode and model, prompt.
 * No file or terminal abilities are offered: the agent uses its own tools. Requests that are not understood are answered with an error,
 * so that no agent waits for us.
 */
export function createAcpTranslator(task: AcpTask): Translator {
  const updates = createUpdateReader();
  const waiting = new Map<number, (message: JsonObject, turn: TurnRecorder) => void>();
  let outbox: string[] = [];
  let lastId = 0;
  let sessionId = '';

  const post = (message: JsonObject): void => void outbox.push(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const takeOutbox = (): readonly string[] => {
    const taken = outbox;
    outbox = [];
    return taken;
  };
  /** Sends a request; an error ends the turn unless `onError` takes it. */
  const ask = (
    method: string,
    params: JsonObject,
    onResult: (result: JsonObject, turn: TurnRecorder) => void,
    onError = failTurn,
  ): void => {
    lastId += 1;
    waiting.set(lastId, (message, turn) =>
      'error' in message ? onError(objectAt(message, 'error'), turn) : onResult(objectAt(message, 'result'), turn),
    );
    post({ id: lastId, method, params });
  };

  function startSession(): void {
    ask('session/new', { cwd: task.cwd, mcpServers: [] }, (session, turn) => {
      sessionId = textAt(session, 'sessionId');
      turn.session(sessionId, null);
      setUp(planSettings(session, { isBypass: task.isBypass, model: task.model }));
    });
  }

  function setUp([next, ...rest]: readonly SessionSetting[]): void {
    if (next === undefined) return sendPrompt();
    ask(
      next.method,
      next.params,
      () => setUp(rest),
      (error, turn) => {
        turn.warn(`the agent refused ${next.what}: ${textAt(error, 'message')}`);
        setUp(rest);
      },
    );
  }

  function sendPrompt(): void {
    ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: task.prompt }] }, (result, turn) => {
      turn.setUsage(updates.total(result));
      judgeStop(textAt(result, 'stopReason'), turn);
    });
  }

  function answer(id: Json, message: JsonObject): void {
    if (textAt(message, 'method') !== 'session/request_permission')
      return post({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
    post({ id, result: { outcome: chooseOption(listAt(objectAt(message, 'params'), 'options'), task.isBypass) } });
  }

  const stream = createJsonTranslator({
    read(message, turn) {
      const id = message['id'];
      if (typeof message['method'] !== 'string') {
        const settle = waiting.get(typeof id === 'number' ? id : Number.NaN);
        if (settle === undefined) return;
        waiting.delete(id as number);
        return settle(message, turn);
      }
      if (id !== undefined && id !== null) {
        turn.endMessage();
        return answer(id, message);
      }
      if (message['method'] === 'session/update') updates.read(objectAt(objectAt(message, 'params'), 'update'), turn);
    },
  });

  return {
    ...stream,
    dialogue: {
      open() {
        const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
        ask('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities }, startSession);
        return takeOutbox();
      },
      replies: takeOutbox,
      cancel() {
        if (sessionId !== '') post({ method: 'session/cancel', params: { sessionId } });
        return takeOutbox();
      },
    },
  };
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
  const data = objectAt(error, 'data');
  const code = numberAt(error, 'code');
  const httpStatus = numberAt(data, 'httpStatus') ?? (code !== null && code >= 400 && code < 600 ? code : null);
  const detail = textAt(data, 'message') || textAt(data, 'details') || textAt(error, 'data');
  const message = textAt(error, 'message');
  turn.fail({ message: detail === '' || message.includes(detail) ? message : `${message}: ${detail}`, httpStatus });
}

function judgeStop(reason: string, turn: TurnRecorder): void {
  if (reason === 'max_tokens') turn.warn("the answer was cut at the model's output limit");
  if (reason === 'end_turn' || reason === 'max_tokens') return turn.succeed();
  turn.fail({ message: `the agent stopped: ${reason.replace(/_/g, ' ') || 'no reason given'}`, class: 'agent' });
}
