import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { FailureSigns } from '../../core/run/turn.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts';
import type { SpokenWords } from '../../ports/people.ts';
import type { ToolServer } from '../../ports/program.ts';
import { findStatus } from '../stream/classify-failure.ts';
import { createJsonTranslator, type JsonStream, type StreamRecorder } from '../stream/json-translator.ts';
import { listAt, numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, withoutCached } from '../stream/read-fields.ts';
import { toSpokenMessage } from '../stream/spoken-words.ts';
import type { Dialogue, Translator } from '../stream/translator.ts';

/** Translates what an agent says over the Agent Client Protocol, and provides Ralph's side of the dialogue. */
export function createAcpTranslator(task: AcpTask): Translator {
  const conversation = new AcpConversation(task);
  return { ...createJsonTranslator(conversation), dialogue: conversation };
}

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

interface ResponseHandlers {
  readonly onResult: (result: JsonObject, turn: StreamRecorder) => void;
  readonly onError: (error: JsonObject, turn: StreamRecorder) => void;
}

/** Updates that say that the model is at work on what it was asked. */
const ANSWERS = ['agent_message_chunk', 'agent_thought_chunk', 'tool_call'];

/**
 * Our side of the Agent Client Protocol (JSON-RPC, one message a line) for one turn: initialize, new session, its mode and model,
 * prompt, and one more prompt if people said something before it had answered: the protocol cannot interrupt an answer. No file or terminal
 * abilities are offered: the agent uses its own tools. Unknown requests are answered with an error, so that no agent waits for us.
 */
class AcpConversation implements JsonStream, Dialogue {
  readonly #task: AcpTask;
  readonly #updates = createUpdateReader();
  readonly #asked = new Map<Json, ResponseHandlers>();
  #outbox: string[] = [];
  #lastId = 0;
  #sessionId = '';
  #agentName = '';
  #isAnswering = false;
  #isCancelled = false;
  /** What people said and the agent was not sent yet. */
  readonly #waiting: SpokenWords[] = [];
  /** What the agent was sent and has not begun to answer. */
  #sent: readonly SpokenWords[] = [];
  #prompts = 0;

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

  tell(words: SpokenWords): readonly string[] {
    this.#waiting.push(words);
    return [];
  }

  cancel(): readonly string[] {
    this.#isCancelled = true;
    if (this.#sessionId !== '') this.#post({ method: 'session/cancel', params: { sessionId: this.#sessionId } });
    return this.replies();
  }

  read(message: JsonObject, turn: StreamRecorder): void {
    const { id, method } = message;
    if (typeof method !== 'string') this.#settle(message, turn);
    else if (id !== undefined && id !== null) {
      turn.endMessage();
      this.#answer(id, method, objectAt(message, 'params'));
    } else if (method === 'session/update' && this.#isAnswering) this.#takeUpdate(objectAt(objectAt(message, 'params'), 'update'), turn);
  }

  #takeUpdate(update: JsonObject, turn: StreamRecorder): void {
    if (ANSWERS.includes(textAt(update, 'sessionUpdate'))) this.#tellHeard(turn);
    this.#updates.read(update, turn);
  }

  #tellHeard(turn: StreamRecorder): void {
    if (this.#sent.length > 0) turn.injected(this.#sent.map(({ id }) => id));
    this.#sent = [];
  }

  #settle(message: JsonObject, turn: StreamRecorder): void {
    const id = message['id'] ?? null;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
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
    if (next === undefined) return this.#sendPrompt(this.#task.prompt);
    const goOn = (): void => this.#setUp(rest);
    this.#ask(next.method, next.params, goOn, (error, turn) => {
      turn.warn(`the agent refused ${next.what}: ${textAt(error, 'message')}`);
      goOn();
    });
  }

  #sendPrompt(text: string): void {
    // Earlier updates, about modes and commands, are not an answer.
    this.#isAnswering = true;
    this.#prompts += 1;
    const prompt = [{ type: 'text', text }];
    this.#ask('session/prompt', { sessionId: this.#sessionId, prompt }, (result, turn) => {
      this.#tellHeard(turn);
      const usage = this.#updates.total(result);
      // opencode tells the tokens of its last call, and the cost of all: more than one call leaves the tokens unknown.
      const isPartial = this.#agentName === 'OpenCode' && turn.toolCalls + this.#prompts > 1;
      turn.setUsage(isPartial ? { ...UNKNOWN_USAGE, costUsd: usage.costUsd } : usage);
      const error = findToldError(this.#agentName, this.#updates.lastChunk(), result);
      if (error !== '') return turn.fail({ message: error });
      const reason = textAt(result, 'stopReason');
      if (this.#waiting.length === 0 || this.#isCancelled || reason !== 'end_turn') return judgeStop(reason, turn);
      turn.endMessage();
      this.#sent = this.#waiting.splice(0);
      this.#sendPrompt(this.#sent.map(toSpokenMessage).join('\n\n'));
    });
  }

  #answer(id: Json, method: string, params: JsonObject): void {
    if (method !== 'session/request_permission') return this.#post({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
    this.#post({ id, result: { outcome: chooseOption(listAt(params, 'options'), this.#task.isBypass) } });
  }

  /** Sends a request. An error ends the turn unless it is taken care of. */
  #ask(method: string, params: JsonObject, onResult: ResponseHandlers['onResult'], onError: ResponseHandlers['onError'] = failTurn): void {
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

