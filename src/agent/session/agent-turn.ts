import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { NativeSpec } from '../../core/backends/backend-spec.ts';
import { UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { HookMessage, HookRun } from '../../core/hooks/hook-moments.ts';
import type { TurnFailure } from '../../core/run/turn.ts';
import type { Json } from '../../core/values/json.ts';
import type { FinishReason, Model, ModelMessage, ModelTool, ToolAnswer, ToolCallPart } from '../../ports/model.ts';
import type { SpokenWords } from '../../ports/people.ts';
import type { CallOutcome, ReadRecord, ToolReport } from '../tool/tool.ts';

export interface AgentTurn {
  readonly model: Model;
  readonly tools: ToolBox;
  readonly transcript: Transcript;
  readonly limits: AgentLimits;
  readonly system: string;
  /** The turn's own prompt. */
  readonly prompt: string;
  readonly signal: AbortSignal;
  /** What people say while it works. */
  readonly words: TurnWords;
  readonly tell: (event: BackendEvent) => void;
  /** US dollars; `null` where the model or its tokens are not known. */
  readonly priceOf: (usage: Usage, model: string | null) => number | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after that time, or at once when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What people say to a turn that runs, until its agent has it. */
export interface TurnWords {
  readonly put: (words: SpokenWords) => void;
  /** All that waits, in order; it waits no more. */
  readonly take: () => readonly SpokenWords[];
  /** The turn is to end behind the step that is under way. */
  readonly finish: () => void;
  readonly isFinished: () => boolean;
}

export interface TurnState {
  messages: ModelMessage[];
  /** Of the whole turn; `costUsd` by the price table. */
  usage: Usage;
  /** Calls of the model that were answered. */
  steps: number;
  toolCalls: number;
  /** Topics of the events that its tools published. */
  readonly published: Set<string>;
  /** Whether it published by its words. */
  hasSignalled: boolean;
  /** Whether the agent has said anything. */
  hasSpoken: boolean;
  /** Tokens that the model had before it after its last answer, as the provider counted; `null` before the first. */
  contextTokens: number | null;
  /** Length of `messages` when `contextTokens` was told. */
  countedMessages: number;
  /** How often it was asked to go on without having called a tool. */
  nudges: number;
  /** What it was asked for is handed in: it ends behind the calls that are being made. */
  isDone: boolean;
  /** What hooks say to the model behind the results of the calls that are being made. */
  readonly hookMessages: HookMessage[];
  /** What the model can read at once, as far as it is known by now: less than was set where the provider has refused less. */
  roomTokens: number;
  /** Length of `messages` when a summary last took the place of their beginning; 0 before. */
  summarisedMessages: number;
  /** How long the conversation was that the provider has just refused as too long; `null` since it has answered. */
  refusedTokens: number | null;
}

export interface LoopEnd {
  readonly status: 'succeeded' | 'failed' | 'stopped';
  readonly failure: TurnFailure | null;
  /** A limit ended it in the midst of its work: whoever comes next is told what was done. */
  readonly isLimited?: boolean;
}

/** Where in a run a model is asked; a script finds its step by it. */
export interface ModelPlace {
  readonly hat: string;
  /** Turns of the hat before this one. */
  readonly turnsBefore: number;
  /** Steps of this turn that were taken before it was interrupted. */
  readonly stepsBefore: number;
  readonly env: Readonly<Record<string, string>>;
}

export function createTurnState(messages: readonly ModelMessage[]): TurnState {
  return {
    messages: [...messages],
    usage: UNKNOWN_USAGE,
    steps: 0,
    toolCalls: 0,
    published: new Set(),
    hasSignalled: false,
    hasSpoken: false,
    contextTokens: null,
    countedMessages: 0,
    nudges: 0,
    isDone: false,
    hookMessages: [],
    roomTokens: Number.POSITIVE_INFINITY,
    summarisedMessages: 0,
    refusedTokens: null,
  };
}

export interface AgentLimits extends Pick<NativeSpec, 'maxSteps' | 'maxCostUsd' | 'maxOutputTokens' | 'contextTokens'> {
  readonly retry: RetryLimits;
}

/** Tries of one call that fails in passing: `baseMs * 2^(n-1)` between them, at most `maxMs`. */
interface RetryLimits {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

export interface ToolBox {
  /** In the order in which they are offered. */
  readonly tools: readonly ModelTool[];
  /** Whether a tool that is offered changes nothing, by its hints; false for any other name. */
  readonly isReadOnly: (name: string) => boolean;
  /** Whether a call that was cut off may be made once more: it may be repeated, or is known to have done nothing. Never rejects. */
  readonly mayRepeat: (name: string, args: Json) => Promise<boolean>;
  /** What files were when they were read in this conversation, by real path. */
  readonly reads: Map<string, ReadRecord>;
  /** Never rejects. */
  readonly call: (name: string, args: Json, id?: string) => Promise<CallOutcome>;
  /** Asks the hooks about all calls of one answer, once; `null` where none is asked. Never rejects. */
  readonly afterAll: (calls: readonly ToolCallPart[], results: readonly ToolAnswer[]) => Promise<BatchOutcome | null>;
  /** Keeps a text in a file that the agent can read; the path as the agent should write it, `null` where it could not be kept. */
  readonly keep: (name: string, text: string) => Promise<string | null>;
  /** How the model is given what hooks say behind results. */
  readonly noteForm: NoteForm;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Where the agent works and what the project says to agents, for the system text; `now`: epoch milliseconds. Never rejects. */
  readonly describeProject: (now: number) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** How a model is given what hooks say behind the result of a tool. */
export interface NoteForm {
  /** `text`: behind the output, under a heading that no output can have. `json`: every result is an object with the output and the notes. */
  readonly kind: 'text' | 'json';
  /** In every such heading of this conversation; no tool can know it. */
  readonly nonce: string;
}

/** What hooks said about all calls of one answer. Its texts may be shown, sent and stored. */
export interface BatchOutcome {
  readonly hooks: readonly HookRun[];
  /** What goes behind the last result. */
  readonly notes: readonly string[];
  /** What they say to the model behind all results. */
  readonly messages: readonly HookMessage[];
  /** Why the turn ends here; `null` where it goes on. */
  readonly denied: string | null;
}

export interface Transcript {
  /** Throws the system error. */
  readonly append: (line: TranscriptLine) => void;
  /** Everything that was appended survives a power cut from here on. Throws the system error. */
  readonly flush: () => void;
  readonly close: () => void;
}

/** What a session file holds, line by line. The first is `session`; `end` is the last one of a turn that was not killed. */
export type TranscriptLine =
  | SessionHeader
  | {
      readonly type: 'message';
      readonly message: Exclude<ModelMessage, { role: 'tool' }>;
      /** The commands by which people told it, and after how many calls of tools; absent for every other message. */
      readonly told?: readonly string[];
      readonly call?: number;
    }
  | CallUsage
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string }
  | {
      readonly type: 'tool-result';
      readonly result: ToolAnswer;
      readonly durationMs: number;
      readonly facts?: Readonly<Record<string, Json>>;
      readonly report?: ToolReport;
      /** What they say to the model behind all results of its answer. */
      readonly messages?: readonly HookMessage[];
      /** Hooks that were asked about the call. */
      readonly hooks?: readonly HookRun[];
      /** What files turned out to be, by real path: who goes on with the conversation knows them. */
      readonly reads?: Readonly<Record<string, ReadRecord>>;
    }
  /** What hooks said about all calls of one answer, behind the last of its results. */
  | {
      readonly type: 'tool-batch';
      readonly hooks: readonly HookRun[];
      readonly notes?: readonly string[];
      /** In sessions of before, in the place of `notes`: with its lines of ═, to go behind the text of the last result. */
      readonly note?: string;
      readonly messages?: readonly HookMessage[];
    }
  | Evicted
  | { readonly type: 'compaction'; readonly messages: readonly ModelMessage[] }
  | { readonly type: 'retry'; readonly class: string; readonly message: string; readonly delayMs: number }
  | SessionEnd;

export interface SessionHeader {
  readonly type: 'session';
  readonly v: 1;
  /** Epoch milliseconds. */
  readonly at: number;
  /** `7.1` */
  readonly turn: string;
  readonly hat: string;
  /** Only a session with the same key can go on with this one: what thinking looks like is the provider's affair. */
  readonly key: string;
  readonly context: 'fresh' | 'carry';
  /** The turn whose conversation this one begins with, `null` for none. */
  readonly follows: string | null;
  /** True where that turn was interrupted and this one is its continuation. */
  readonly isTakenUp: boolean;
  /** Calls of the model in the turns that this one continues. */
  readonly stepsBefore: number;
  /** In the headings of what hooks say behind results; absent in sessions of before. */
  readonly nonce?: string;
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
}

interface CallUsage {
  readonly type: 'usage';
  readonly usage: Usage;
  readonly finish: FinishReason;
  readonly responseId: string | null;
  readonly model: string | null;
  readonly durationMs: number;
}

/** The output of a tool that was moved out of the conversation: what stands there instead. */
export interface Evicted {
  readonly type: 'evicted';
  /** Its message, counted from the beginning of the conversation as it is at this line, and its place in it. */
  readonly message: number;
  readonly result: number;
  readonly text: string;
}

export interface SessionEnd {
  readonly type: 'end';
  readonly status: 'succeeded' | 'failed' | 'stopped';
  readonly failure: TurnFailure | null;
  /** A limit ended it in the midst of its work. */
  readonly isLimited?: boolean;
  readonly usage: Usage;
}
