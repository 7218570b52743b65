import type { JsonObject } from './json.ts';
import type { ToolCard, ToolHints } from './tool-card.ts';

/** A tool that a program brings along for the native agent. */
export interface PluginTool extends Omit<ToolCard, 'hints'> {
  /** What is not said is taken as the worst: the tool changes things, may destroy, and reaches outside. */
  readonly hints?: Partial<ToolHints>;
  /** JSON Schema of an object: what models are told, and what arguments are checked against. */
  readonly parameters: JsonObject;
  /** What it throws, or rejects with, is told to the model as an error. */
  readonly run: (args: JsonObject, context: PluginContext) => Promise<PluginResult> | PluginResult;
}

/** What such a tool gets. */
export interface PluginContext {
  /** Absolute path of the folder that the agent works in. */
  readonly workspace: string;
  /** Aborts when the turn is stopped; what is not done soon after is given up. */
  readonly signal: AbortSignal;
  /** The environment of the turn. */
  readonly env: Readonly<Record<string, string>>;
  /** The real path for reading, or why the hat may not read there. */
  readonly resolveRead: (path: string) => Promise<PluginPath>;
  /** The real path for writing, or why the hat may not write there. */
  readonly resolveWrite: (path: string) => Promise<PluginPath>;
}

export type PluginPath = { readonly path: string } | { readonly refused: string; readonly advice: string };

/** What the model reads; secrets are taken out of it, and what is too long goes to a file. */
export interface PluginResult {
  readonly text: string;
  /** Default: false. */
  readonly isError?: boolean;
}
