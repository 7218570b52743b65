import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import { toServerToolName } from '../../core/tools/server-tool-name.ts';
import { HARMLESS_HINTS, PESSIMISTIC_HINTS, type ToolCard } from '../../core/tools/tool-card.ts';
import { type ProfilePolicy, resolveProfile } from '../../core/tools/tool-profiles.ts';
import { toErrorMessage } from '../../core/values/errors.ts';
import type { AnyTool } from '../tool/tool.ts';
import type { ConnectedServer } from './connect-server.ts';
import type { McpPlace } from './process-transport.ts';

/** The tools of the servers that a hat may use, for one turn. */
export interface ServerTools {
  /** By server, in the order of the configuration. */
  readonly tools: readonly AnyTool[];
  /** What went wrong: such a server has no tools, and the turn goes on without. */
  readonly warnings: readonly string[];
  /** Ends the servers; never rejects. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the MCP servers of which the profile may let a tool in, all at once. Never rejects: a server that does not start is a warning.
 * The library for it is loaded only where there is such a server.
 *
 * @param policy `null`: no profile, every server
 */
export async function openServers(servers: readonly McpServerSpec[], policy: ProfilePolicy | null, place: McpPlace): Promise<ServerTools> {
  const wanted = servers.filter((server) => isWanted(server, policy));
  if (wanted.length === 0) return { tools: [], warnings: [], close: async () => undefined };
  const { connectServer } = await import('./connect-server.ts');
  const results = await Promise.allSettled(wanted.map((server) => connectServer(server, place)));
  const connected: ConnectedServer[] = [];
  const warnings: string[] = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'rejected') warnings.push(`The MCP server ${wanted[index]?.name} cannot be used: ${toMessage(result.reason)}.`);
    else {
      connected.push(result.value);
      warnings.push(...result.value.warnings);
    }
  }
  return {
    ...takeOnce(connected.flatMap((server) => server.tools)),
    warnings,
    close: async () => void (await Promise.all(connected.map((server) => server.close()))),
  };
}

/** Whether the profile may let in a tool of the server; the hints of a trusted one are not known before it runs, so the most harmless are assumed. */
function isWanted({ name: server, trustsAnnotations, annotations = {} }: McpServerSpec, policy: ProfilePolicy | null): boolean {
  if (policy === null) return true;
  const hints = trustsAnnotations ? HARMLESS_HINTS : PESSIMISTIC_HINTS;
  const names = [...policy.allow, ...policy.exempt].filter((name) => name.startsWith(`mcp__${server}__`));
  const group = `mcp:${server}` as const;
  const cards = [`mcp__${server}__`, ...names].map((name): ToolCard => ({ name, group, hints, description: '' }));
  const known = Object.entries(annotations).map(
    ([tool, said]): ToolCard => ({ name: toServerToolName(server, tool), group, hints: { ...hints, ...said }, description: '' }),
  );
  return resolveProfile(policy, [...known, ...cards]).some(({ isOffered }) => isOffered);
}

/** Servers choose the names of their tools: of two that come out the same the first counts. */
function takeOnce(tools: readonly AnyTool[]): Pick<ServerTools, 'tools'> {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return { tools: [...byName.values()] };
}

function toMessage(reason: unknown): string {
  return toErrorMessage(reason).replace(/\.$/, '');
}
