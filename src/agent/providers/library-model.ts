import type { Usage } from '../../core/backends/usage.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../core/values/json.ts';
import type {
  AssistantPart,
  FinishReason,
  Model,
  ModelDelta,
  ModelFailure,
  ModelFile,
  ModelMessage,
  ModelRequest,
  ModelStep,
} from '../../ports/model.ts';
import { classifyError } from './classify-error.ts';
import { type LibraryPiece, type LibraryRequest, loadLibrary } from './load-library.ts';
import { listKeyEnvs, PROVIDERS, type ProviderSettings } from './provider-kind.ts';

/**
 * A model of a provider, over the package that speaks its wire format: nothing is retried by it, and it runs no tool.
 *
 * @throws RalphError `native-key`, `native-packages`
 */
export async function createLibraryModel(settings: ProviderSettings, env: Readonly<Record<string, string>>): Promise<Model> {
  let heard = (): void => undefined;
  const model = await loadLibrary(settings, env, () => heard());
  return {
    label: `${settings.kind}/${settings.model}`,
    takes: PROVIDERS[settings.kind].takes,
    step: async (request, observe, signal) => {
      let isOpen = true;
      heard = () => (isOpen ? observe({ type: 'alive' }) : undefined);
      try {
        const { stream } = await model.doStream(toLibraryRequest(request, settings, signal));
        return await gatherAnswer(stream, observe);
      } catch (error) {
        return { ok: false, failure: explainFailure(classifyError(error, { isAborted: signal.aborted, now: Date.now() }), settings) };
      } finally {
        isOpen = false;
      }
    },
  };
}

/** Says to what a person has set the failure may be due. */
function explainFailure(failure: ModelFailure, settings: ProviderSettings): ModelFailure {
  const { kind, model, baseUrl } = settings;
  const at = baseUrl === undefined ? kind : `${kind} at ${baseUrl}`;
  if (failure.class === 'auth') {
    const names = listKeyEnvs(settings);
    const advice =
      names.length === 0
        ? 'no key is sent there: name its variable as api_key_env'
        : `see whether the key in ${names.join(' or ')} is right`;
    return { ...failure, message: `${failure.message} (${at}; ${advice})` };
  }
  if (failure.message.startsWith('Cannot connect')) return { ...failure, message: `${failure.message} (${at})` };
  if (!failure.message.startsWith('HTTP 404')) return failure;
  return { ...failure, message: `${failure.message} (${at}; see whether there is a model ${model}, and whether base_url is right)` };
}

type LibraryMessage = LibraryRequest['prompt'][number];
type AssistantContent = Extract<LibraryMessage, { role: 'assistant' }>['content'];
type ToolOutput = Extract<Extract<LibraryMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output'];
type LibraryTools = NonNullable<LibraryRequest['tools']>;
type Options = NonNullable<LibraryRequest['providerOptions']>;

/** What says behind what a provider keeps what it has read; nothing where it takes no such marks. */
type Mark = { readonly providerOptions?: Options };

const MARK: Mark = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

