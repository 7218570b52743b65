import {
  BUILT_IN_CARDS,
  checkToolCard,
  createToolTwiceError,
  isJsonObject,
  PESSIMISTIC_HINTS,
  type PluginTool,
  RalphError,
  type ToolCard,
} from '../core/index.ts';

/** What this program has registered. */
const registered = new Map<string, PluginTool>();

/**
 * Adds a tool for the native agent, in every run of this process that begins a turn from now on. Profiles let it in by its group or its name.
 *
 * @returns takes it away again
 * @throws RalphError `tool-invalid`, `tool-twice`
 */
export function registerTool(tool: PluginTool): () => void {
  checkPluginTool(tool);
  if (registered.has(tool.name) || BUILT_IN_CARDS.some((card) => card.name === tool.name)) throw createToolTwiceError(tool.name);
  registered.set(tool.name, tool);
  return () => {
    if (registered.get(tool.name) === tool) registered.delete(tool.name);
  };
}

/** The tools that were registered, in that order. */
export function listPluginTools(): readonly PluginTool[] {
  return [...registered.values()];
}

/** A tool as profiles see it. */
export function toPluginCard({ name, group, description, hints }: PluginTool): ToolCard {
  return { name, group, description, hints: { ...PESSIMISTIC_HINTS, ...hints } };
}

/**
 * Programs may come without types.
 *
 * @throws RalphError `tool-invalid`
 */
export function checkPluginTool(tool: PluginTool): void {
  if (typeof tool !== 'object' || tool === null) throw createInvalid('that was given', 'is no object');
  checkToolCard(tool);
  const { name, group, description, parameters, run, hints } = tool;
  if (group === 'coordination' || group.startsWith('mcp:'))
    throw createInvalid(name, `may not be in the group ${group}: no profile could keep it out`);
  if (name.startsWith('mcp__')) throw createInvalid(name, 'has the name of a tool of an MCP server');
  if (typeof description !== 'string' || description.trim() === '')
    throw createInvalid(name, 'has no description, so that no model knows what it is for');
  if (!isObjectSchema(parameters)) throw createInvalid(name, 'has no `parameters`: a JSON Schema of an object');
  if (typeof run !== 'function') throw createInvalid(name, 'has no function `run`');
  if (hints === undefined) return;
  if (!isJsonObject(hints)) throw createInvalid(name, 'has odd hints: they are no object');
  const odd = Object.entries(hints).find(([key, value]) => !Object.hasOwn(PESSIMISTIC_HINTS, key) || typeof value !== 'boolean');
  if (odd !== undefined) throw createInvalid(name, `has an odd hint ${JSON.stringify(odd[0].slice(0, 40))}`);
}

/** One that can be written down for a model. */
function isObjectSchema(parameters: unknown): boolean {
  if (!isJsonObject(parameters) || ![undefined, 'object'].includes(parameters['type'] as string | undefined)) return false;
  try {
    return JSON.stringify(parameters) !== undefined;
  } catch {
    return false;
  }
}

function createInvalid(name: string, what: string): RalphError {
  return new RalphError({
    code: 'tool-invalid',
    what: `The tool ${name} ${what}.`,
    fix: `A tool has name, group, description, parameters, run, and hints: ${Object.keys(PESSIMISTIC_HINTS).join(', ')}.`,
  });
}
