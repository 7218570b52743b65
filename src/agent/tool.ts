import type { z } from 'zod';
import type { Json, ToolCard } from '../core/index.ts';
import type { ModelFile } from '../ports/index.ts';
import type { ToolContext } from './tool-context.ts';

/** What a tool says to the model. Errors are results too: what happened, and what to do instead. */
export interface ToolResult {
  /** What the model reads; capped by the loop, so a tool may return more than fits. */
  readonly text: string;
  readonly isError: boolean;
  /** From which end a long text is kept: `head` for what is read, `tail` for what a command said. Default `head`. */
  readonly keep?: 'head' | 'tail';
  /** The result for a model that can be shown this file; it is no error then. */
  readonly shown?: { readonly text: string; readonly file: ModelFile };
  /** Facts for the journal and the transcript, in a few words per key. */
  readonly facts?: Readonly<Record<string, Json>>;
}

/**
 * A tool of the native agent.
 *
 * Contract: `run` resolves with a result whatever happens (what it throws all the same is turned into an error result by the loop), ends soon after
 * `context.signal` aborts, writes nothing outside of what `context.jail` allows, and its hints are honest.
 */
export interface Tool<Args = never> extends ToolCard {
  /** What the model may pass; JSON Schema is made from it. */
  readonly parameters: z.ZodType<Args>;
  readonly run: (args: Args, context: ToolContext) => Promise<ToolResult>;
  /** Why the tool cannot be offered here (no search provider, no token); `null` where it can. Absent: always. */
  readonly whyMissing?: (context: Pick<ToolContext, 'env' | 'quality' | 'search'>) => string | null;
}

/** A tool, whatever it takes. Arguments are checked by `parameters` before `run` sees them. */
export type AnyTool = Omit<Tool<never>, 'parameters'> & { readonly parameters: z.ZodType };

/** Ties the type of the arguments to their schema. */
export function defineTool<Args>(tool: Tool<Args>): Tool<Args> {
  return tool;
}

/** A result that is no error. */
export function succeed(text: string, facts?: ToolResult['facts']): ToolResult {
  return facts === undefined ? { text, isError: false } : { text, isError: false, facts };
}

/** A result that says what went wrong and what to do instead. */
export function fail(what: string, advice = ''): ToolResult {
  return { text: advice === '' ? what : `${what}\n${advice}`, isError: true };
}
