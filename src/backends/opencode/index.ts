import { isJsonObject, parseJson } from '../../core/index.ts';
import type { CliDescription } from '../description.ts';
import { addFlags, findFlagValue, flag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { textAt } from '../json-fields.ts';
import { CACHE_HOME, CAMEL_TOKENS, CONFIG_HOME, DATA_HOME, SHORT_TOKENS } from '../state-folder.ts';
import { MOCK_CLIENT, PROBE } from './mock-client.ts';
import { attachOpencode, openOpencode, scopeOpencode } from './scope.ts';
import { createOpencodeTranslator } from './translate.ts';

/** opencode. */
export const opencode: CliDescription = {
  type: 'opencode',
  title: 'opencode',
  command: 'opencode',
  install: 'npm install -g opencode-ai',
  tried: { package: 'opencode-ai', version: '1.18.33' },
  // An argument it quotes and escapes before its model reads it. Tried with 1.18.
  takes: ['stdin', 'arg'],
  isPromptPositional: true,
  plan: planOpencode,
  stream: {
    create: createOpencodeTranslator,
    begins: (first) => 'sessionID' in first && textAt(first, 'type') !== 'system',
  },
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', 'OPENCODE_CONFIG_CONTENT', 'OPENCODE_CONFIG'],
    folder: '',
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
  },
  state: [
    {
      folder: '.local/share/opencode',
      ...DATA_HOME,
      login: ['auth.json', 'mcp-auth.json'],
      tokens: [...SHORT_TOKENS, ...CAMEL_TOKENS],
      copies: [],
      folders: ['bin'],
    },
    {
      folder: '.config/opencode',
      ...CONFIG_HOME,
      login: [],
      copies: ['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md', 'package.json', 'package-lock.json', 'bun.lock'],
      folders: ['agent', 'agents', 'command', 'commands', 'node_modules', 'plugin', 'plugins', 'skills', 'themes', 'tool', 'tools'],
    },
    {
      folder: '.cache/opencode',
      ...CACHE_HOME,
      login: [],
      copies: ['models.json', 'version', 'package.json', 'bun.lock'],
      folders: ['bin', 'node_modules'],
    },
  ],
  ownChanges: {
    rewritten: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    made: ['.opencode/.gitignore'],
  },
  profile: { scope: scopeOpencode, commandLists: 'whole lines' },
  emitTool: { attach: attachOpencode, open: openOpencode },
  mockClient: MOCK_CLIENT,
  probe: PROBE,
};

const CONFIG = 'OPENCODE_CONFIG_CONTENT';

/** Its log on standard error: what it tries again is told nowhere else. */
const LOG = [...flag(['--print-logs']), ...flag(['--log-level'], 'INFO')];

/** `opencode run … PROMPT`. Permissions are a matter of its configuration: they are merged into the one that the environment carries. */
function planOpencode({ spec, prompt, place, env, watchesLimits }: InvocationOrder): Invocation {
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
