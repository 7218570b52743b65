import { checkToolCard, createToolTwiceError } from '../../core/tools/plugin-tool.ts';
import { type ProfilePolicy, resolveProfile, type ToolVerdict } from '../../core/tools/tool-profiles.ts';
import type { AnyTool, ToolContext } from './tool.ts';

export interface ToolRegistry {
  /** In the order in which they are offered; it never changes by itself, so that providers can cache it. */
  readonly tools: readonly AnyTool[];
  readonly find: (name: string) => AnyTool | undefined;
}

/**
 * Puts tools together: the built-in ones, those of plugins and those of MCP servers.
 *
 * @throws RalphError `tool-invalid` for a name or group that cannot be, `tool-twice` for a name that is taken
 */
export function createRegistry(tools: readonly AnyTool[]): ToolRegistry {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) {
    checkToolCard(tool);
    if (byName.has(tool.name)) throw createToolTwiceError(tool.name);
    byName.set(tool.name, tool);
  }
  const list = [...byName.values()];
  return { tools: list, find: (name) => byName.get(name) };
}

/** What a hat may use, here and now. */
export interface OfferedTools {
  /** In the order of the registry. */
  readonly tools: readonly AnyTool[];
  readonly names: ReadonlySet<string>;
  /** About every tool of the registry; one that the profile allows and that cannot be used here is out, with the reason. */
  readonly verdicts: readonly ToolVerdict[];
}

/**
 * Selects the tools that a profile lets in, and asks each of these whether it can be used here.
 *
 * @param policy `null`: no profile, everything
 */
export function offerTools(
  registry: ToolRegistry,
  policy: ProfilePolicy | null,
  facts: Pick<ToolContext, 'env' | 'quality' | 'search'>,
): OfferedTools {
  const verdicts = resolveProfile(policy, registry.tools).map((verdict) => {
    const reason = verdict.isOffered ? (registry.find(verdict.card.name)?.whyMissing?.(facts) ?? null) : null;
    return reason === null ? verdict : { ...verdict, isOffered: false, why: reason };
  });
  const names = new Set(verdicts.flatMap(({ card, isOffered }) => (isOffered ? [card.name] : [])));
  return { tools: registry.tools.filter((tool) => names.has(tool.name)), names, verdicts };
}
