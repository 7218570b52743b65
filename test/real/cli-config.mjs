/**
 * How each CLI is pointed at the mock model server: environment and config files in a HOME of its own. The environment is
 * built from nothing, so no key, proxy or setting of the person who runs the tests can reach a CLI or change its output.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const MODELS = /** @type {Record<string, string>} */ ({
  claude: 'claude-sonnet-4-5',
  codex: 'gpt-5-codex',
  gemini: 'gemini-2.5-flash',
});

/** US dollars per million tokens, so that CLIs that price by config report a cost that a test can work out. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/**
 * @param {string} name
 * @returns {string} the model that the CLI is asked for in these runs
 */
export function modelOf(name) {
  return MODELS[name] ?? 'mock-model';
}

/**
 * @typedef {object} Place
 * @property {string} home an empty folder that becomes HOME; it must be under no TMPDIR of the CLI
 * @property {number} port the mock server's port
 * @property {string} [model] default: the CLI's own in `modelOf`
 * @property {boolean} [retries] let the CLI repeat failed model calls where that can be switched off, default false
 * @property {boolean} [subscription] sign claude in as a subscriber, whose usage limits it reports in full; default false
 */

/**
 * @typedef {object} Settings
 * @property {Record<string, string>} env
 * @property {Record<string, string>} [files] text by path relative to home
 */

/**
 * Writes a CLI's config files and gives the whole environment for it.
 *
 * @param {string} name
 * @param {Place} place
 * @returns {Promise<Record<string, string>>}
 */
export async function configure(name, place) {
  const settings = SETTINGS[name];
  if (settings === undefined) throw new Error(`No settings for CLI '${name}'.`);
  const { env, files = {} } = settings({
    ...place,
    model: place.model ?? modelOf(name),
    retries: place.retries ?? false,
    subscription: place.subscription ?? false,
  });
  const temporary = join(place.home, 'tmp');
  await mkdir(temporary, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(place.home, path)), { recursive: true });
    await writeFile(join(place.home, path), content);
  }
  return { ...commonEnvironment(place.home, temporary), ...env };
}

/**
 * @param {string} home
 * @param {string} temporary
 */
function commonEnvironment(home, temporary) {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    USER: 'tester',
    NO_COLOR: '1',
    DO_NOT_TRACK: '1',
  };
}

/** @type {Record<string, (place: Required<Place>) => Settings>} */
const SETTINGS = {
  claude: ({ port, retries, subscription }) => ({
    env: {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ...(subscription ? { CLAUDE_CODE_OAUTH_TOKEN: 'mock-key' } : { ANTHROPIC_API_KEY: 'sk-ant-mock-key' }),
      // Its permission bypass is refused to root without this.
      IS_SANDBOX: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ...(retries ? {} : { CLAUDE_CODE_MAX_RETRIES: '0' }),
    },
  }),
  codex: ({ home, port, model, retries }) => ({
    env: { MOCK_API_KEY: 'sk-mock', CODEX_HOME: join(home, '.codex') },
    files: { '.codex/config.toml': codexConfig(port, model, retries ? 2 : 0) },
  }),
  opencode: ({ port }) => ({
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(port)),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
  pi: ({ port }) => ({
    env: { MOCK_API_KEY: 'sk-mock', PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    files: { '.pi/agent/models.json': JSON.stringify(piModels(port)) },
  }),
  gemini: ({ port }) => ({
    env: { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: 'mock-key' },
    files: { '.gemini/settings.json': JSON.stringify(quietSettings('gemini-api-key')) },
  }),
  copilot: ({ home, port }) => ({
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'sk-mock',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOME: join(home, '.copilot'),
    },
  }),
  qwen: ({ port, model }) => ({
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'sk-mock', OPENAI_MODEL: model },
    files: { '.qwen/settings.json': JSON.stringify(quietSettings('openai')) },
  }),
  cline: ({ port, model }) => ({
    env: {},
    files: { '.cline/data/settings/providers.json': JSON.stringify(clineProviders(port, model)) },
  }),
  auggie: ({ port }) => ({
    env: {
      AUGMENT_SESSION_AUTH: JSON.stringify({ accessToken: 'mock', tenantURL: `http://127.0.0.1:${port}/`, scopes: ['read', 'write'] }),
      AUGMENT_DISABLE_AUTO_UPDATE: '1',
    },
  }),
};

/**
 * @param {number} port
 * @param {string} model
 * @param {number} retries
 */
function codexConfig(port, model, retries) {
  return `model = "${model}"
model_provider = "mock"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "MOCK_API_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
`;
}

/** @param {number} port */
function opencodeConfig(port) {
  const cost = { input: PRICE.input, output: PRICE.output, cache_read: PRICE.cacheRead, cache_write: PRICE.cacheWrite };
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

/** @param {number} port */
function piModels(port) {
  const model = {
    id: 'mock-model',
    name: 'mock',
    reasoning: false,
    input: ['text'],
    cost: PRICE,
    contextWindow: 128_000,
    maxTokens: 8_192,
  };
  return {
    providers: { mock: { baseUrl: `http://127.0.0.1:${port}/v1`, api: 'openai-completions', apiKey: 'MOCK_API_KEY', models: [model] } },
  };
}

/** @param {string} authType */
function quietSettings(authType) {
  return {
    security: { auth: { selectedType: authType } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false },
  };
}

/**
 * @param {number} port
 * @param {string} model
 */
function clineProviders(port, model) {
  const settings = { provider: 'openai-compatible', model, apiKey: 'sk-mock', baseUrl: `http://127.0.0.1:${port}/v1` };
  return {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: { 'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
  };
}
