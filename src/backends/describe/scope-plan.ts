import type { BackendType } from '../../core/backends/backend-spec.ts';
import { HAND_IN_TOOLS, type HandInTool, type ServerTool } from '../../core/tools/server-tools.ts';
import type { Capabilities } from '../../core/tools/tool-profiles.ts';
import type { Json, JsonObject } from '../../core/values/json.ts';
import type { TurnScope } from '../../ports/program.ts';

export interface ScopeFile {
  /** Relative to the turn's private folder, without `..`. */
  readonly path: string;
  readonly content: string;
}

/** How the tool `emit_event` is attached to a CLI; planned by `planEmitAttach`. */
export interface AttachedTool {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly ScopeFile[];
  /** What the CLI's lists of allowed tools must hold, in its own words. */
  readonly allow: readonly string[];
  /** The command lines that its tool `run_check` runs; empty where there is no such tool. */
  readonly checks: readonly string[];
  /** A settings file in the CLI's home (its path from there), and what is merged into the user's own: the turn gets a home of its own then. */
  readonly settings?: AttachedSettings;
  /** For an agent that is told of servers over its protocol. */
  readonly servers?: readonly (EmitServer & { readonly name: string })[];
}

/** What a settings file of a CLI gets beside the user's own. */
export interface AttachedSettings {
  /** From the CLI's home. */
  readonly path: string;
  readonly merge: JsonObject;
}

export interface ScopeOrder {
  readonly cli: BackendType;
  readonly may: Capabilities;
  /** Exact command lines that check the project: `npm test`. */
  readonly qualityCommands: readonly string[];
  /** The user's own arguments for the CLI. */
  readonly args: readonly string[];
  readonly permissions: 'bypass' | 'default';
  /** The environment that the agent would get. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of the turn's private folder, in which `files` will be. */
  readonly folder: string;
  /** Absolute path of the folder in which the CLI is started. */
  readonly cwd: string;
  /** Whether the person's own settings of the CLI count (`user_settings`). Default false. */
  readonly userSettings?: boolean;
  readonly attach: AttachedTool | null;
  /** Whether the operating system holds the agent as well: then the CLI's own sandbox can step back. */
  readonly isConfined: boolean;
}

export interface ScopePlan extends Pick<TurnScope, 'args' | 'env' | 'permissions' | 'prompt'> {
  readonly files: readonly ScopeFile[];
  /** Settings files in the CLI's home, and what is merged into the user's own: the turn gets a home of its own then. */
  readonly settings: readonly AttachedSettings[];
  /** What of the profile the CLI has no flags for; each a whole sentence. */
  readonly limits: readonly string[];
}

/** A plan of one CLI without the parts that all have in common. */
export type CliScope = Pick<ScopePlan, 'args' | 'permissions'> & Partial<Pick<ScopePlan, 'env' | 'files' | 'settings' | 'limits'>>;

/** How the MCP server that publishes is started: `ralph mcp …`. It says everything by its arguments, because some CLIs pass no environment on. */
export interface EmitServer {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface EmitAttachOrder {
  readonly cli: BackendType;
  readonly server: EmitServer;
  /** The server's tools but `run_check`, `emit_event` among them, as CLIs without MCP are told of them. */
  readonly tools: readonly ServerToolText[];
  /** Absolute path of the turn's private folder, in which `files` will be. */
  readonly folder: string;
  /** Leave out the MCP servers of the user's own, as far as the CLI can be told: a hat that is held back must not write through one. */
  readonly isAlone: boolean;
  /** Command lines for the tool `run_check`; empty: the server has no such tool. */
  readonly checks: readonly string[];
}

/** What the model is told of a tool. */
export interface ServerToolText {
  readonly name: ServerTool | HandInTool;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
}

/** What the server is called in the CLI's configuration. */
export const EMIT_SERVER = 'ralph';
const CHECK_TOOL = 'run_check';
/** How long a CLI waits for the server, in seconds: a busy machine needs some. */
export const START_SECONDS = 30;
/** How long it waits for a result where a tool runs the project's tests: longer than they may take. */
export const CHECK_SECONDS = 20 * 60;
/** How long where one waits for people: longer than any answer is waited for. */
export const ASK_SECONDS = 25 * 3600;

/** Nothing attached: the base to which a CLI adds its own. */
export const NO_ATTACHED_TOOL: AttachedTool = { args: [], env: {}, files: [], allow: [], checks: [] };

export type ServerOffer = Pick<EmitAttachOrder, 'tools' | 'checks'>;

/** The names of the server's tools, whatever comes before them in a CLI's own names. */
export function listServerTools({ tools, checks }: ServerOffer): readonly string[] {
  return [...tools.map(({ name }) => name), ...(checks.length === 0 ? [] : [CHECK_TOOL])];
}

/** Whether one of the tools waits for people. */
export function asksPeople({ tools }: Pick<ServerOffer, 'tools'>): boolean {
  return tools.some(({ name }) => name === 'ask_person');
}

/** Whether one of the tools hands in for a panel: its result comes when the agent's work is kept. */
export function handsIn({ tools }: Pick<ServerOffer, 'tools'>): boolean {
  return tools.some(({ name }) => HAND_IN_TOOLS.some((known) => known === name));
}

/** How long a CLI waits for the server's tools. */
export function toServerTimeoutMs(offer: ServerOffer): number {
  if (asksPeople(offer)) return ASK_SECONDS * 1000;
  return (offer.checks.length === 0 && !handsIn(offer) ? START_SECONDS : CHECK_SECONDS) * 1000;
}

/** The server's program, in the form that most CLIs take. */
export function toServerCommand({ command, args }: EmitServer): { readonly command: string; readonly args: readonly string[] } {
  return { command, args };
}

/** A list of servers with ours alone, as JSON. */
export function toServerList(entry: Json): string {
  return JSON.stringify({ mcpServers: { [EMIT_SERVER]: entry } });
}

/**
 * Whether a command line is nothing but words and spaces: allow-lists of CLIs have a syntax of their own (commas, brackets, stars, quotes),
 * and nothing of a command may be taken for it.
 */
export function isPlainCommand(command: string): boolean {
  return command.length <= 200 && /^[\w./@%+=-][\w./@%+=: -]*$/.test(command) && !command.endsWith(':');
}

/** Git's commands that show and do not change, as whole command lines: with arguments (`--output=FILE`) they would write. */
export const GIT_LOOKS: readonly string[] = ['git status', 'git diff', 'git log'];
