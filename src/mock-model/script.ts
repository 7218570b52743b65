import { type Members, record, text } from './values.ts';
import type { Conversation, OfferedTool, ReadyReply, Reply, TokenUsage, ToolCall, WantedCall } from './wire-types.ts';

const USAGE: TokenUsage = { inputTokens: 1200, cachedTokens: 200, writtenTokens: 0, outputTokens: 30 };
/** Known names, best first: a client may offer several that could run a command. */
export const SHELL_TOOLS = [
  'Bash',
  'bash',
  'exec_command',
  'shell',
  'shell_command',
  'local_shell',
  'run_shell_command',
  'execute_command',
  'run_commands',
  'run_command',
  'launch-process',
  'run_in_terminal',
  'terminal',
];
const COMMAND_KEYS = ['command', 'cmd', 'commands', 'script'];
const TOKEN = /\[\[script:([A-Za-z0-9_-]+)\]\]/g;

/**
 * The script that a conversation asks for: the last `[[script:NAME]]` in the last user message that has one. Scripts are
 * found in the words of the conversation, not by connection or order, so clients may run at the same time, retry and resume.
 *
 * @returns step counts the rounds of tool calls since that message
 */
export function findScript({ turns }: Conversation): { readonly name: string; readonly step: number } | undefined {
  for (let index = turns.length - 1; index >= 0; index -= 1) {
    const turn = turns[index];
    if (turn === undefined || turn.role !== 'user') continue;
    const name = [...turn.text.matchAll(TOKEN)].at(-1)?.[1];
    if (name === undefined) continue;
    return { name, step: turns.slice(index + 1).filter((later) => later.calls.length > 0).length };
  }
  return undefined;
}

/** The turn at that step; the last one again when the script is over. */
export function replyAt(script: readonly Reply[], step: number): Reply {
  return script[Math.min(step, script.length - 1)] ?? {};
}

/**
 * Makes a reply complete. A request without a shell tool is one of the side calls that clients make (titles, summaries,
 * memory): it may carry the same prompt, so it gets a short text in place of the tool call.
 */
export function prepare(reply: Reply, { tools }: Conversation, id: string): ReadyReply {
  const wanted = [...(reply.shell === undefined ? [] : [toShellCall(reply.shell)]), ...(reply.calls ?? [])];
  const calls = wanted.flatMap((want, index) => toCall(want, tools, index === 0 ? `call_${id}` : `call_${id}_${index}`));
  const isSideCall = wanted.length > 0 && calls.length === 0;
  const { thinking = '', text = '', finish } = reply;
  return { id, thinking, text: isSideCall ? 'Ok' : text, calls, finish, usage: { ...USAGE, ...reply.usage } };
}

function toCall({ tool: names, args, isForced = false }: WantedCall, tools: readonly OfferedTool[], id: string): readonly ToolCall[] {
  const found = names.flatMap((name) => tools.find((tool) => isCalled(tool.name, name)) ?? [])[0];
  const [first] = names;
  const search = found === undefined ? toSearch(names, tools, id) : undefined;
  if (search !== undefined) return [search];
  const tool: OfferedTool | undefined =
    found ?? (isForced && first !== undefined && tools.length > 0 ? { name: first, parameters: {} } : undefined);
  if (tool === undefined) return [];
  const { name, namespace, kind } = tool;
  const filled = typeof args === 'function' ? args(tool.parameters) : args;
  return [{ id, name, args: filled, ...(namespace !== undefined && { namespace }), ...(kind !== undefined && { kind }) }];
}

/** Some clients offer a search instead of tools: a missing one is searched for once, as a model would. */
function toSearch(names: readonly string[], tools: readonly OfferedTool[], id: string): ToolCall | undefined {
  const query = names.map((name) => name.replace('*', '')).join(' ');
  const tool = tools.find(({ kind }) => kind === 'search');
  return tool === undefined || tool.searched?.includes(query) ? undefined : { id, name: tool.name, args: { query }, kind: 'search' };
}

function isCalled(offered: string, wanted: string): boolean {
  return wanted.startsWith('*') ? offered.endsWith(wanted.slice(1)) : offered === wanted;
}

/**
 * Turns "run this command" into a call of the shell tool that a client offers. Every client has its own name and
 * argument shape for it; both are read from the request, so a new release of a client seldom needs a change here.
 */
export function toShellCall(command: string): WantedCall {
  return { tool: SHELL_TOOLS, args: (parameters) => fillArguments(parameters, COMMAND_KEYS, command, toCommandValue) };
}

/** Fills a tool's arguments from its schema: one value under the first key that it has, and something harmless for every other required property. */
export function fillArguments(
  schema: Members,
  keys: readonly string[],
  value: string,
  toValue: (key: string, property: Members, value: string) => unknown = (_key, _property, given) => given,
): Members {
  const properties = record(schema['properties']);
  const key = keys.find((candidate) => candidate in properties) ?? keys[0] ?? '';
  const args: Record<string, unknown> = { [key]: toValue(key, record(properties[key]), value) };
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const name of required) {
    if (typeof name === 'string' && name !== key) args[name] = toHarmless(name, record(properties[name]));
  }
  return args;
}

function toCommandValue(key: string, property: Members, command: string): unknown {
  const branches = [property, ...(Array.isArray(property['anyOf']) ? property['anyOf'].map(record) : [])];
  const isList = branches.some((branch) => text(branch['type']).toLowerCase() === 'array');
  if (!isList) return command;
  return key === 'commands' ? [command] : ['bash', '-lc', command];
}

function toHarmless(name: string, property: Members): unknown {
  if (Array.isArray(property['enum'])) return property['enum'].includes('sync') ? 'sync' : property['enum'][0];
  const type = text(property['type']).toLowerCase();
  // Some clients ask whether to wait; everything else that is boolean asks for more care or for the background.
  if (type === 'boolean') return name === 'wait';
  if (type === 'number' || type === 'integer') return 30;
  if (type === 'array') return [];
  if (type === 'object') return {};
  return name === 'cwd' || name === 'workdir' ? '.' : 'Run a command';
}
