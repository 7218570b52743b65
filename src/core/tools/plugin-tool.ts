import { RalphError } from '../values/errors.ts';
import { isJsonObject, type JsonObject } from '../values/json.ts';
import { tryOr } from '../values/result.ts';
import { BUILT_IN_CARDS } from './built-in-cards.ts';
import { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard, type ToolHints } from './tool-card.ts';
import { COORDINATION_GROUP } from './tool-profiles.ts';

/** A tool that a program brings along for the native agent. */
export interface PluginTool extends Omit<ToolCard, 'hints'> {
  /** What is not said is taken as the worst: the tool changes things, may destroy, and reaches outside. */
  readonly hints?: Partial<ToolHints>;
  /** JSON Schema of an object: what models are told, and what arguments are checked against. */
  readonly parameters: JsonObject;
  /** What it throws, or rejects with, is told to the model as an error. */
  readonly run: (args: JsonObject, context: PluginContext) => Promise<PluginResult> | PluginResult;
}

/** What such a tool gets. */
export interface PluginContext {
  /** Absolute path of the folder that the agent works in. */
  readonly workspace: string;
  /** Aborts when the turn is stopped; what is not done soon after is given up. */
  readonly signal: AbortSignal;
  /** The environment of the turn. */
  readonly env: Readonly<Record<string, string>>;
  /** The real path for reading, or why the hat may not read there. */
  readonly resolveRead: (path: string) => Promise<PluginPath>;
  /** The real path for writing, or why the hat may not write there. */
  readonly resolveWrite: (path: string) => Promise<PluginPath>;
}

export type PluginPath = { readonly path: string } | { readonly refused: string; readonly advice: string };

/** What the model reads; secrets are taken out of it, and what is too long goes to a file. */
export interface PluginResult {
  readonly text: string;
  /** Default: false. */
  readonly isError?: boolean;
}

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
  return tryOr(() => JSON.stringify(parameters) !== undefined, false);
}

function createInvalid(name: string, what: string): RalphError {
  return new RalphError({
    code: 'tool-invalid',
    what: `The tool ${name} ${what}.`,
    fix: `A tool has name, group, description, parameters, run, and hints: ${Object.keys(PESSIMISTIC_HINTS).join(', ')}.`,
  });
}

/** What every provider takes as the name of a tool. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const SERVER_GROUP = /^mcp:[A-Za-z0-9_-]{1,40}$/;

/**
 * Refuses a card that no tool can have.
 *
 * @throws RalphError `tool-invalid`
 */
export function checkToolCard({ name, group }: { readonly name: unknown; readonly group: unknown }): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new RalphError({
      code: 'tool-invalid',
      what: `${JSON.stringify(String(name).slice(0, 80))} cannot be the name of a tool.`,
      why: 'Providers take letters, digits, `_` and `-`, at most 64 of them, and no digit first.',
      fix: 'Give the tool another name.',
    });
  }
  if (typeof group === 'string' && isToolGroup(group)) return;
  throw new RalphError({
    code: 'tool-invalid',
    what: `The tool ${name} is in the group ${JSON.stringify(String(group).slice(0, 80))}, which there is not.`,
    why: 'Profiles let tools in by their group.',
    fix: `Take one of: ${TOOL_GROUPS.join(', ')}.`,
  });
}

function isToolGroup(group: string): boolean {
  return group === COORDINATION_GROUP || (TOOL_GROUPS as readonly string[]).includes(group) || SERVER_GROUP.test(group);
}

/** What is said where a name is given to a second tool. */
export function createToolTwiceError(name: string): RalphError {
  return new RalphError({
    code: 'tool-twice',
    what: `There are two tools called ${name}.`,
    why: 'A model calls tools by name: nobody could say which is meant.',
    fix: 'Give one of them another name.',
  });
}
