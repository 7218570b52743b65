import type { ToolHints } from './tool-card.ts';

/** An MCP server as it is configured; it has either a command or an address. */
export interface McpServerSpec {
  /** Part of the names of its tools. */
  readonly name: string;
  readonly command?: string;
  readonly args: readonly string[];
  /** Added to the few variables that every server gets. */
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string;
  /** The environment variable that holds the bearer token for `url`. */
  readonly tokenEnv?: string;
  /** The tools that are taken, by the server's names; `null`: all. */
  readonly tools: readonly string[] | null;
  /** Whether the hints that it gives are believed. */
  readonly trustsAnnotations: boolean;
  /** Hints of single tools, by the server's names for them, that the person vouches for: they win over whatever the server says. */
  readonly annotations?: Readonly<Record<string, Partial<ToolHints>>>;
  /** For the start and for each call. */
  readonly timeoutMs: number;
}
