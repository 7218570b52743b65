import type { Settings } from '../../config/index.ts';
import {
  BUILT_IN_CARDS,
  PESSIMISTIC_HINTS,
  type ProfilePolicy,
  resolveProfile,
  type ToolCard,
  type ToolVerdict,
} from '../../core/index.ts';

/** A tool with what a profile makes of it. */
export interface ToolRow extends ToolVerdict {
  /** The profiles that offer it, built-in ones first. */
  readonly profiles: readonly string[];
}

/**
 * One row for each built-in tool, and one for all tools of each MCP server: which these are is known when the server runs.
 *
 * @param policy the profile that is asked about; `null`: none, everything is offered
 */
export function listToolRows(
  { profiles, mcpServers }: Pick<Settings, 'profiles' | 'mcpServers'>,
  policy: ProfilePolicy | null,
): readonly ToolRow[] {
  const cards = [...BUILT_IN_CARDS, ...mcpServers.map(toServerCard)];
  const offering = Object.entries(profiles).map(([name, each]) => [name, listOffered(each, cards)] as const);
  return resolveProfile(policy, cards).map((verdict) => ({
    ...verdict,
    profiles: offering.flatMap(([name, tools]) => (tools.has(verdict.card.name) ? [name] : [])),
  }));
}

function listOffered(policy: ProfilePolicy, cards: readonly ToolCard[]): ReadonlySet<string> {
  return new Set(resolveProfile(policy, cards).flatMap(({ card, isOffered }) => (isOffered ? [card.name] : [])));
}

/** Without trust in what the server says, each of its tools may do anything. */
function toServerCard({ name, trustsAnnotations }: Settings['mcpServers'][number]): ToolCard {
  const description = trustsAnnotations ? 'The tools of this server, with the hints that it gives.' : 'The tools of this server.';
  return { name: `mcp__${name}__*`, group: `mcp:${name}`, hints: PESSIMISTIC_HINTS, description };
}
