import type { BackendType, Capabilities, JsonObject } from '../core/index.ts';

/** A file that a CLI needs for one turn. */
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

/** Everything that the scope of a turn depends on. */
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

/** A profile in the words of one CLI. */
export interface ScopePlan {
  /** In the place of the user's own arguments. */
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly ScopeFile[];
  /** Settings files in the CLI's home, and what is merged into the user's own: the turn gets a home of its own then. */
  readonly settings: readonly AttachedSettings[];
  /** Whether the CLI gets its flag that lets it work without asking. */
  readonly permissions: 'bypass' | 'default';
  /** `stdin`: the prompt must not be an argument, because a list-valued flag could swallow it. */
  readonly prompt: 'stdin' | 'any';
  /** What of the profile the CLI cannot be told, in words; each a whole sentence. */
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

/** What an attachment depends on. */
export interface EmitAttachOrder {
  readonly cli: BackendType;
  readonly server: EmitServer;
  /** What CLIs without MCP are told of the tool. */
  readonly tool: EmitToolText;
  /** Absolute path of the turn's private folder, in which `files` will be. */
  readonly folder: string;
  /** Leave out the MCP servers of the user's own, as far as the CLI can be told: a hat that is held back must not write through one. */
  readonly isAlone: boolean;
  /** Command lines for the tool `run_check`; empty: the server has no such tool. */
  readonly checks: readonly string[];
}

/** What the model is told of the tool. */
export interface EmitToolText {
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
}
