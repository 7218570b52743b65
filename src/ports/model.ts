import type { Usage } from '../core/backends/usage.ts';
import type { Json, JsonObject } from '../core/values/json.ts';

/**
 * A language model that answers one request at a time; the native agent's loop is around it.
 *
 * Contract: `step` never rejects: what goes wrong is a value. It ends soon after `signal` aborts, as a failure of class `aborted`. `observe` hears
 * text and thinking while they arrive, each character once and in order, each sign that the model still works (`alive`), and nothing after `step` has settled. Tools are offered, never run.
 */
export interface Model {
  /** For people: `anthropic/claude-sonnet-4-5`. */
  readonly label: string;
  /** Media types of the files that it can be shown in results of tools. Absent: none. */
  readonly takes?: readonly string[];
  readonly step: (request: ModelRequest, observe: (delta: ModelDelta) => void, signal: AbortSignal) => Promise<ModelStep>;
}

/** Everything that one call of a model is given. Plain JSON. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** In an order that stays the same from call to call, so that the provider's cache is used. */
  readonly tools: readonly ModelTool[];
  /** `null`: as the provider does it. */
  readonly maxOutputTokens: number | null;
  readonly cache: CacheMarks;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; an object. */
  readonly parameters: JsonObject;
}

/** Up to where a provider with explicit marks may keep what it has read. */
export interface CacheMarks {
  readonly system: boolean;
  /** After the last tool. */
  readonly tools: boolean;
  /** After these messages, by index. */
  readonly messages: readonly number[];
}

/** A conversation is a list of these. Every tool call is answered by the message right behind it. */
export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: 'user';
  readonly text: string;
  /** A hook or Ralph says it with the authority of the system: given so where the model takes that behind results, else as the user's. Never words of strangers. */
  readonly isSystem?: true;
}

/** What the model said, its parts in their order. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly parts: readonly AssistantPart[];
}

/** `opaque` is the provider's own (signatures, ids of items): kept as it is, and given back to the same provider only. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly opaque?: JsonObject }
  | { readonly type: 'thinking'; readonly text: string; readonly opaque?: JsonObject }
  | ToolCallPart;

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  /** As the model wrote them, unchecked; a text where they were no JSON. */
  readonly args: Json;
  readonly opaque?: JsonObject;
}

/** The results of one assistant message, in the order of its calls. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly results: readonly ToolAnswer[];
}

export interface ToolAnswer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
  /** What the text is about, for a model that takes it. */
  readonly file?: ModelFile;
  /** What hooks say behind it; what a model is sent has them within the text. */
  readonly notes?: readonly string[];
}

export interface ModelFile {
  /** `image/png` */
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** `alive`: something came over the line, whatever it was; also while there are words. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'alive' };

export type ModelStep =
  | {
      readonly ok: true;
      readonly message: AssistantMessage;
      readonly finish: FinishReason;
      /** `costUsd` is always `null`: prices are the caller's. */
      readonly usage: Usage;
      /** The provider's name for the answer, and the model that gave it, where it told them. */
      readonly responseId: string | null;
      readonly model: string | null;
    }
  | { readonly ok: false; readonly failure: ModelFailure };

/** `stop`: it is done; `refusal`: a filter or the model's own rules; `length`: cut at the most output tokens. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'refusal' | 'other';

export interface ModelFailure {
  /**
   * `transient`: another try in a moment may do. `limit`: a quota is used up. `auth`: no key, or refused. `context-overflow`: the request is too long.
   * `bad-request`: the provider does not take it. `setup`: a package or a setting is missing. `aborted`: the signal.
   */
  readonly class: 'transient' | 'limit' | 'auth' | 'context-overflow' | 'bad-request' | 'setup' | 'aborted' | 'other';
  /** One line for a person, without secrets. */
  readonly message: string;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number;
  /** It was asked again already, as often as may be. */
  readonly wasRetried?: true;
}
