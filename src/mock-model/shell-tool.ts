import { type Members, record, text } from './values.ts';
import type { WantedCall } from './wire-types.ts';

/**
 * Turns "run this command" into a call of the shell tool that a client offers. Every client has its own name and
 * argument shape for it; both are read from the request, so a new release of a client seldom needs a change here.
 */
export function toShellCall(command: string): WantedCall {
  return { tool: SHELL_TOOLS, args: (parameters) => fillArguments(parameters, COMMAND_KEYS, command, toCommandValue) };
}

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
