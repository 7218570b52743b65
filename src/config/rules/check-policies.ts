import { createNearMissFinder, type NearMissFinder } from '../../core/text/near-miss.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import { toServerToolName } from '../../core/tools/server-tool-name.ts';
import { PESSIMISTIC_HINTS, TOOL_GROUPS, type ToolCard } from '../../core/tools/tool-card.ts';
import { COMPOSITE_GROUPS, COORDINATION_GROUP, type ProfilePolicy, resolveProfile } from '../../core/tools/tool-profiles.ts';
import { toAnnotations } from '../compile/compile-tools.ts';
import { createPolicyFinder } from '../compile/create-policy-finder.ts';
import { isServerTool, listToolNames } from '../compile/known-tools.ts';
import { endWithMeant, quote } from '../findings/diagnostics.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, type RuleInput } from './rule.ts';

/** For how many findings the meant name is searched. */
const MAX_SEARCHES = 100;
/** How many servers are looked at for each profile. */
const MAX_SERVERS = 50;
const LISTS = ['allow', 'deny', 'exempt'] as const;
const SHELL = 'bash';

/** The user's own profiles name tools that exist, let some in, and keep out what they deny. */
export function checkPolicies(input: RuleInput): readonly Diagnostic[] {
  const profiles = input.declared.profiles ?? {};
  const known = toKnownNames(input);
  const finder = createNearMissFinder([...known], MAX_SEARCHES);
  const find = createPolicyFinder(profiles);
  return Object.entries(profiles).flatMap(([name, profile]) => {
    const unknown = LISTS.flatMap((list) =>
      (profile[list] ?? []).flatMap((tool, index) =>
        known.has(tool) || isServerTool(input.declared, tool)
          ? []
          : [toUnknownFinding(input, input.toItemPath(['profiles', name, list], index), tool, finder)],
      ),
    );
    if (unknown.length > 0 || input.isBroken(['profiles', name])) return unknown;
    return judgePolicy(input, name, find(name), profile.deny ?? []);
  });
}

/** Groups, composites, tools, and what stands for the tools of MCP servers. */
function toKnownNames({ declared, toolNames = [] }: RuleInput): ReadonlySet<string> {
  const servers = Object.keys(declared.mcp_servers ?? {}).map((server) => `mcp:${server}`);
  return new Set([
    ...TOOL_GROUPS,
    ...Object.keys(COMPOSITE_GROUPS),
    COORDINATION_GROUP,
    ...listToolNames(declared, toolNames),
    ...servers,
    'mcp:*',
  ]);
}

function toUnknownFinding(input: RuleInput, path: Path, tool: string, finder: NearMissFinder): Diagnostic {
  const near = finder.find(tool);
  const isServer = tool.startsWith('mcp:') || tool.startsWith('mcp__');
  return findingAt(input, path, {
    code: 'profile-tool-unknown',
    severity: 'error',
    message: `There is no tool and no group of tools ${quote(tool)}${endWithMeant(near)}`,
    why: 'It would let nothing in and keep nothing out, and nobody would notice.',
    fix: isServer
      ? 'Define the server under `mcp_servers:`; `mcp:*` stands for all of them.'
      : `Groups: ${[...Object.keys(COMPOSITE_GROUPS), ...TOOL_GROUPS].join(', ')}. Tools: ralph tools`,
    ...(near === undefined ? {} : { repairs: [toWordRepair(near, finder.isOnly(tool, near))] }),
  });
}

function judgePolicy(input: RuleInput, name: string, policy: ProfilePolicy, deny: readonly string[]): readonly Diagnostic[] {
  const findings: Diagnostic[] = [];
  const index = deny.findIndex(isCoordination);
  if (index >= 0) findings.push(toCoordinationFinding(input, input.toItemPath(['profiles', name, 'deny'], index), deny[index] ?? ''));
  if (isEmpty(policy, input)) findings.push(toEmptyFinding(input, name));
  const idle = listIdleServers(policy, input);
  if (idle.length > 0) findings.push(toServerFinding(input, name, idle));
  const undone = listUndone(policy);
  if (undone.length > 0) findings.push(toShellFinding(input, name, undone));
  return findings;
}

function toCoordinationFinding(input: RuleInput, path: Path, word: string): Diagnostic {
  return findingAt(input, path, {
    code: 'profile-coordination',
    severity: 'warning',
    message: `${quote(word)} cannot be denied.`,
    why: 'Every hat publishes events and keeps notes and a to-do list: otherwise it could not hand its work on.',
    fix: 'Remove it. A hat lists what it may publish under `publishes`.',
  });
}

