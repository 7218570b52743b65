import type { Json } from '../core/index.ts';
import type { ModelTool } from '../ports/index.ts';
import type { ToolResult } from './tool.ts';
import type { ReadRecord } from './tool-context.ts';

/** The tools of one turn, ready to be offered and called. */
export interface ToolBox {
  /** In the order in which they are offered. */
  readonly tools: readonly ModelTool[];
  /** Whether a tool that is offered changes nothing, by its hints; false for any other name. */
  readonly isReadOnly: (name: string) => boolean;
  /** Whether a call that was cut off may be made once more: it may be repeated, or is known to have done nothing. Never rejects. */
  readonly mayRepeat: (name: string, args: Json) => Promise<boolean>;
  /** What files were when they were read in this conversation, by real path. */
  readonly reads: Map<string, ReadRecord>;
  /** Never rejects; the text may be shown, sent and stored. */
  readonly call: (name: string, args: Json) => Promise<ToolResult>;
  /** Keeps a text in a file that the agent can read; the path as the agent should write it, `null` where it could not be kept. */
  readonly keep: (name: string, text: string) => Promise<string | null>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Where the agent works and what the project says to agents, for the system text; `now`: epoch milliseconds. Never rejects. */
  readonly describeProject: (now: number) => Promise<string>;
  readonly close: () => Promise<void>;
}
