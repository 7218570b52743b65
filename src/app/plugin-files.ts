import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Settings } from '../config/index.ts';
import { createToolTwiceError, maskControls, NO_TOOLS_SPEC, type PluginTool, RalphError, toTextHash } from '../core/index.ts';
import { checkPluginTool, listPluginTools } from './plugin-tools.ts';

/** What was loaded, by absolute path and name. Kept for the whole process: what an agent writes into such a file does not run under this Ralph. */
const loaded = new Map<string, PluginTool>();

/**
 * Finds the files of `tools.plugins`, and runs nothing of them.
 *
 * @param root absolute; relative paths count from it
 * @returns the settings with absolute paths, and with the content of the files in their digest: a run that goes on notices that one has changed
 * @throws RalphError `plugin-file`
 */
export function withPluginFiles<Some extends Pick<Settings, 'tools' | 'digest'>>(settings: Some, root: string): Some {
  const { tools = NO_TOOLS_SPEC, digest } = settings;
  const files = Object.entries(tools.plugins).map(([name, file]) => [name, resolve(root, file)] as const);
  if (files.length === 0) return settings;
  const keys = files.map(([name, path]) => [`tools.plugins.${name}`, toTextHash(readModule(name, path, root))] as const);
  return {
    ...settings,
    tools: { ...tools, plugins: Object.fromEntries(files) },
    digest: { ...digest, keys: { ...digest.keys, ...Object.fromEntries(keys) } },
  };
}

function readModule(name: string, path: string, root: string): string {
  try {
    if (statSync(path).isFile()) return readFileSync(path, 'utf8');
  } catch {
    // Told below.
  }
  throw toFileError(name, toShown(path, root), 'there is no such file');
}

/**
 * Loads the tools of `tools.plugins`: their modules run, with all rights of this process.
 *
 * @param settings with absolute paths, as {@link withPluginFiles} gives them; {@link listRunTools} finds the tools by these
 * @throws RalphError `plugin-file`, `tool-invalid`, `tool-twice`
 */
export async function loadPluginFiles({ tools = NO_TOOLS_SPEC }: Pick<Settings, 'tools'>, root: string): Promise<void> {
  for (const [name, path] of Object.entries(tools.plugins)) {
    if (listPluginTools().some((tool) => tool.name === name)) throw createToolTwiceError(name);
    const key = toKey(path, name);
    if (!loaded.has(key)) loaded.set(key, await loadTool(name, path, root));
  }
}

/** The tools of a run beside the built-in ones: those that the program registered, then those of its files. */
export function listRunTools({ tools = NO_TOOLS_SPEC }: Pick<Settings, 'tools'>): readonly PluginTool[] {
  return [...listPluginTools(), ...Object.entries(tools.plugins).flatMap(([name, path]) => loaded.get(toKey(path, name)) ?? [])];
}

function toKey(path: string, name: string): string {
  return `${path}\0${name}`;
}

async function loadTool(name: string, path: string, root: string): Promise<PluginTool> {
  const shown = toShown(path, root);
  const exported = await importModule(name, path, shown);
  if (typeof exported !== 'object' || exported === null) {
    throw toFileError(name, shown, 'it has no default export that describes a tool');
  }
  const tool = { ...exported, name } as PluginTool;
  if ('name' in exported && exported.name !== name) {
    throw toFileError(name, shown, `the tool in it is called ${JSON.stringify(String(exported.name).slice(0, 80))}`);
  }
  checkPluginTool(tool);
  return tool;
}

async function importModule(name: string, path: string, shown: string): Promise<unknown> {
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw toFileError(name, shown, toReason(error));
  }
}

function toReason(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return maskControls((text.split('\n')[0] ?? '').slice(0, 300));
}

function toShown(path: string, root: string): string {
  const shown = relative(root, path);
  return shown.startsWith('..') || isAbsolute(shown) ? path : shown;
}

function toFileError(name: string, shown: string, reason: string): RalphError {
  return new RalphError({
    code: 'plugin-file',
    what: `The tool ${name} cannot be loaded from ${shown}: ${reason}.`,
    why: 'A run begins with all of its tools, so that nobody misses one in the middle of it.',
    fix: 'Export it from a JavaScript module: export default { group, description, hints, parameters, run }\nHow: docs/guide/tools.md, "Tools of your own".',
  });
}