/** One request of ours as the packages of the providers take it. */
function toLibraryRequest(request: ModelRequest, settings: ProviderSettings, signal: AbortSignal): LibraryRequest {
  const { kind } = settings;
  const { optionsName, toOptions, takesCacheMarks, needsLooseTools } = PROVIDERS[kind];
  const { system, messages, tools, cache } = request;
  const maxOutputTokens = request.maxOutputTokens ?? findLongestAnswer(settings);
  const toMark = (isMarked: boolean): Mark => (takesCacheMarks && isMarked ? MARK : {});
  return {
    prompt: [
      { role: 'system', content: system, ...toMark(cache.system) },
      ...messages.map((message, index) =>
        toMessage(message, toMark(cache.messages.includes(index)), isSystemMessage(messages, index, settings)),
      ),
    ],
    ...(tools.length === 0 ? {} : { tools: toTools(tools, toMark(cache.tools), needsLooseTools), toolChoice: { type: 'auto' } }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    abortSignal: signal,
    providerOptions: { [optionsName]: toOptions(settings) } as Options,
  };
}

/** Anthropic wants such a message between what we say and the answer: one that more of ours follows is given as the user's, as it is where it is not taken. */
function isSystemMessage(messages: readonly ModelMessage[], index: number, { kind, model }: ProviderSettings): boolean {
  const message = messages[index];
  if (message?.role !== 'user' || message.isSystem !== true || !PROVIDERS[kind].takesSystemMessages(model)) return false;
  return index > 0 && messages[index - 1]?.role !== 'assistant' && (messages[index + 1]?.role ?? 'assistant') === 'assistant';
}

/** Of a model that is no Claude, on the wire of Anthropic, where a figure has to be sent: the package would take 4,096. */
const FOREIGN_ANSWER_TOKENS = 32_000;

/** `null` where the package or the provider knows it best. */
function findLongestAnswer({ kind, model }: ProviderSettings): number | null {
  return kind === 'anthropic' && !model.includes('claude-') ? FOREIGN_ANSWER_TOKENS : null;
}

function toTools(tools: ModelRequest['tools'], mark: Mark, isLoose: boolean): LibraryTools {
  return tools.map(({ name, description, parameters }, index) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters as Extract<LibraryTools[number], { type: 'function' }>['inputSchema'],
    ...(isLoose ? { strict: false } : {}),
    ...(index === tools.length - 1 ? mark : {}),
  }));
}

function toMessage(message: ModelMessage, mark: Mark, isSystem: boolean): LibraryMessage {
  if (message.role === 'user' && isSystem) return { role: 'system', content: message.text, ...mark };
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text, ...mark }] };
  if (message.role === 'assistant') return { role: 'assistant', content: message.parts.flatMap(toContent) };
  const content = message.results.map(({ id, name, text, isError, file }, index) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: file === undefined ? { type: isError ? ('error-text' as const) : ('text' as const), value: text } : toShownOutput(text, file),
    ...(index === message.results.length - 1 ? mark : {}),
  }));
  return { role: 'tool', content };
}

function toShownOutput(text: string, { mediaType, data }: ModelFile): ToolOutput {
  const type = mediaType.startsWith('image/') ? ('image-data' as const) : ('file-data' as const);
  return {
    type: 'content',
    value: [
      { type: 'text', text },
      { type, mediaType, data },
    ],
  };
}

/** Text of nothing but white space is refused by providers, unless it carries something of theirs. */
function toContent(part: AssistantPart): AssistantContent {
  const options = part.opaque === undefined ? {} : { providerOptions: toOptions(part.opaque) };
  if (part.type === 'text')
    return part.text.trim() === '' && part.opaque === undefined ? [] : [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'thinking') return [{ type: 'reasoning', text: part.text, ...options }];
  const input = isJsonObject(part.args) ? part.args : {};
  return [{ type: 'tool-call', toolCallId: part.id, toolName: part.name, input, ...options }];
}

/** What a provider gave is given back unchanged. */
function toOptions(opaque: JsonObject): Options {
  return opaque as Options;
}

type Answer = Extract<ModelStep, { ok: true }>;
type Finish = Extract<LibraryPiece, { type: 'finish' }>;
type SpokenPart = Extract<AssistantPart, { type: 'text' | 'thinking' }>;

/**
 * Puts the pieces of one streamed answer together, and tells its words as they come. What cannot be given back (sources, files) is left out.
 *
 * @throws what the provider reports in the midst of the stream, and where the answer ends without its end
 */
