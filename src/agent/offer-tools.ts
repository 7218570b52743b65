import { type ProfilePolicy, resolveProfile, type ToolVerdict } from '../core/index.ts';
import type { ToolRegistry } from './registry.ts';
import type { AnyTool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';

/** What a hat may use, here and now. */
export interface OfferedTools {
  /** In the order of the registry. */
  readonly tools: readonly AnyTool[];
  readonly names: ReadonlySet<string>;
  /** About every tool of the registry; one that the profile allows and that cannot be used here is out, with the reason. */
  readonly verdicts: readonly ToolVerdict[];
}

/**
 * Holds a profile against the tools that there are, and asks those it lets in whether they can be used here.
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
