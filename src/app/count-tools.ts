import type { Settings } from '../config/index.ts';
import { type BackendType, BUILT_IN_CARDS, resolveProfile, toPluginCard } from '../core/index.ts';
import { hasScopeFlags } from '../sandbox/index.ts';
import { listRunTools } from './plugin-files.ts';

/**
 * How many tools a hat has as far as is known before its turn: by its profile as the settings say now. Tools of MCP servers are not counted, they
 * are known when the servers run. `null`: its agent is a CLI with tools of its own, and no profile holds it back or none can be said to it.
 */
export function countTools(settings: Pick<Settings, 'policies' | 'tools'>, hat: string, agent: BackendType): number | null {
  const isNative = agent === 'native';
  const { policies } = settings;
  const policy = (Object.hasOwn(policies, hat) ? policies[hat] : null) ?? null;
  if (!isNative && (policy === null || !hasScopeFlags(agent))) return null;
  // Tools of the user's own are the native agent's alone.
  const cards = isNative ? [...BUILT_IN_CARDS, ...listRunTools(settings).map(toPluginCard)] : BUILT_IN_CARDS;
  return resolveProfile(policy, cards).filter(({ isOffered }) => isOffered).length;
}
