import type { Settings } from '../config/settings.ts';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import { toPluginCard } from '../core/tools/plugin-tool.ts';
import type { ToolCard } from '../core/tools/tool-card.ts';
import { NO_TOOLS_SPEC } from '../core/tools/tools-spec.ts';
import { toQualityOfGates } from '../gates/quality-of-gates.ts';
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
