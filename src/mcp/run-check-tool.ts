import type { JsonObject } from '../core/values/json.ts';
import type { McpResult, McpTool } from './mcp-tool.ts';

export interface CheckEnd {
  /** `null` where it did not end by itself: it took too long, could not be started, or was ended by a signal. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
}

/** More commands than this are found in the schema only. */
const MAX_LISTED = 30;

/**
 * The tool that runs the commands which check a project, for agents whose CLI gives them no shell. The configuration names the
 * commands: the model chooses one, and can add nothing to it.
 *
 * @param commands whole command lines, at least one
 * @param run runs one of them as it stands; what it throws is told to the model
 */
export function createRunCheckTool(commands: readonly string[], run: (command: string) => Promise<CheckEnd>): McpTool {
  return {
    name: 'run_check',
    description: `Run a command that checks this project: ${commands.slice(0, MAX_LISTED).join(' | ')}. It runs exactly as listed; this hat has no other way to run it.`,
    inputSchema: toInputSchema(commands),
    annotations: { title: 'Check the project', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async ({ command }) => {
      const wanted = command === undefined || command === '' ? toOnly(commands) : command;
      const known = commands.find((one) => one === wanted);
      return known === undefined ? toRefusal(commands) : toResult(known, await run(known));
    },
  };
}

function toInputSchema(commands: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: { command: { type: 'string', enum: commands } },
    ...(commands.length > 1 && { required: ['command'] }),
  };
}

/** With one command there is nothing to choose. */
function toOnly(commands: readonly string[]): string | undefined {
  return commands.length === 1 ? commands[0] : undefined;
}

function toRefusal(commands: readonly string[]): McpResult {
  return { text: `Not run: this hat may run only ${commands.slice(0, MAX_LISTED).join(' | ')}, exactly as it stands.`, isError: true };
}

function toResult(command: string, { exitCode, output }: CheckEnd): McpResult {
  const end = exitCode === null ? 'It did not end by itself.' : `Exit code: ${exitCode}`;
  return { text: `$ ${command}\n${output.trimEnd()}\n${end}`, isError: exitCode !== 0 };
}