async function gatherAnswer(stream: AsyncIterable<LibraryPiece>, observe: (delta: ModelDelta) => void): Promise<Answer> {
  const parts: AssistantPart[] = [];
  /** Places of the words that are being said, by their kind and the provider's id. */
  const open = new Map<string, number>();
  let about: { readonly id?: string | undefined; readonly modelId?: string | undefined } = {};
  let finish: Finish | undefined;
  for await (const piece of stream) {
    const words = toWords(piece);
    if (words !== null) {
      const place = open.get(words.key) ?? parts.push({ type: words.type, text: '' }) - 1;
      open.set(words.key, place);
      const said = parts[place] as SpokenPart;
      parts[place] = withOpaque({ ...said, text: said.text + words.text }, words.metadata);
      if (words.text !== '') observe({ type: words.type, text: words.text });
    } else if (piece.type === 'tool-call') parts.push(toCall(piece));
    else if (piece.type === 'response-metadata') about = piece;
    else if (piece.type === 'finish') finish = piece;
    else if (piece.type === 'error') throw piece.error;
  }
  if (finish === undefined || hasNoEnd(finish)) throw new Error('terminated: the answer broke off before its end');
  const message = { role: 'assistant' as const, parts: withOwnIds(parts) };
  const responseId = about.id ?? null;
  return { ok: true, message, finish: toFinish(finish), usage: toUsage(finish), responseId, model: about.modelId ?? null };
}

/** Packages make an end where the stream has none, or where the provider gave up: without the provider's word for it. */
function hasNoEnd({ finishReason: { unified, raw } }: Finish): boolean {
  return unified === 'error' || (unified === 'other' && raw === undefined);
}

interface Said {
  readonly type: SpokenPart['type'];
  readonly key: string;
  readonly text: string;
  readonly metadata: unknown;
}

/** What a piece adds to a text or to a thought; `null` for any other. */
function toWords(piece: LibraryPiece): Said | null {
  const { type } = piece;
  if (type === 'text-start' || type === 'text-delta' || type === 'text-end')
    return { type: 'text', key: `text ${piece.id}`, text: 'delta' in piece ? piece.delta : '', metadata: piece.providerMetadata };
  if (type === 'reasoning-start' || type === 'reasoning-delta' || type === 'reasoning-end')
    return { type: 'thinking', key: `thinking ${piece.id}`, text: 'delta' in piece ? piece.delta : '', metadata: piece.providerMetadata };
  return null;
}

/** Arguments that are no JSON object stay the text that they are, but for those that were written as JSON within JSON. */
function toCall({ toolCallId, toolName, input, providerMetadata }: Extract<LibraryPiece, { type: 'tool-call' }>): AssistantPart {
  const args = input.trim() === '' ? {} : readArguments(input);
  return withOpaque({ type: 'tool-call', id: toolCallId, name: toolName, args }, providerMetadata);
}

function readArguments(input: string): Json {
  const whole = parseJson(input);
  const args = typeof whole === 'string' ? parseJson(whole) : whole;
  return isJsonObject(args) ? args : input;
}

/** Some servers give two calls of an answer one id, or none: results could not be told apart. */
function withOwnIds(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const seen = new Set<string>();
  return parts.map((part, index) => {
    if (part.type !== 'tool-call') return part;
    const id = part.id === '' || seen.has(part.id) ? `${part.id || 'call'}_${index}` : part.id;
    seen.add(id);
    return { ...part, id };
  });
}

/** The newest word of the provider about a part counts. */
function withOpaque<Part extends AssistantPart>(part: Part, metadata: unknown): Part {
  const opaque = metadata === undefined ? undefined : (JSON.parse(JSON.stringify(metadata)) as Json);
  return isJsonObject(opaque) && Object.keys(opaque).length > 0 ? { ...part, opaque } : part;
}

function toFinish({ finishReason: { unified, raw } }: Finish): FinishReason {
  if (unified === 'content-filter' || raw === 'refusal') return 'refusal';
  return unified === 'stop' || unified === 'tool-calls' || unified === 'length' ? unified : 'other';
}

function toUsage({ usage: { inputTokens: input, outputTokens: output } }: Finish): Usage {
  const read = input.cacheRead ?? null;
  const write = input.cacheWrite ?? null;
  const plain = input.noCache ?? (input.total === undefined ? null : input.total - (read ?? 0) - (write ?? 0));
  return { inputTokens: plain, outputTokens: output.total ?? null, cacheReadTokens: read, cacheWriteTokens: write, costUsd: null };
}
