import { createToolMatcher } from '../../core/hooks/match-tool.ts';
import { BUILT_IN_CARDS } from '../../core/tools/built-in-cards.ts';
import type { Declared } from '../keys/settings-table.ts';

/** The tools that there are before a server is asked: built in, of the program's caller, of plugins. */
export function listToolNames(declared: Declared, toolNames: readonly string[]): readonly string[] {
  return [...BUILT_IN_CARDS.map(({ name }) => name), ...toolNames, ...Object.keys(declared.tools?.plugins ?? {})];
}

/** `mcp__docs__find`: what tools a server has is known when it runs. */
export function isServerTool({ mcp_servers }: Declared, name: string): boolean {
  return Object.keys(mcp_servers ?? {}).some((server) => name.startsWith(`mcp__${server}__`));
}

/** Tells whether a name, or a pattern of names, is that of a tool which there is. */
export function createToolFinder(declared: Declared, toolNames: readonly string[]): (name: string) => boolean {
  const known = listToolNames(declared, toolNames);
  return (name) => {
    if (isServerTool(declared, name)) return true;
    if (name.startsWith('mcp__') && /[*?[]/.test(name)) return true;
    const matches = createToolMatcher(name);
    return matches !== null && known.some(matches);
  };
}

/** The alternatives of a pattern, `Write|Edit`; a bar between brackets is a character like any other. */
export function splitAlternatives(pattern: string): readonly string[] {
  return pattern
    .split(/\|(?![^[]*\])/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
