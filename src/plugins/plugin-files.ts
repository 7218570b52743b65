import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findGuidePage } from '../config/layers/package-files.ts';
import type { Settings } from '../config/settings.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { toDurationText } from '../core/text/duration.ts';
import { maskControls } from '../core/text/mask-controls.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { checkPluginTool, createToolTwiceError, listPluginTools, type PluginTool, toPluginCard } from '../core/tools/plugin-tool.ts';
import { resolveProfile } from '../core/tools/tool-profiles.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { isRalphError, RalphError } from '../core/values/errors.ts';
import { readOwn } from '../core/values/json.ts';
import { tryOr } from '../core/values/result.ts';
import { hasScopeFlags } from '../sandbox/plan-scope.ts';

/** A module that connects to something first may take a while. */
const LOAD_LIMIT_MS = 30_000;

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
  const keys = files.map(([name, path]) => [toDigestKey(name), hashModule(name, path, root)] as const);
  return {
    ...settings,
    tools: { ...tools, plugins: Object.fromEntries(files) },
    digest: { ...digest, keys: { ...digest.keys, ...Object.fromEntries(keys) } },
  };
}

function toDigestKey(name: string): string {
  return `tools.plugins.${name}`;
}

function hashModule(name: string, path: string, root: string): string {
  try {
    if (statSync(path).isFile()) return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Told below.
  }
  throw toFileError(name, toShown(path, root), 'there is no such file');
}

/**
 * Loads the tools of `tools.plugins`: their modules run, with all rights of this process.
 *
 * @param settings with absolute paths and the digest of the files, as {@link withPluginFiles} gives them; {@link listRunTools} finds the tools by these
 * @param limitMs for each module
 * @throws RalphError `plugin-file`, `tool-invalid`, `tool-twice`
 */
export async function loadPluginFiles(
  { tools = NO_TOOLS_SPEC, digest }: Pick<Settings, 'tools' | 'digest'>,
  root: string,
  limitMs = LOAD_LIMIT_MS,
): Promise<void> {
  for (const [name, path] of Object.entries(tools.plugins)) {
    if (listPluginTools().some((tool) => tool.name === name)) throw createToolTwiceError(name);
    const key = toKey(path, name);
    if (loaded.has(key)) continue;
    // A person may have been asked in between whether a change is right.
    if (hashModule(name, path, root) !== digest.keys[toDigestKey(name)]) {
      throw toFileError(name, toShown(path, root), 'it was changed a moment ago');
    }
    loaded.set(key, await loadTool({ name, path, shown: toShown(path, root), limitMs }));
  }
}

/** The tools of a run beside the built-in ones: those that the program registered, then those of its files. */
export function listRunTools({ tools = NO_TOOLS_SPEC }: Pick<Settings, 'tools'>): readonly PluginTool[] {
  return [...listPluginTools(), ...Object.entries(tools.plugins).flatMap(([name, path]) => loaded.get(toKey(path, name)) ?? [])];
}

function toKey(path: string, name: string): string {
  return `${path}\0${name}`;
}

interface ToolFile {
  readonly name: string;
  readonly path: string;
  /** The path as people know it. */
  readonly shown: string;
  readonly limitMs: number;
}

async function loadTool(file: ToolFile): Promise<PluginTool> {
  const { name, shown } = file;
  const exported = await importModule(file);
  if (exported === null) throw toFileError(name, shown, 'it has no default export that describes a tool');
  if ('name' in exported && exported['name'] !== name) {
    throw toFileError(name, shown, `the tool in it is called ${JSON.stringify(String(exported['name']).slice(0, 80))}`);
  }
  const tool = { ...exported, name } as PluginTool;
  checkPluginTool(tool);
  return tool;
}

/** What the module says of its tool, as plain values: looking at it may run code as well. `null` where it says nothing. */
async function importModule({ name, path, shown, limitMs }: ToolFile): Promise<Readonly<Record<string, unknown>> | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(toFileError(name, shown, `it is not ready after ${toDurationText(limitMs)}`)), limitMs);
  });
  try {
    const { default: exported } = (await Promise.race([import(pathToFileURL(path).href), late])) as { readonly default?: unknown };
    return typeof exported === 'object' && exported !== null ? { ...exported } : null;
  } catch (error) {
    throw isRalphError(error) ? error : toFileError(name, shown, toReason(error));
  } finally {
    clearTimeout(timer);
  }
}

function toReason(error: unknown): string {
  return tryOr(() => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return maskControls((text.split('\n')[0] ?? '').slice(0, 300));
  }, 'it threw something that is no error');
}

function toShown(path: string, root: string): string {
  const shown = relative(root, path);
  return shown.startsWith('..') || isAbsolute(shown) ? path : shown;
}

function toFileError(name: string, shown: string, reason: string): RalphError {
  return new RalphError({
    code: 'plugin-file',
    what: `The tool ${name} cannot be loaded from ${shown}: ${reason}.`,
    why: 'A run starts with all of its tools, so that none is missing later.',
    fix: `Export it from a JavaScript module: export default { group, description, hints, parameters, run }\nHow: ${findGuidePage('tools')}, "Tools of your own"`,
  });
}

/**
 * How many tools a hat has as far as is known before its turn: by its profile as the settings say now. Tools of MCP servers are not counted, they
 * are known when the servers run. `null`: its agent is a CLI with tools of its own, and no profile holds it back or none can be said to it.
 */
export function countTools(settings: Pick<Settings, 'policies' | 'tools'>, hat: string, agent: BackendType): number | null {
  const isNative = agent === 'native';
  const { policies } = settings;
  const policy = readOwn(policies, hat) ?? null;
  if (!isNative && (policy === null || !hasScopeFlags(agent))) return null;
  // Tools of the user's own are the native agent's alone.
  const cards = isNative ? [...BUILT_IN_CARDS, ...listRunTools(settings).map(toPluginCard)] : BUILT_IN_CARDS;
  return resolveProfile(policy, cards).filter(({ isOffered }) => isOffered).length;
}
