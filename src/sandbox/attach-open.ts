import { isJsonObject, type JsonObject, parseJson } from '../core/index.ts';
import type { AttachedTool, ScopeOrder, ScopePlan } from './scope-plan.ts';

const CONFIG = 'OPENCODE_CONFIG_CONTENT';

/** What an agent that nothing holds back is started with when it gets the tool `emit_event`: its own arguments, and those of the tool. Pure. */
export function planOpenScope(order: Pick<ScopeOrder, 'cli' | 'args' | 'permissions' | 'env' | 'attach'>): ScopePlan {
  const { cli, args, permissions, env, attach } = order;
  const own = attach ?? { args: [], env: {}, files: [], allow: [], checks: [] };
  const isAsked = permissions === 'default';
  return {
    args: [...args, ...own.args, ...(isAsked ? toAllowed(cli, own) : [])],
    env: { ...own.env, ...mergeConfig(env[CONFIG], own.env[CONFIG]) },
    files: own.files,
    settings: [],
    permissions,
    prompt: 'stdin',
    limits: [],
  };
}

/** Where the CLI asks before it uses a tool, this one is allowed. Those that are missing say it in the server's own entry, or ask nobody. */
function toAllowed(cli: ScopeOrder['cli'], { allow }: AttachedTool): readonly string[] {
  if (cli === 'claude') return ['--allowedTools', ...allow];
  return cli === 'copilot' ? ['--allow-tool', ...allow] : [];
}

/** opencode has one variable for all that is said to it. */
function mergeConfig(given: string | undefined, own: string | undefined): Readonly<Record<string, string>> {
  if (own === undefined || given === undefined || given.trim() === '') return {};
  const [first, second] = [toObject(given), toObject(own)];
  // A configuration with comments is left as it is: the agent goes without the tool rather than without its settings.
  if (first === null || second === null) return { [CONFIG]: given };
  const servers = { ...toServers(first), ...toServers(second) };
  return { [CONFIG]: JSON.stringify({ ...first, mcp: servers }) };
}

function toServers(config: JsonObject): JsonObject {
  const servers = config['mcp'];
  return isJsonObject(servers) ? servers : {};
}

function toObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}
