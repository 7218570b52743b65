import { isJsonObject, type Json, parseJson, type Usage } from '../../core/index.ts';
import type { AssistantPart, FinishReason, ModelDelta, ModelStep } from '../../ports/index.ts';
import type { LibraryPiece } from './load-library.ts';

type Answer = Extract<ModelStep, { ok: true }>;
type Finish = Extract<LibraryPiece, { type: 'finish' }>;
type Words = Extract<AssistantPart, { type: 'text' | 'thinking' }>;

/**
 * Puts the pieces of one streamed answer together, and tells its words as they come. What cannot be given back (sources, files) is left out.
 *
 * @throws what the provider reports in the midst of the stream, and where the answer ends without its end
 */
export async function gatherAnswer(stream: AsyncIterable<LibraryPiece>, observe: (delta: ModelDelta) => void): Promise<Answer> {
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
      const said = parts[place] as Words;
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
  readonly type: Words['type'];
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
