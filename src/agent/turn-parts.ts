import { type BackendEvent, type TurnFailure, UNKNOWN_USAGE, type Usage } from '../core/index.ts';
import type { Model, ModelMessage } from '../ports/index.ts';
import type { AgentLimits } from './agent-limits.ts';
import type { ToolBox } from './tool-box.ts';
import type { Transcript } from './transcript-line.ts';
import { createRepeatWatch, type RepeatWatch } from './watch-repeats.ts';

/** What a turn of the agent is made of. */
export interface TurnParts {
  readonly model: Model;
  readonly tools: ToolBox;
  readonly transcript: Transcript;
  readonly limits: AgentLimits;
  readonly system: string;
  /** The turn's own prompt. */
  readonly prompt: string;
  readonly signal: AbortSignal;
  readonly tell: (event: BackendEvent) => void;
  /** US dollars; `null` where the model or its tokens are not known. */
  readonly priceOf: (usage: Usage, model: string | null) => number | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Resolves after that time, or at once when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** What changes while a turn goes on. */
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
  /** What the model can read at once, as far as it is known by now: less than was set where the provider has refused less. */
  roomTokens: number;
  /** Length of `messages` when a summary last took the place of their beginning; 0 before. */
  summarisedMessages: number;
  /** How long the conversation was that the provider has just refused as too long; `null` since it has answered. */
  refusedTokens: number | null;
  /** What its calls and their results were, to find a circle. */
  readonly repeats: RepeatWatch;
}

/** How the steps of a turn ended. */
export interface LoopEnd {
  readonly status: 'succeeded' | 'failed' | 'stopped';
  readonly failure: TurnFailure | null;
  /** A limit ended it in the midst of its work: whoever comes next is told what was done. */
  readonly isLimited?: boolean;
}

/** Where in a run a model is asked; a script plays by it. */
export interface ModelPlace {
  readonly hat: string;
  /** Turns of the hat before this one. */
  readonly turnsBefore: number;
  /** Steps of this turn that were taken before it was interrupted. */
  readonly stepsBefore: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A turn of which nothing was done yet. */
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
    roomTokens: Number.POSITIVE_INFINITY,
    summarisedMessages: 0,
    refusedTokens: null,
    repeats: createRepeatWatch(),
  };
}
