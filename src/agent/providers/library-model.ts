import type { LanguageModelUsage, ToolSet } from 'ai';
import { isJsonObject, type Json, type JsonObject, type Usage } from '../../core/index.ts';
import type { AssistantPart, FinishReason, Model, ModelDelta, ModelRequest, ModelStep } from '../../ports/index.ts';
import { classifyError } from './classify-error.ts';
import { type LoadedModel, loadLibrary } from './load-library.ts';
import { PROVIDERS, type ProviderSettings } from './provider-kind.ts';
import { toLibraryMessages } from './to-library-messages.ts';

/** Where keeping what was read begins to count: the provider's own way to say so. */
const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/**
 * A model of a provider, over the library `ai`, used for one answer at a time: tools are declared and never run by it, nothing is retried by it.
 *
 * @throws RalphError `native-key`, `native-packages`
 */
export async function createLibraryModel(settings: ProviderSettings, env: Readonly<Record<string, string>>): Promise<Model> {
  const loaded = await loadLibrary(settings, env);
  const facts = PROVIDERS[settings.kind];
  const form = { mark: facts.takesCacheMarks ? MARK : undefined, needsLooseTools: facts.needsLooseTools };
  const giveTools = remember((request) => toTools(loaded.ai, request, form));
  return {
    label: `${settings.kind}/${settings.model}`,
    step: async (request, observe, signal) => {
      try {
        return await stepOnce(loaded, settings, { request, observe, signal, giveTools });
      } catch (error) {
        return { ok: false, failure: classifyError(error, { isAborted: signal.aborted, now: Date.now() }) };
      }
    },
  };
}

interface Asking {
  readonly request: ModelRequest;
  readonly observe: (delta: ModelDelta) => void;
  readonly signal: AbortSignal;
  readonly giveTools: (request: ModelRequest) => ToolSet;
}

/** The tools of a turn stay: they are made again only where they or their mark differ. */
function remember(make: (request: ModelRequest) => ToolSet): (request: ModelRequest) => ToolSet {
  let last: { readonly tools: ModelRequest['tools']; readonly isMarked: boolean; readonly made: ToolSet } | undefined;
  return (request) => {
    const { tools, cache } = request;
    if (last === undefined || last.tools !== tools || last.isMarked !== cache.tools)
      last = { tools, isMarked: cache.tools, made: make(request) };
    return last.made;
  };
}

async function stepOnce({ ai, model }: LoadedModel, settings: ProviderSettings, asking: Asking): Promise<ModelStep> {
  const { request, observe, signal, giveTools } = asking;
  const { optionsName, toOptions, takesCacheMarks } = PROVIDERS[settings.kind];
  const { system, messages, maxOutputTokens, cache } = request;
  const mark = takesCacheMarks ? MARK : undefined;
  const result = ai.streamText({
    model,
    system: { role: 'system', content: system, ...(mark !== undefined && cache.system ? { providerOptions: mark } : {}) },
    messages: [...toLibraryMessages(messages, cache.messages, mark)],
    ...(request.tools.length === 0 ? {} : { tools: giveTools(request) }),
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    maxRetries: 0,
    abortSignal: signal,
    providerOptions: { [optionsName]: { ...toOptions(settings.effort) } } as NonNullable<
      Parameters<typeof ai.streamText>[0]['providerOptions']
    >,
    // Told by the stream itself; without this it goes to the terminal.
    onError: () => undefined,
  });
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') observe({ type: 'text', text: part.text });
    else if (part.type === 'reasoning-delta') observe({ type: 'thinking', text: part.text });
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') return { ok: false, failure: { class: 'aborted', message: 'stopped' } };
  }
  const step = (await result.steps).at(-1);
  if (step === undefined) throw new Error('the answer was empty');
  const { response, finishReason, rawFinishReason } = step;
  return {
    ok: true,
    message: { role: 'assistant', parts: withOwnIds(step.content.flatMap(toPart)) },
    finish: toFinish(finishReason, rawFinishReason),
    usage: toUsage(step.usage),
    responseId: response.id ?? null,
    model: response.modelId ?? null,
  };
}

interface ToolForm {
  readonly mark: typeof MARK | undefined;
  readonly needsLooseTools: boolean;
}

/** The tools as the library takes them. */
function toTools(ai: LoadedModel['ai'], { tools, cache }: ModelRequest, { mark, needsLooseTools }: ToolForm): ToolSet {
  const loose = needsLooseTools ? { strict: false } : {};
  const entries = tools.map(({ name, description, parameters }, index) => {
    const marked = mark !== undefined && cache.tools && index === tools.length - 1 ? { providerOptions: mark } : {};
    return [name, ai.tool({ description, inputSchema: ai.jsonSchema(toMutable(parameters)), ...loose, ...marked })] as const;
  });
  return Object.fromEntries(entries) as ToolSet;
}

function toMutable(parameters: JsonObject): Record<string, never> {
  return structuredClone(parameters) as Record<string, never>;
}

type ContentPart = Awaited<ReturnType<LoadedModel['ai']['streamText']>['content']>[number];

/** A part of an answer; what we cannot give back (sources, files) is left out. */
function toPart(part: ContentPart): AssistantPart[] {
  if (part.type === 'text') return [withOpaque({ type: 'text', text: part.text }, part.providerMetadata)];
  if (part.type === 'reasoning') return [withOpaque({ type: 'thinking', text: part.text }, part.providerMetadata)];
  if (part.type !== 'tool-call') return [];
  const { toolCallId: id, toolName: name, input } = part;
  return [withOpaque({ type: 'tool-call', id, name, args: toJson(input) }, part.providerMetadata)];
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

function withOpaque<Part extends AssistantPart>(part: Part, metadata: unknown): Part {
  const opaque = metadata === undefined ? undefined : toJson(metadata);
  return isJsonObject(opaque) && Object.keys(opaque).length > 0 ? { ...part, opaque } : part;
}

/** A value of the library as JSON can carry it. */
function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}

function toFinish(reason: string, raw: string | undefined): FinishReason {
  if (reason === 'content-filter' || raw === 'refusal') return 'refusal';
  return reason === 'stop' || reason === 'tool-calls' || reason === 'length' ? reason : 'other';
}

function toUsage({ inputTokens, outputTokens, inputTokenDetails: details }: LanguageModelUsage): Usage {
  const read = details.cacheReadTokens ?? null;
  const write = details.cacheWriteTokens ?? null;
  const plain = details.noCacheTokens ?? (inputTokens === undefined ? null : inputTokens - (read ?? 0) - (write ?? 0));
  return { inputTokens: plain, outputTokens: outputTokens ?? null, cacheReadTokens: read, cacheWriteTokens: write, costUsd: null };
}
