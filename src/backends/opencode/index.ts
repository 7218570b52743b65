import { isJsonObject, parseJson } from '../../core/values/json.ts';
import type { CliDescription } from '../describe/description.ts';
import { CACHE_HOME, CAMEL_TOKENS, CONFIG_HOME, DATA_HOME, MOCK_PRICE, SHORT_TOKENS } from '../describe/description.ts';
import { addFlags, findFlagValue, flag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachOpencode, CONFIG_VARIABLE, openOpencode, scopeOpencode } from './scope.ts';
import { createOpencodeTranslator } from './translate.ts';

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
    envKeys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY', CONFIG_VARIABLE, 'OPENCODE_CONFIG'],
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
  mockClient: {
    model: 'mock/mock-model',
    args: [],
    toSettings: ({ port }) => ({
      env: {
        [CONFIG_VARIABLE]: JSON.stringify(toConfig(port)),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      },
    }),
  },
  probe: {
    tools: { write: 'write', shell: 'bash', emit: 'ralph_emit_event' },
    toPlants: (mark) => ({
      'opencode.json': JSON.stringify({
        permission: { '*': 'allow', bash: { '*': 'allow', 'echo *': 'allow' } },
        agent: { build: { permission: { edit: 'allow', bash: 'allow' } } },
        mcp: { probe: { type: 'local', command: ['touch', mark], enabled: true } },
      }),
    }),
  },
};

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
  const given = env[CONFIG_VARIABLE];
  if (given === undefined || given.trim() === '') {
    return env['OPENCODE_PERMISSION'] === undefined
      ? { env: { [CONFIG_VARIABLE]: JSON.stringify({ permission: 'allow' }) }, warnings: [] }
      : { env: {}, warnings: [] };
  }
  const config = parseJson(given);
  if (!isJsonObject(config)) {
    return { env: {}, warnings: [`${CONFIG_VARIABLE} is not plain JSON: it is left as it is, so opencode may refuse to use tools`] };
  }
  return config['permission'] === undefined
    ? { env: { [CONFIG_VARIABLE]: JSON.stringify({ ...config, permission: 'allow' }) }, warnings: [] }
    : { env: {}, warnings: [] };
}

function toConfig(port: number): unknown {
  const cost = { input: MOCK_PRICE.input, output: MOCK_PRICE.output, cache_read: MOCK_PRICE.cacheRead, cache_write: MOCK_PRICE.cacheWrite };
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-mock' },
    models: { 'mock-model': { limit: { context: 128_000, output: 8_192 }, cost } },
  };
  return {
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    model: 'mock/mock-model',
    small_model: 'mock/mock-model',
    enabled_providers: ['mock'],
    provider: { mock: provider },
  };
}
