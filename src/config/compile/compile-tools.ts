import type { McpServerSpec } from '../../core/tools/mcp-server-spec.ts';
import type { ToolHints } from '../../core/tools/tool-card.ts';
import { NO_TOOLS_SPEC, type ToolsSpec } from '../../core/tools/tools-spec.ts';
import { toEffective } from '../keys/setting-values.ts';
import type { Declared } from '../keys/settings-table.ts';
import { MCP_SERVER_KEYS } from '../keys/tool-keys.ts';

/** `tools:`, with the defaults filled in. */
export function compileTools({ tools }: Declared): ToolsSpec {
  const { search, private_hosts: hosts = [], pass_env: passEnv = [], protected_branches: branches, plugins } = tools ?? {};
  return {
    search: search?.provider === undefined ? null : toSearch({ ...search, provider: search.provider }),
    privateHosts: [...new Set(hosts.flatMap(toHostsAndPorts))],
    passEnv: [...new Set(passEnv)],
    protectedBranches: branches === undefined ? NO_TOOLS_SPEC.protectedBranches : [...new Set(branches)],
    plugins: { ...plugins },
  };
}

type DeclaredSearch = NonNullable<NonNullable<Declared['tools']>['search']>;

function toSearch({
  provider,
  base_url: baseUrl,
  api_key_env: apiKeyEnv,
}: Required<Pick<DeclaredSearch, 'provider'>> & DeclaredSearch): ToolsSpec['search'] {
  return { provider, ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
}

function toHostsAndPorts(written: string): readonly string[] {
  const host = written.toLowerCase();
  return /:\d+$/.test(host) ? [host] : [`${host}:80`, `${host}:443`];
}

type DeclaredServer = NonNullable<Declared['mcp_servers']>[string];
type DeclaredHints = NonNullable<DeclaredServer['annotations']>[string];

/** The MCP servers in the order of the file. */
export function compileMcpServers(declared: Declared): readonly McpServerSpec[] {
  return Object.entries(declared.mcp_servers ?? {}).map(([name, server]) => {
    const {
      command,
      args,
      env,
      url,
      token_env: tokenEnv,
      tools,
      trust_annotations,
      timeout_seconds,
    } = toEffective(MCP_SERVER_KEYS, server);
    const annotations = toAnnotations(server);
    return {
      name,
      ...(command === undefined ? {} : { command }),
      args: [...args],
      env: { ...env },
      ...(url === undefined ? {} : { url }),
      ...(tokenEnv === undefined ? {} : { tokenEnv }),
      tools: tools === undefined ? null : [...new Set(tools)],
      trustsAnnotations: trust_annotations,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      timeoutMs: timeout_seconds,
    };
  });
}

/** Hints that the person vouches for, by the server's names of its tools. */
export function toAnnotations({ annotations = {} }: DeclaredServer): NonNullable<McpServerSpec['annotations']> {
  return Object.fromEntries(Object.entries(annotations).map(([tool, hints]) => [tool, toHints(hints)]));
}

function toHints(declared: DeclaredHints): Partial<ToolHints> {
  const { read_only_hint: readOnly, destructive_hint: destructive, idempotent_hint: idempotent, open_world_hint: openWorld } = declared;
  const hints = { readOnly, destructive, idempotent, openWorld };
  return Object.fromEntries(Object.entries(hints).filter(([, value]) => value !== undefined));
}
