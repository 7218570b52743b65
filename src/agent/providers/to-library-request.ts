import { isJsonObject, type JsonObject } from '../../core/index.ts';
import type { AssistantPart, ModelFile, ModelMessage, ModelRequest } from '../../ports/index.ts';
import type { LibraryRequest } from './load-library.ts';
import { PROVIDERS, type ProviderSettings } from './provider-kind.ts';

type LibraryMessage = LibraryRequest['prompt'][number];
type AssistantContent = Extract<LibraryMessage, { role: 'assistant' }>['content'];
type ToolOutput = Extract<Extract<LibraryMessage, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output'];
type Tools = NonNullable<LibraryRequest['tools']>;
type Options = NonNullable<LibraryRequest['providerOptions']>;

/** What says behind what a provider keeps what it has read; nothing where it takes no such marks. */
type Mark = { readonly providerOptions?: Options };

const MARK: Mark = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

/** One request of ours as the packages of the providers take it. */
export function toLibraryRequest(request: ModelRequest, settings: ProviderSettings, signal: AbortSignal): LibraryRequest {
  const { kind } = settings;
  const { optionsName, toOptions, takesCacheMarks, needsLooseTools } = PROVIDERS[kind];
  const { system, messages, tools, cache } = request;
  const maxOutputTokens = request.maxOutputTokens ?? findLongestAnswer(settings);
  const toMark = (isMarked: boolean): Mark => (takesCacheMarks && isMarked ? MARK : {});
  return {
    prompt: [
      { role: 'system', content: system, ...toMark(cache.system) },
      ...messages.map((message, index) => toMessage(message, toMark(cache.messages.includes(index)))),
    ],
    ...(tools.length === 0 ? {} : { tools: toTools(tools, toMark(cache.tools), needsLooseTools), toolChoice: { type: 'auto' } }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    abortSignal: signal,
    providerOptions: { [optionsName]: toOptions(settings) } as Options,
  };
}

/** Of a model that is no Claude, on the wire of Anthropic, where a figure has to be sent: the package would take 4,096. */
const FOREIGN_ANSWER_TOKENS = 32_000;

/** `null` where the package or the provider knows it best. */
function findLongestAnswer({ kind, model }: ProviderSettings): number | null {
  return kind === 'anthropic' && !model.includes('claude-') ? FOREIGN_ANSWER_TOKENS : null;
}

function toTools(tools: ModelRequest['tools'], mark: Mark, isLoose: boolean): Tools {
  return tools.map(({ name, description, parameters }, index) => ({
    type: 'function',
    name,
    description,
    inputSchema: parameters as Extract<Tools[number], { type: 'function' }>['inputSchema'],
    ...(isLoose ? { strict: false } : {}),
    ...(index === tools.length - 1 ? mark : {}),
  }));
}

function toMessage(message: ModelMessage, mark: Mark): LibraryMessage {
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
