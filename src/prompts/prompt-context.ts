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
  /** Whether agents commit their own work in this run; absent: yes. */
  readonly agentsCommit?: boolean;
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
  /** Whether the agent's shell does not find `ralph`, so that it is named by its variable; absent: it does. */
  readonly losesPath?: boolean;
  /** Whether the agent's conversation goes on over turns (`context: carry`); absent: every turn begins anew. */
  readonly keepsContext?: boolean;
  /** Whether the wearer may change files of the workspace; absent: yes. */
  readonly mayWrite?: boolean;
  /** Whether the wearer has a way to write the scratchpad; absent: yes. */
  readonly mayNote?: boolean;
  /** Whether it may run any command; absent: as it may write. */
  readonly mayRun?: boolean;
  /** Whether it is able to commit; absent: as it may write. */
  readonly mayCommit?: boolean;
  /** What stands in the scratchpad, without secrets; `isWhole`: not only its end. Absent: nothing is shown. */
  readonly scratchpad?: { readonly text: string; readonly isWhole: boolean };
}

/** What a turn is told of commits: to make them, not to; `null` where it could not or has nothing to commit. */
export function commitRule({ turn, settings }: Pick<PromptContext, 'turn' | 'settings'>): 'commit' | 'none' | null {
  if (turn.mayWrite === false || turn.mayCommit === false) return null;
  return settings.agentsCommit === false ? 'none' : 'commit';
}

/** What who cannot write the scratchpad does with what he would note in it. */
export const CANNOT_NOTE = 'You cannot write the scratchpad: what the next agent must know belongs in the payload of your event.';

/** Whether several events called the turn, each of which is a task. */
export function isCalledBySeveral({ turn }: Pick<PromptContext, 'turn'>): boolean {
  return turn.events.length > 1;
}

/** Whether the wearer may use the program that it works on. */
export function mayRunProgram({ turn }: Pick<PromptContext, 'turn'>): boolean {
  return turn.mayRun ?? turn.mayWrite ?? true;
}

/** Everything that a prompt is made from. */
export interface PromptContext {
  readonly topology: Topology;
  readonly turn: PromptTurn;
  readonly settings: PromptSettings;
}
