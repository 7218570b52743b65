/**
 * Turns "run this command" into a call of the shell tool that a client offers. Every client has its own name and
 * argument shape for it; both are read from the request, so a new release of a client seldom needs a change here.
 */
import { record, text } from './values.mjs';

/** Known names, best first: a client may offer several that could run a command. */
const NAMES = [
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

/**
 * @param {import('./types.d.ts').OfferedTool[]} tools
 * @param {string} command
 * @param {string} id
 * @returns {import('./types.d.ts').ToolCall | undefined} undefined when no shell tool is offered
 */
export function shellCall(tools, command, id) {
  for (const name of NAMES) {
    const tool = tools.find((offered) => offered.name === name);
    if (tool !== undefined) return { id, name, args: shellArguments(tool.parameters, command) };
  }
  return undefined;
}

/**
 * Fills a tool's arguments from its schema: the command, and something harmless for every other required property.
 *
 * @param {Record<string, unknown>} schema
 * @param {string} command
 * @returns {Record<string, unknown>}
 */
function shellArguments(schema, command) {
  const properties = record(schema['properties']);
  const key = COMMAND_KEYS.find((candidate) => candidate in properties) ?? 'command';
  /** @type {Record<string, unknown>} */
  const args = { [key]: commandValue(key, record(properties[key]), command) };
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const name of required) {
    if (typeof name === 'string' && name !== key) args[name] = harmless(name, record(properties[name]));
  }
  return args;
}

/**
 * @param {string} key
 * @param {Record<string, unknown>} property
 * @param {string} command
 */
function commandValue(key, property, command) {
  const branches = [property, ...(Array.isArray(property['anyOf']) ? property['anyOf'].map(record) : [])];
  const isList = branches.some((branch) => text(branch['type']).toLowerCase() === 'array');
  if (!isList) return command;
  return key === 'commands' ? [command] : ['bash', '-lc', command];
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} property
 */
function harmless(name, property) {
  if (Array.isArray(property['enum'])) return property['enum'].includes('sync') ? 'sync' : property['enum'][0];
  switch (text(property['type']).toLowerCase()) {
    case 'boolean':
      // Some clients ask whether to wait; everything else that is boolean asks for more care or for the background.
      return name === 'wait';
    case 'number':
    case 'integer':
      return 30;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return name === 'cwd' || name === 'workdir' ? '.' : 'Run a command';
  }
}
