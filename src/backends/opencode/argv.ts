import { isJsonObject, parseJson } from '../../core/index.ts';
import { addFlags, findFlagValue, flag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

const CONFIG = 'OPENCODE_CONFIG_CONTENT';

/** Its log on standard error: what it tries again is told nowhere else. */
const LOG = [...flag(['--print-logs']), ...flag(['--log-level'], 'INFO')];

/** `opencode run … PROMPT`. Permissions are a matter of its configuration: they are merged into the one that the environment carries. */
export function planOpencode({ spec, prompt, place, env, watchesLimits }: InvocationOrder): Invocation {
  const user = spec.args[0] === 'run' ? spec.args.slice(1) : spec.args;
  const format = findFlagValue(user, '--format') ?? 'json';
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    flag(['--agent'], spec.agent),
    flag(['--format'], 'json'),
    watchesLimits && format === 'json' ? LOG : [],
  );
  const bypass = spec.permissions === 'bypass' ? mergeBypass(env) : { env: {}, warnings: [] };
  return {
    command: spec.command ?? 'opencode',
    args: ['run', ...user, ...ours, ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    format: format === 'json' ? 'opencode' : 'text',
    ...bypass,
  };
}

/** The user's configuration with everything allowed; what it says about permissions itself stands. */
function mergeBypass(env: Readonly<Record<string, string>>): Pick<Invocation, 'env' | 'warnings'> {
  const given = env[CONFIG];
  if (given === undefined || given.trim() === '') {
    return env['OPENCODE_PERMISSION'] === undefined
      ? { env: { [CONFIG]: JSON.stringify({ permission: 'allow' }) }, warnings: [] }
      : { env: {}, warnings: [] };
  }
  const config = parseJson(given);
  if (!isJsonObject(config)) {
    return { env: {}, warnings: [`${CONFIG} is not plain JSON: it is left as it is, so opencode may refuse to use tools`] };
  }
  return config['permission'] === undefined
    ? { env: { [CONFIG]: JSON.stringify({ ...config, permission: 'allow' }) }, warnings: [] }
    : { env: {}, warnings: [] };
}
