/** The tools that publish or claim the end, ours and as CLIs name those of an MCP server. */
const SIGNAL_TOOL = /(?:^|[^a-z])(?:emit_event|task_complete)$/;
const SHELL_TOOL = /^(?:\w*shell\w*|bash|execute?|exec\w*|run_command|terminal|local_shell)$/i;
/** `ralph emit …` alone, as it is or within `bash -lc '…'`. */
const EMIT =
  /^(?:(?:\S*\/)?(?:ba|z|da)?sh\s+-l?c\s+)?(?:["']\s*["']?)?(?:\S*\/ralph|ralph|\$RALPH_BIN|\$\{RALPH_BIN\})["']?\s+emit\s(.*)$/s;
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
/** Outside of quotes these begin another command, or write a file. */
const FURTHER_COMMAND = /[;&|<>\n]/;
/** Runs a command also within double quotes. */
const SUBSTITUTION = /`|\$\(/;
/** A tool with a longer name, or with a longer command line, is not looked at: it is work. */
const MAX_TOOL_NAME_CHARS = 200;
const MAX_COMMAND_CHARS = 4000;

/**
 * Whether the use of a tool did nothing but publish an event or claim the end: that is said, not done.
 *
 * @param summary what the stream of the agent tells of its arguments, a command line of a shell
 */
export function isSignalCall({ name, summary }: { readonly name: string; readonly summary: string }): boolean {
  if (name.length > MAX_TOOL_NAME_CHARS) return false;
  if (SIGNAL_TOOL.test(name)) return true;
  const rest = summary.length <= MAX_COMMAND_CHARS && SHELL_TOOL.test(name) ? EMIT.exec(summary.trimStart())?.[1] : undefined;
  return rest !== undefined && !SUBSTITUTION.test(rest) && !FURTHER_COMMAND.test(rest.replace(QUOTED, ''));
}
