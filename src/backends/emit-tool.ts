import type { Json } from '../core/index.ts';
import type { AttachedTool, EmitServer } from './scope-plan.ts';

/** What the server is called in the CLI's configuration. */
export const EMIT_SERVER = 'ralph';
/** What its tool is called, whatever comes before it in a CLI's own name for it. */
export const EMIT_TOOL = 'emit_event';
const CHECK_TOOL = 'run_check';
/** How long a CLI waits for the server, in seconds: a busy machine needs some. */
export const START_SECONDS = 30;
/** How long it waits for a result where a tool runs the project's tests: longer than they may take. */
const CHECK_SECONDS = 20 * 60;

/** Nothing attached: what a CLI's own words are added to. */
export const NO_ATTACHED_TOOL: AttachedTool = { args: [], env: {}, files: [], allow: [], checks: [] };

/** The names of the server's tools. */
export function listServerTools(checks: readonly string[]): readonly string[] {
  return checks.length === 0 ? [EMIT_TOOL] : [EMIT_TOOL, CHECK_TOOL];
}

/** How long a CLI waits for the server's tools. */
export function toServerTimeoutMs(checks: readonly string[]): number {
  return (checks.length === 0 ? START_SECONDS : CHECK_SECONDS) * 1000;
}

/** The server's program, in the form that most CLIs take. */
export function toServerCommand({ command, args }: EmitServer): { readonly command: string; readonly args: readonly string[] } {
  return { command, args };
}

/** A list of servers with ours alone, as JSON. */
export function toServerList(entry: Json): string {
  return JSON.stringify({ mcpServers: { [EMIT_SERVER]: entry } });
}