function isCoordination(word: string): boolean {
  return word === COORDINATION_GROUP || BUILT_IN_CARDS.some((card) => card.group === COORDINATION_GROUP && card.name === word);
}

/** True for a profile that lets no tool in; tools that this version does not know may be let in. */
function isEmpty(policy: ProfilePolicy, { declared, toolNames = [] }: RuleInput): boolean {
  const foreign = [...toolNames, ...Object.keys(declared.tools?.plugins ?? {})];
  if (policy.allow.some((name) => name.startsWith('mcp') || foreign.includes(name))) return false;
  return resolveProfile(policy, BUILT_IN_CARDS).every(({ card, isOffered }) => !isOffered || card.group === COORDINATION_GROUP);
}

function toEmptyFinding(input: RuleInput, name: string): Diagnostic {
  return findingAt(
    input,
    ['profiles', name],
    {
      code: 'profile-empty',
      severity: 'warning',
      message: `The profile ${quote(name)} lets no tool in.`,
      why: 'A hat with it could publish events and keep notes, and could not even read a file.',
      fix: 'List what it may use, such as `allow: [fs_read, git_read]`, or start from another profile: `extends: explorer`.',
    },
    'key',
  );
}

/** MCP servers whose tools are allowed, but kept out by hints that nobody vouches for. */
function listIdleServers(policy: ProfilePolicy, { declared }: RuleInput): readonly string[] {
  const mayBeIdle = (policy.requireReadOnly || policy.denyDestructive) && policy.allow.some((name) => name.startsWith('mcp:'));
  if (!mayBeIdle) return [];
  const lenient = { ...policy, requireReadOnly: false, denyDestructive: false };
  const servers = Object.entries(declared.mcp_servers ?? {}).slice(0, MAX_SERVERS);
  return servers.flatMap(([server, declared]) => {
    const { trust_annotations: isTrusted = false } = declared;
    const vouched = Object.entries(toAnnotations(declared)).map(([tool, hints]) => ({ tool, hints: { ...PESSIMISTIC_HINTS, ...hints } }));
    const named = policy.exempt.filter((name) => name.startsWith(toServerToolName(server, '')));
    const cards = [
      ...vouched.map(({ tool, hints }) => ({ name: toServerToolName(server, tool), hints })),
      ...[toServerToolName(server, ''), ...named].map((name) => ({ name, hints: PESSIMISTIC_HINTS })),
    ].map(({ name, hints }): ToolCard => ({ name, group: `mcp:${server}`, hints, description: '' }));
    const offers = (rules: ProfilePolicy): boolean => resolveProfile(rules, cards).some(({ isOffered }) => isOffered);
    return !isTrusted && offers(lenient) && !offers(policy) ? [server] : [];
  });
}

function toServerFinding(input: RuleInput, name: string, servers: readonly string[]): Diagnostic {
  const [server = ''] = servers;
  return findingAt(
    input,
    ['profiles', name],
    {
      code: 'profile-server',
      severity: 'warning',
      message: `The profile ${quote(name)} allows the MCP server ${quote(server)} and lets none of its tools in.`,
      why: 'It allows only harmless tools, and what a server says of its own tools is not trusted.',
      fix: `Let them in all the same, \`exempt: ["mcp:${server}"]\`, or believe the server: \`mcp_servers.${server}.trust_annotations: true\`.`,
    },
    'key',
  );
}

/** Tools that are denied by name although the shell, which does all that they do, is not. */
function listUndone(policy: ProfilePolicy): readonly string[] {
  const open = resolveProfile({ ...policy, deny: [] }, BUILT_IN_CARDS);
  const held = new Map(resolveProfile(policy, BUILT_IN_CARDS).map(({ card, isOffered }) => [card.name, isOffered]));
  if (held.get(SHELL) !== true) return [];
  return open.flatMap(({ card, isOffered }) => (isOffered && held.get(card.name) === false ? [card.name] : []));
}

function toShellFinding(input: RuleInput, name: string, undone: readonly string[]): Diagnostic {
  const shown = `${undone.slice(0, 4).join(', ')}${undone.length > 4 ? ', …' : ''}`;
  const hasDeny = (input.declared.profiles?.[name]?.deny ?? []).length > 0;
  return findingAt(
    input,
    hasDeny ? ['profiles', name, 'deny'] : ['profiles', name],
    {
      code: 'profile-shell',
      severity: 'warning',
      message: `The profile ${quote(name)} denies ${shown} and leaves \`bash\`, which can do the same.`,
      why: 'A shell runs any command: what is denied beside it is a request, not a boundary.',
      fix: 'Deny `bash` as well; commands of the project itself stay with the group `quality`.',
    },
    'key',
  );
}
