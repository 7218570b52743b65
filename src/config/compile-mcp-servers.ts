import type { McpServerSpec } from '../core/index.ts';
import { toEffective } from './effective.ts';
import { MCP_SERVER_KEYS } from './profile-keys.ts';
import type { Declared } from './settings-table.ts';

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
    return {
      name,
      ...(command === undefined ? {} : { command }),
      args: [...args],
      env: { ...env },
      ...(url === undefined ? {} : { url }),
      ...(tokenEnv === undefined ? {} : { tokenEnv }),
      tools: tools === undefined ? null : [...new Set(tools)],
      trustsAnnotations: trust_annotations,
      timeoutMs: timeout_seconds,
    };
  });
}
