import type { ToolCard, ToolHints } from './tool-card.ts';

/**
 * Which tools a hat may use. Every list holds names of groups (`fs_read`), composites (`fs`, `git`), tool names (`bash`), and for
 * the tools of MCP servers `mcp:<server>` or `mcp:*`.
 */
export interface ProfilePolicy {
  /** What comes in at all; nothing is in by itself but the group `coordination`. */
  readonly allow: readonly string[];
  /** What stays out whatever the other fields say. */
  readonly deny: readonly string[];
  /** What `requireReadOnly` and `denyDestructive` let pass; it has to be allowed, too. */
  readonly exempt: readonly string[];
  /** Only tools that change nothing. */
  readonly requireReadOnly: boolean;
  /** No tools that may overwrite or remove what was there. */
  readonly denyDestructive: boolean;
}

export interface ToolVerdict {
  readonly card: ToolCard;
  readonly isOffered: boolean;
  /** Why, in a few words: `allowed by fs`, `denied by git_push`, `not read-only`. */
  readonly why: string;
}

/** Names that stand for several groups. */
export const COMPOSITE_GROUPS: Readonly<Record<string, readonly string[]>> = {
  fs: ['fs_read', 'fs_write'],
  git: ['git_read', 'git_write'],
};

/** The group whose tools every hat has: without them it could not hand its work on. */
export const COORDINATION_GROUP = 'coordination';

/** `mcp:*` stands for the tools of every MCP server. */
const ANY_SERVER = 'mcp:*';
const SERVER_PREFIX = 'mcp:';

export const EMPTY_POLICY: ProfilePolicy = { allow: [], deny: [], exempt: [], requireReadOnly: false, denyDestructive: false };
const FULL = ['fs', 'git', 'github', 'runtime', 'quality'];

/**
 * Explorer, planner and critic only read, and may ask which runtimes there are; the critic also runs the tests, though that writes. Creator and
 * editor change files without the web. Of all five the editor alone may end the task.
 */
export const BUILT_IN_POLICIES: Readonly<Record<string, ProfilePolicy>> = {
  explorer: { ...EMPTY_POLICY, allow: ['fs', 'git', 'web', 'list_runtimes'], requireReadOnly: true },
  planner: { ...EMPTY_POLICY, allow: ['fs', 'git', 'web', 'list_runtimes'], requireReadOnly: true },
  creator: { ...EMPTY_POLICY, allow: FULL },
  critic: { ...EMPTY_POLICY, allow: ['fs', 'git', 'quality', 'list_runtimes'], exempt: ['quality'], requireReadOnly: true },
  editor: { ...EMPTY_POLICY, allow: [...FULL, 'complete'] },
};

/** The names of the profiles that are built in; a configuration can name more under `profiles:`. */
export const BUILT_IN_PROFILES: readonly string[] = Object.keys(BUILT_IN_POLICIES);

/**
 * What a profile makes of the tools that there are: one verdict for each card, in their order; of two cards with one name the first counts.
 * Total: names that mean nothing here match nothing.
 *
 * @param policy `null`: no profile, nothing is held back.
 */
export function resolveProfile(policy: ProfilePolicy | null, cards: readonly ToolCard[]): readonly ToolVerdict[] {
  const rules = policy === null ? null : toRules(policy);
  const seen = new Set<string>();
  const verdicts: ToolVerdict[] = [];
  for (const card of cards) {
    if (seen.has(card.name)) continue;
    seen.add(card.name);
    const { isOffered, why } = judge(rules, card);
    verdicts.push({ card, isOffered, why });
  }
  return verdicts;
}

/** A policy whose lists can be asked at once: each tool or group they mean, with the name that means it. */
interface Rules {
  readonly policy: ProfilePolicy;
  readonly allow: ReadonlyMap<string, string>;
  readonly deny: ReadonlyMap<string, string>;
  readonly exempt: ReadonlyMap<string, string>;
}

