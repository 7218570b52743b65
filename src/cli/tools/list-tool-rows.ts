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
  /** Why the native agent does not have it here, whatever its profile says; `null` where it has. */
  readonly missing: string | null;
}

/** Who is asked about. */
export interface ToolsAsked {
  /** `null`: no profile, everything is offered. */
  readonly policy: ProfilePolicy | null;
  /** Whether the native agent wears the hat: what it does not have here is then out. */
  readonly isNative: boolean;
}

/** What is known of the tools beyond the configuration. */
export interface ToolFacts {
  /** Those of the user's own. */
  readonly cards: readonly ToolCard[];
  /** By name, why the native agent does not have a tool here. */
  readonly missing: Readonly<Record<string, string>>;
}

/** One row for each built-in tool, for each of the user's own, and one for all tools of each MCP server: which these are is known when it runs. */
export function listToolRows(
  { profiles, mcpServers }: Pick<Settings, 'profiles' | 'mcpServers'>,
  { policy, isNative }: ToolsAsked,
  facts: ToolFacts,
): readonly ToolRow[] {
  const cards = [...BUILT_IN_CARDS, ...facts.cards, ...mcpServers.map(toServerCard)];
  const offering = Object.entries(profiles).map(([name, each]) => [name, listOffered(each, cards)] as const);
  return resolveProfile(policy, cards).map((verdict) => {
    const missing = Object.hasOwn(facts.missing, verdict.card.name) ? (facts.missing[verdict.card.name] ?? null) : null;
    const isGone = isNative && verdict.isOffered && missing !== null;
    return {
      ...verdict,
      ...(isGone ? { isOffered: false, why: missing } : {}),
      profiles: offering.flatMap(([name, tools]) => (tools.has(verdict.card.name) ? [name] : [])),
      missing,
    };
  });
}

function listOffered(policy: ProfilePolicy, cards: readonly ToolCard[]): ReadonlySet<string> {
  return new Set(resolveProfile(policy, cards).flatMap(({ card, isOffered }) => (isOffered ? [card.name] : [])));
}

/** Without trust in what the server says, each of its tools may do anything. */
function toServerCard({ name, trustsAnnotations }: Settings['mcpServers'][number]): ToolCard {
  const description = trustsAnnotations ? 'The tools of this server, with the hints that it gives.' : 'The tools of this server.';
  return { name: `mcp__${name}__*`, group: `mcp:${name}`, hints: PESSIMISTIC_HINTS, description };
}
