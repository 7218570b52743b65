import { join } from 'node:path';
import { mayWork } from '../../core/tools/tool-profiles.ts';
import { isJsonObject, type JsonObject, parseJson, toJsonObject } from '../../core/values/json.ts';
import { bare, valued, withoutFlags } from '../describe/flags.ts';
import {
  type AttachedTool,
  type CliScope,
  EMIT_SERVER,
  type EmitAttachOrder,
  GIT_LOOKS,
  listServerTools,
  NO_ATTACHED_TOOL,
  type ScopeOrder,
  toServerTimeoutMs,
} from '../describe/scope-plan.ts';
import { listAt, objectAt } from '../stream/read-fields.ts';

/** The variable that holds a configuration of the user's or ours. */
export const CONFIG_VARIABLE = 'OPENCODE_CONFIG_CONTENT';
const PERMISSION = 'OPENCODE_PERMISSION';
/** `--agent plan` writes by its shell, and every agent may have permissions of its own. */
const LIFTING = [bare('--auto'), valued('--agent')];

/**
 * OpenCode: permissions in its configuration, which the environment carries. `--auto` does not lift what is denied. What lies in the project is not read
 * for a hat that is held: rules are merged key by key, so one in `opencode.json` can stand behind ours, and its plugins and servers are programs. What
 * `AGENTS.md` says is read all the same. Tried with 1.18.33.
 */
export function scopeOpencode(order: ScopeOrder): CliScope {
  const { attach, env } = order;
  const permission = { ...toPermission(order), ...Object.fromEntries((attach?.allow ?? []).map((name) => [name, 'allow'])) };
  const given = toObject(env[CONFIG_VARIABLE]);
  const attached = toObject(attach?.env[CONFIG_VARIABLE]);
  const mcp = { ...objectAt(given, 'mcp'), ...objectAt(attached, 'mcp') };
  const works = mayWork(order.may);
  const own = works
    ? {}
    : {
        agent: withAgent(given, permission),
        default_agent: 'build',
        instructions: [...listAt(given, 'instructions'), join(order.cwd, 'AGENTS.md')],
      };
  const config = { ...given, ...attached, ...(Object.keys(mcp).length === 0 ? {} : { mcp }), permission, ...own };
  return {
    args: [...withoutFlags(order.args, LIFTING), ...(attach?.args ?? [])],
    env: {
      ...attach?.env,
      ...(works ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
      [CONFIG_VARIABLE]: JSON.stringify(config),
      ...(env[PERMISSION] === undefined ? {} : { [PERMISSION]: JSON.stringify(permission) }),
    },
    files: attach?.files ?? [],
    permissions: works ? order.permissions : 'default',
    limits: works && !order.may.mayWeb ? ['An agent of the project (`agent.*.permission` in opencode.json) can allow itself more.'] : [],
  };
}

/** The agent that runs has our rules as its own, whatever the user's configuration says of it. */
function withAgent(given: JsonObject, permission: JsonObject): JsonObject {
  const agents = objectAt(given, 'agent');
  return { ...agents, build: { ...objectAt(agents, 'build'), permission } };
}

/** The last rule that fits counts, so what denies everything comes first. */
function toPermission({ may, qualityCommands, isConfined }: ScopeOrder): JsonObject {
  const web = may.mayWeb ? 'allow' : 'deny';
  if (mayWork(may)) return { '*': 'allow', webfetch: web, websearch: web };
  const reading = may.mayRead ? { read: 'allow', grep: 'allow', glob: 'allow', list: 'allow' } : {};
  const bash = toBash(may.mayRunQuality ? qualityCommands : [], may.mayGitRead && (isConfined || may.mayRunQuality));
  return {
    '*': 'deny',
    ...reading,
    ...(may.mayWeb ? { webfetch: 'allow', websearch: 'allow' } : {}),
    ...(may.mayWrite ? { edit: 'allow' } : {}),
    ...(may.mayRunShell ? { bash: 'allow' } : bash === null ? {} : { bash }),
  };
}

/** Whole command lines: with a star behind it `npm test > file` would pass. */
function toBash(commands: readonly string[], looks: boolean): JsonObject | null {
  const all = [...commands, ...(looks ? GIT_LOOKS : [])];
  return all.length === 0 ? null : { '*': 'deny', ...Object.fromEntries(all.map((command) => [command, 'allow'])) };
}

function toObject(text: string | undefined): JsonObject {
  return toJsonObject(text === undefined ? undefined : parseJson(text));
}

/** In the configuration that the environment carries. */
export function attachOpencode({ server, tools, checks }: EmitAttachOrder): AttachedTool {
  const entry = { type: 'local', command: [server.command, ...server.args], enabled: true, timeout: toServerTimeoutMs({ tools, checks }) };
  return {
    ...NO_ATTACHED_TOOL,
    env: { [CONFIG_VARIABLE]: JSON.stringify({ mcp: { [EMIT_SERVER]: entry } }) },
    allow: listServerTools({ tools, checks }).map((tool) => `${EMIT_SERVER}_${tool}`),
    checks,
  };
}

/** opencode has one variable for all that is said to it. */
export function openOpencode(attached: AttachedTool, { env }: Pick<ScopeOrder, 'env'>): Partial<CliScope> {
  const [given, own] = [env[CONFIG_VARIABLE], attached.env[CONFIG_VARIABLE]];
  if (own === undefined || given === undefined || given.trim() === '') return {};
  const [first, second] = [parseJson(given), parseJson(own)];
  // A configuration with comments is left as it is: the agent goes without the tool rather than without its settings.
  if (!isJsonObject(first) || !isJsonObject(second)) return { env: { [CONFIG_VARIABLE]: given } };
  return { env: { [CONFIG_VARIABLE]: JSON.stringify({ ...first, mcp: { ...objectAt(first, 'mcp'), ...objectAt(second, 'mcp') } }) } };
}
