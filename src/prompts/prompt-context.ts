import type { FallbackCause, Feedback, RalphEvent } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';

/** What of the configuration a prompt mentions. Paths are as an agent in the workspace writes them. */
export interface PromptSettings {
  /** `.agent/scratchpad.md` by default. */
  readonly scratchpad: string;
  /** `.agent/events.jsonl` by default. */
  readonly eventsFile: string;
  /** `./specs/` by default. */
  readonly specsDir: string;
  /** The file that the objective was read from; `null` where it was given as text. */
  readonly promptFile: string | null;
  /** The user's guardrails instead of the built-in ones; an empty list leaves the section out. */
  readonly guardrails: readonly string[] | null;
  /** Folder for temporary files; `.agent/workspace/` by default. */
  readonly workspaceDir: string;
}

/** What of a turn a prompt mentions. Every `IterationStart` with the limit of iterations added is one. */
export interface PromptTurn {
  /** A hat id or `ralph`. */
  readonly hat: string;
  readonly events: readonly RalphEvent[];
  readonly feedback: readonly Feedback[];
  readonly fallback: FallbackCause | null;
  readonly iteration: number;
  readonly maxIterations: number;
  /** Whether the agent has a tool to publish with; absent: no. */
  readonly hasEmitTool?: boolean;
  /** Whether the agent's conversation goes on over turns (`context: carry`); absent: every turn begins anew. */
  readonly keepsContext?: boolean;
}

/** Everything that a prompt is made from. */
export interface PromptContext {
  readonly topology: Topology;
  readonly turn: PromptTurn;
  readonly settings: PromptSettings;
}