function failTurn(error: JsonObject, turn: StreamRecorder): void {
  turn.fail(toSigns(error));
}

const GENERIC = /^internal error\W*/i;

function toSigns(error: JsonObject): FailureSigns {
  const data = objectAt(error, 'data');
  const code = numberAt(error, 'code');
  const detail = textAt(data, 'message') || textAt(data, 'details') || textAt(error, 'data');
  // JSON-RPC's name for any failure without a code of its own: it adds nothing to the agent's own words.
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

function judgeStop(reason: string, turn: StreamRecorder): void {
  if (reason === 'max_tokens') turn.warn("the answer was cut at the model's output limit");
  if (reason === 'end_turn' || reason === 'max_tokens') return turn.succeed();
  turn.fail({ message: `the agent stopped: ${reason.replace(/_/g, ' ') || 'no reason given'}`, class: 'agent' });
}

function toServer({ name, command, args }: ToolServer): JsonObject {
  return { name, command, args, env: [] };
}

/** A request that sets a session up, and what it is for. */
interface SessionSetting {
  readonly method: 'session/set_mode' | 'session/set_model' | 'session/set_config_option';
  readonly params: JsonObject;
  readonly what: string;
}

/** Names under which agents offer a mode in which nobody is asked. */
const BYPASS_MODES = ['full-access', 'agent-full-access', 'bypassPermissions', 'yolo'];

/** What has to be set in a new session: the mode in which nobody is asked, where the agent offers one, and the model. */
function planSettings(session: JsonObject, { isBypass, model }: AcpTask): readonly SessionSetting[] {
  const mode = isBypass ? planMode(session) : [];
  return model === undefined ? mode : [...mode, planModel(session, model)];
}

function planMode(session: JsonObject): readonly SessionSetting[] {
  const sessionId = textAt(session, 'sessionId');
  const modes = objectAt(session, 'modes');
  const modeId = BYPASS_MODES.find((id) => listAt(modes, 'availableModes').some((mode) => textAt(mode, 'id') === id));
  if (modeId !== undefined) {
    return textAt(modes, 'currentModeId') === modeId
      ? []
      : [{ method: 'session/set_mode', params: { sessionId, modeId }, what: `the mode ${modeId}` }];
  }
  const option = findOption(session, 'mode');
  const value = BYPASS_MODES.find((id) => listAt(option, 'options').some((entry) => textAt(entry, 'value') === id));
  if (value === undefined || textAt(option, 'currentValue') === value) return [];
  return [{ method: 'session/set_config_option', params: { sessionId, configId: textAt(option, 'id'), value }, what: `the mode ${value}` }];
}

function planModel(session: JsonObject, model: string): SessionSetting {
  const sessionId = textAt(session, 'sessionId');
  const option = findOption(session, 'model');
  if (textAt(option, 'id') !== '') {
    return {
      method: 'session/set_config_option',
      params: { sessionId, configId: textAt(option, 'id'), value: model },
      what: `the model ${model}`,
    };
  }
  return { method: 'session/set_model', params: { sessionId, modelId: model }, what: `the model ${model}` };
}

function findOption(session: JsonObject, category: string): JsonObject {
  const found = listAt(session, 'configOptions').find((option) => textAt(option, 'category') === category);
  return isJsonObject(found) ? found : {};
}

/** Reads `session/update` notifications, and remembers what they told of usage. */
interface UpdateReader {
  read(update: JsonObject, turn: StreamRecorder): void;
  /** The last piece of text, as it came. */
  lastChunk(): string;
  /** The usage of the session so far, from the result of a prompt and what came before it; asked once for each prompt. */
  total(result: JsonObject): Usage;
}

function createUpdateReader(): UpdateReader {
  const openTools = new Set<string>();
  let chunkUsage: Usage = UNKNOWN_USAGE;
  let quota: Usage = UNKNOWN_USAGE;
  let costUsd: number | null = null;
  let lastChunk = '';

  function startTool(update: JsonObject, turn: StreamRecorder): void {
    const id = textAt(update, 'toolCallId');
    if (openTools.has(id)) return;
    openTools.add(id);
    turn.endMessage();
    const name = textAt(objectAt(update, '_meta'), 'toolName') || textAt(update, 'kind') || 'tool';
    turn.toolStart(id, name, toInputSummary(update['rawInput']) || toOneLine(textAt(update, 'title')));
  }

  function endTool(update: JsonObject, turn: StreamRecorder): void {
    const status = textAt(update, 'status');
    if (status !== 'completed' && status !== 'failed') return;
    // Where a permission was asked for, some agents never told of the call itself.
    startTool(update, turn);
    openTools.delete(textAt(update, 'toolCallId'));
    turn.toolEnd(textAt(update, 'toolCallId'), status === 'completed', toContentSummary(update));
  }

  return {
    read(update, turn) {
      const kind = textAt(update, 'sessionUpdate');
      const text = textAt(objectAt(update, 'content'), 'text');
      if (kind === 'agent_message_chunk') {
        if (text !== '') lastChunk = text;
        turn.delta(text, textAt(update, 'messageId') || undefined);
        chunkUsage = addUsage(chunkUsage, toFigures(objectAt(objectAt(update, '_meta'), 'usage')));
      }
      if (kind === 'agent_thought_chunk') turn.thinking(text);
      if (kind === 'tool_call') startTool(update, turn);
      if (kind === 'tool_call' || kind === 'tool_call_update') endTool(update, turn);
      if (kind === 'usage_update') costUsd = toCostUsd(objectAt(update, 'cost')) ?? costUsd;
    },
    lastChunk: () => lastChunk,
    total: (result) => {
      // `usage` is told for the session, as by copilot; the quota of gemini and what comes with chunks is that of one prompt.
      quota = addUsage(quota, toQuota(result));
      return withCost(firstKnown(toFigures(objectAt(result, 'usage')), quota, chunkUsage), costUsd);
    },
  };
}

/**
 * Agents differ in whether input tokens include the cached ones; the total tells: where input and output alone make it up, they do.
 */
function toFigures(usage: JsonObject): Usage {
  const input = numberAt(usage, 'inputTokens');
  const output = numberAt(usage, 'outputTokens');
  const cacheRead = numberAt(usage, 'cachedReadTokens');
  const total = numberAt(usage, 'totalTokens');
  const isCachedIncluded = total !== null && total <= (input ?? 0) + (output ?? 0) + (numberAt(usage, 'thoughtTokens') ?? 0);
  return toUsage({
    input: isCachedIncluded ? withoutCached(input, cacheRead) : input,
    output,
    cacheRead,
    cacheWrite: numberAt(usage, 'cachedWriteTokens'),
  });
}

function toQuota(result: JsonObject): Usage {
  const count = objectAt(objectAt(objectAt(result, '_meta'), 'quota'), 'token_count');
  const cacheRead = numberAt(count, 'cached_input_tokens');
  return toUsage({ input: withoutCached(numberAt(count, 'input_tokens'), cacheRead), output: numberAt(count, 'output_tokens'), cacheRead });
}

function firstKnown(...usages: readonly Usage[]): Usage {
  return usages.find((usage) => usage.inputTokens !== null || usage.outputTokens !== null) ?? UNKNOWN_USAGE;
}

function withCost(usage: Usage, costUsd: number | null): Usage {
  const { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = usage;
  return toUsage({ input, output, cacheRead, cacheWrite, costUsd });
}

function toCostUsd(cost: JsonObject): number | null {
  return textAt(cost, 'currency') === 'USD' ? numberAt(cost, 'amount') : null;
}

function toContentSummary(update: JsonObject): string {
  const texts = listAt(update, 'content')
    .map((part: Json) => textAt(objectAt(part, 'content'), 'text'))
    .filter((text) => text !== '');
  if (texts.length > 0) return toOneLine(texts.join(' '));
  const output = objectAt(update, 'rawOutput');
  return toOutputSummary(output['output'] ?? output['content'] ?? '');
}
