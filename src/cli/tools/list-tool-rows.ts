import type { Settings } from '../../config/index.ts';
import {
  BUILT_IN_CARDS,
  PESSIMISTIC_HINTS,
  type ProfilePolicy,
  resolveProfile,
  type ToolCard,
  type ToolHints,
  type ToolVerdict,
  toServerToolName,
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
  /** Those of the user's own, and those of MCP servers that were asked. */
  readonly cards: readonly ToolCard[];
  /** The servers that were asked and answered. */
  readonly servers: readonly string[];
  /** By name, why the native agent does not have a tool here. */
  readonly missing: Readonly<Record<string, string>>;
}

/**
 * One row for each built-in tool, for each of the user's own, for each of an MCP server that was asked, and else one for those of a server that the
 * person vouches for and one for all others: which these are is known when it runs.
 */
export function listToolRows(
  { profiles, mcpServers }: Pick<Settings, 'profiles' | 'mcpServers'>,
  { policy, isNative }: ToolsAsked,
  facts: ToolFacts,
): readonly ToolRow[] {
  const silent = mcpServers.filter(({ name }) => !facts.servers.includes(name));
  const cards = [...BUILT_IN_CARDS, ...facts.cards, ...silent.flatMap(toServerCards)];
  const doubtful = new Set(silent.flatMap(({ name, trustsAnnotations }) => (trustsAnnotations ? [toAllName(name)] : [])));
  const offering = Object.entries(profiles).map(([name, each]) => [name, listOffered(each, cards)] as const);
  return resolveProfile(policy, cards).map((judged) => {
    const verdict = doubtful.has(judged.card.name) ? doubt(policy, judged) : judged;
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

/** What is kept out by hints that the server may give otherwise when it runs is let in as far as it does. */
function doubt(policy: ProfilePolicy | null, judged: ToolVerdict): ToolVerdict {
  if (judged.isOffered) return judged;
  const [best] = resolveProfile(policy, [{ ...judged.card, hints: HARMLESS }]);
  return best?.isOffered === true
    ? { ...judged, isOffered: true, why: `${best.why}, but those that its server calls: ${judged.why}` }
    : judged;
}

const HARMLESS: ToolHints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };

function toAllName(server: string): string {
  return `mcp__${server}__*`;
}

/** Without trust in what the server says, each of its tools may do anything, but for those that the person vouches for. */
function toServerCards({ name, tools, trustsAnnotations, annotations = {} }: Settings['mcpServers'][number]): readonly ToolCard[] {
  const group = `mcp:${name}` as const;
  const taken = Object.entries(annotations).filter(([tool]) => tools?.includes(tool) ?? true);
  const vouched = taken.map(([tool, hints]) => ({
    name: toServerToolName(name, tool),
    group,
    hints: { ...PESSIMISTIC_HINTS, ...hints },
    description: 'A tool of this server, with the hints that the configuration gives it.',
  }));
  const description = trustsAnnotations ? 'The tools of this server, with the hints that it gives.' : 'The tools of this server.';
  return [...vouched, { name: toAllName(name), group, hints: PESSIMISTIC_HINTS, description }];
}