function toRules(policy: ProfilePolicy): Rules {
  return { policy, allow: expand(policy.allow), deny: expand(policy.deny), exempt: expand(policy.exempt) };
}

function expand(names: readonly string[]): ReadonlyMap<string, string> {
  const meant = new Map<string, string>();
  for (const name of names) {
    meant.set(name, name);
    if (!Object.hasOwn(COMPOSITE_GROUPS, name)) continue;
    for (const group of COMPOSITE_GROUPS[name] ?? []) if (!meant.has(group)) meant.set(group, name);
  }
  return meant;
}

function judge(rules: Rules | null, card: ToolCard): Pick<ToolVerdict, 'isOffered' | 'why'> {
  if (card.group === COORDINATION_GROUP) return { isOffered: true, why: 'every hat has it' };
  if (rules === null) return { isOffered: true, why: 'no profile' };
  const denied = findMatch(rules.deny, card);
  if (denied !== undefined) return { isOffered: false, why: `denied by ${denied}` };
  const allowed = findMatch(rules.allow, card);
  if (allowed === undefined) return { isOffered: false, why: 'not allowed' };
  const objection = toObjection(rules.policy, card.hints);
  if (objection === null) return { isOffered: true, why: `allowed by ${allowed}` };
  const exempted = findMatch(rules.exempt, card);
  if (exempted === undefined) return { isOffered: false, why: objection };
  return { isOffered: true, why: `allowed by ${allowed}; ${objection}, exempted by ${exempted}` };
}

/** What the hints of a tool have against it. `destructive` means nothing where nothing is changed (MCP). */
function toObjection(policy: ProfilePolicy, hints: ToolHints): string | null {
  if (policy.requireReadOnly && !hints.readOnly) return 'not read-only';
  if (policy.denyDestructive && !hints.readOnly && hints.destructive) return 'destructive';
  return null;
}

/** The name of a list that means the tool: the nearest one, where there are several. */
function findMatch(meant: ReadonlyMap<string, string>, { name, group }: ToolCard): string | undefined {
  if (meant.size === 0) return undefined;
  return meant.get(name) ?? meant.get(group) ?? (group.startsWith(SERVER_PREFIX) ? meant.get(ANY_SERVER) : undefined);
}

/** What a hat may do, in the words of what any agent can do: a profile without the names of our own tools. */
export interface Capabilities {
  readonly mayRead: boolean;
  /** Files of the workspace. */
  readonly mayWrite: boolean;
  /** Any command. */
  readonly mayRunShell: boolean;
  /** The commands that check the project: tests, lint, build. */
  readonly mayRunQuality: boolean;
  readonly mayGitRead: boolean;
  readonly mayGitWrite: boolean;
  readonly mayWeb: boolean;
}

/** The capabilities behind the verdicts of a profile. A group counts as soon as one tool of it is offered. */
export function toCapabilities(verdicts: readonly ToolVerdict[]): Capabilities {
  const offered = verdicts.filter((verdict) => verdict.isOffered).map((verdict) => verdict.card);
  const has = (group: string): boolean => offered.some((card) => card.group === group);
  return {
    mayRead: has('fs_read'),
    mayWrite: has('fs_write'),
    // Asking which runtimes there are belongs to the group as well, and runs nothing.
    mayRunShell: offered.some((card) => card.group === 'runtime' && !card.hints.readOnly),
    mayRunQuality: has('quality'),
    mayGitRead: has('git_read'),
    mayGitWrite: has('git_write'),
    mayWeb: has('web'),
  };
}

/** Whether the hat may change the working tree in any way; one that may not gets the workspace read-only and is looked after. */
export function mayChangeTree(may: Capabilities): boolean {
  return may.mayWrite || may.mayRunShell || may.mayGitWrite;
}

/** Whether a CLI may show everything it can do but its web tools. */
export function mayWork(may: Capabilities): boolean {
  return may.mayRead && may.mayWrite && may.mayRunShell;
}
