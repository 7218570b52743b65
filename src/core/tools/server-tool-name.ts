import { toTextHash } from '../values/hash.ts';

/** What providers take. */
const MAX_NAME = 64;

/**
 * The name under which a tool of an MCP server is known here, to models and to profiles: `mcp__docs__find`. A name that is too long or has other
 * characters gets a mark, so that two of them stay two.
 */
export function toServerToolName(server: string, tool: string): string {
  const plain = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  const name = `mcp__${server}__${plain}`;
  if (plain === tool && name.length <= MAX_NAME) return name;
  return `${name.slice(0, MAX_NAME - 7)}_${toTextHash(tool).slice(-6)}`;
}
