import type { Settings } from '../config/settings.ts';
import type { BackendSpec, BackendType } from '../core/backends/backend-spec.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { toPluginCard } from '../core/tools/plugin-tool.ts';
import type { ToolCard } from '../core/tools/tool-card.ts';
import { resolveProfile } from '../core/tools/tool-profiles.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { readOwn } from '../core/values/json.ts';
import { toQualityOfGates } from '../gates/quality-of-gates.ts';
import { hasScopeFlags } from '../sandbox/plan-scope.ts';
import { listRunTools, loadPluginFiles, withPluginFiles } from './plugin-files.ts';

/** The tools of a configuration as they are here, on this machine, with this environment. */
export interface NativeTools {
  /** Those beside the built-in ones. */
  readonly cards: readonly ToolCard[];
  /** The MCP servers that were asked and answered: their tools are among the cards. */
  readonly servers: readonly string[];
  /** What is wrong with those that were asked. */
  readonly warnings: readonly string[];
  /** By name, why the native agent is not offered a tool whatever its profile says. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Where it is looked. */
export interface NativeToolsPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The backend in whose environment keys are looked for; absent: only the one of this process. */
  readonly spec?: BackendSpec;
  /** The MCP servers are started, asked for their tools, and ended, sooner by this; absent: they are not asked. */
  readonly askServers?: AbortSignal;
}

type AgentRoom = typeof import('../agent/index.ts');

/**
 * Looks which tools the native agent would have. Modules of `tools.plugins` are loaded.
 *
 * @throws RalphError `plugin-file`, `tool-invalid`, `tool-twice`
 */
export async function listNativeTools(settings: Settings, place: NativeToolsPlace): Promise<NativeTools> {
  const { spec } = place;
  const ready = withPluginFiles(settings, place.cwd);
  const [room] = await Promise.all([import('../agent/index.ts'), loadPluginFiles(ready, place.cwd)]);
  const { createBuiltInTools, createSearch, toPluginTool } = room;
  const env = { ...place.env, ...spec?.env };
  const { search } = settings.tools ?? NO_TOOLS_SPEC;
  const facts = { env, quality: toQualityOfGates(settings.spec.gates), search: search === null ? null : createSearch(search, env) };
  const own = listRunTools(ready);
  const missing = [...createBuiltInTools([]), ...own.map(toPluginTool)].flatMap((tool) => {
    const why = tool.whyMissing?.(facts) ?? null;
    return why === null ? [] : [[tool.name, why] as const];
  });
  const asked =
    place.askServers === undefined ? { cards: [], servers: [], warnings: [] } : await askServers(room, settings, place, place.askServers);
  return { ...asked, cards: [...own.map(toPluginCard), ...asked.cards], missing: Object.fromEntries(missing) };
}

async function askServers(
  { openServers }: AgentRoom,
  { mcpServers }: Settings,
  { cwd, env }: NativeToolsPlace,
  signal: AbortSignal,
): Promise<Pick<NativeTools, 'cards' | 'servers' | 'warnings'>> {
  const { tools, warnings, close } = await openServers(mcpServers, null, { cwd, env, marker: '', signal });
  await close();
  const cards = tools.map(({ name, group, hints, description }) => ({ name, group, hints, description }));
  const servers = mcpServers.map(({ name }) => name).filter((name) => cards.some(({ group }) => group === `mcp:${name}`));
  return { cards, servers, warnings };
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
