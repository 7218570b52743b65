import { checkToolCard, createToolTwiceError } from '../core/index.ts';
import type { AnyTool } from './tool.ts';

/** The tools that there are, whatever a profile makes of them. */
export interface ToolRegistry {
  /** In the order in which they are offered; it never changes by itself, so that providers can cache it. */
  readonly tools: readonly AnyTool[];
  readonly find: (name: string) => AnyTool | undefined;
}

/**
 * Puts tools together: the built-in ones, those of plugins and those of MCP servers.
 *
 * @throws RalphError `tool-invalid` for a name or group that cannot be, `tool-twice` for a name that is taken
 */
export function createRegistry(tools: readonly AnyTool[]): ToolRegistry {
  const byName = new Map<string, AnyTool>();
  for (const tool of tools) {
    checkToolCard(tool);
    if (byName.has(tool.name)) throw createToolTwiceError(tool.name);
    byName.set(tool.name, tool);
  }
  const list = [...byName.values()];
  return { tools: list, find: (name) => byName.get(name) };
}
