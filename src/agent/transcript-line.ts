import type { Json, TurnFailure, Usage } from '../core/index.ts';
import type { FinishReason, ModelMessage, ToolAnswer } from '../ports/index.ts';
import type { ReadRecord } from './tool-context.ts';

/** Writes one session. */
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
  | { readonly type: 'message'; readonly message: Exclude<ModelMessage, { role: 'tool' }> }
  | CallUsage
  | { readonly type: 'tool-start'; readonly id: string; readonly name: string }
  | {
      readonly type: 'tool-result';
      readonly result: ToolAnswer;
      readonly durationMs: number;
      readonly facts?: Readonly<Record<string, Json>>;
      /** What files turned out to be, by real path: who goes on with the conversation knows them. */
      readonly reads?: Readonly<Record<string, ReadRecord>>;
    }
  | Evicted
  | { readonly type: 'compaction'; readonly messages: readonly ModelMessage[] }
  | { readonly type: 'retry'; readonly class: string; readonly message: string; readonly delayMs: number }
  | SessionEnd;

/** What the session is. */
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
  /** Names of the tools that are offered. */
  readonly tools: readonly string[];
}

/** What one call of the model consumed. */
export interface CallUsage {
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
