/**
 * The four hints of MCP's tool annotations. They describe a tool to policies; `destructive` and `idempotent` mean something only where
 * `readOnly` is false. Source: the MCP specification, `ToolAnnotations`.
 */
export interface ToolHints {
  /** Changes nothing. */
  readonly readOnly: boolean;
  /** May overwrite or remove what was there. */
  readonly destructive: boolean;
  /** Doing it twice is the same as doing it once. */
  readonly idempotent: boolean;
  /** Reaches what is outside of this machine. */
  readonly openWorld: boolean;
}

/** What MCP says of a tool that says nothing of itself: it may do anything. */
export const PESSIMISTIC_HINTS: ToolHints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };

/** What the most harmless tools say: they only look, and at this machine alone. */
export const HARMLESS_HINTS: ToolHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

/** The groups that a profile can name. */
export const TOOL_GROUPS = ['fs_read', 'fs_write', 'git_read', 'git_write', 'github', 'web', 'runtime', 'quality', 'complete'] as const;

/**
 * Where a tool belongs. `coordination` is what every hat has whatever its profile says (events, scratchpad, todos);
 * `mcp:<server>` are the tools of a server under `mcp_servers:`.
 */
export type ToolGroup = (typeof TOOL_GROUPS)[number] | 'coordination' | `mcp:${string}`;

export interface ToolCard {
  /** Unique; as the model sees it. */
  readonly name: string;
  readonly group: ToolGroup;
  readonly hints: ToolHints;
  /** One or two sentences for the model and for `ralph tools`. */
  readonly description: string;
}
