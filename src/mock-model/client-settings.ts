import { join } from 'node:path';

/** Where a client of the mock model server works. */
export interface ClientPlace {
  /** A folder that becomes HOME; it must be under no TMPDIR of the client. */
  readonly home: string;
  /** The server's port. */
  readonly port: number;
  readonly model: string;
  /** Let the client repeat failed model calls where that can be switched off. */
  readonly retries: boolean;
  /** Sign claude in as a subscriber, whose usage limits it reports in full. */
  readonly subscription: boolean;
  /** Absolute path of a project that its user trusts, so that the client reads the settings files in it. */
  readonly trusts?: string;
}

/** What points a client at the server: variables, and texts by path relative to home. */
export interface ClientSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** How a client is asked for the server's model: as `backend:` of a hat takes it. */
export interface ClientModel {
  readonly model: string;
  readonly args: readonly string[];
}

const MODELS: Readonly<Record<string, ClientModel>> = {
  claude: { model: 'claude-sonnet-4-5', args: [] },
  // One that it knows: to others it offers other tools, and no search for them.
  codex: { model: 'gpt-5.5', args: [] },
  gemini: { model: 'gemini-2.5-flash', args: [] },
  opencode: { model: 'mock/mock-model', args: [] },
  pi: { model: 'mock-model', args: ['--provider', 'mock'] },
  qwen: { model: 'mock-model', args: ['--auth-type', 'openai'] },
  cline: { model: 'mock-model', args: ['-P', 'openai-compatible'] },
};

/** US dollars per million tokens, so that clients that price by config report a cost that a test can work out. */
const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** The model and the words with which an agent CLI asks the server. */
export function toClientModel(cli: string): ClientModel {
  return MODELS[cli] ?? { model: 'mock-model', args: [] };
}

/**
 * How an agent CLI is pointed at the server and at nobody else. Pure.
 *
 * @returns `null` for CLIs that can be pointed nowhere but to their vendor
 */
export function toClientSettings(cli: string, place: ClientPlace): ClientSettings | null {
  return SETTINGS[cli]?.(place) ?? null;
}

const SETTINGS: Readonly<Record<string, (place: ClientPlace) => ClientSettings>> = {
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
  codex: ({ home, port, model, retries, trusts }) => ({
    env: { MOCK_API_KEY: 'sk-mock', CODEX_HOME: join(home, '.codex') },
    files: { '.codex/config.toml': codexConfig(port, model, retries ? 2 : 0, trusts) },
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
  gemini: ({ port, trusts }) => ({
    env: { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: 'mock-key' },
    files: {
      '.gemini/settings.json': JSON.stringify(quietSettings('gemini-api-key')),
      ...(trusts === undefined ? {} : { '.gemini/trustedFolders.json': JSON.stringify({ [trusts]: 'TRUST_FOLDER' }) }),
    },
  }),
  copilot: ({ home, port, trusts }) => ({
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'sk-mock',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOME: join(home, '.copilot'),
    },
    ...(trusts === undefined
      ? {}
      : { files: { '.copilot/config.json': JSON.stringify({ trusted_folders: [trusts], trustedFolders: [trusts] }) } }),
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

function codexConfig(port: number, model: string, retries: number, trusts: string | undefined): string {
  const trust = trusts === undefined ? '' : `\n[projects.${JSON.stringify(trusts)}]\ntrust_level = "trusted"\n`;
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
${trust}`;
}

function opencodeConfig(port: number): unknown {
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

function piModels(port: number): unknown {
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

function quietSettings(authType: string): unknown {
  return {
    security: { auth: { selectedType: authType } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: { enableAutoUpdate: false },
  };
}

function clineProviders(port: number, model: string): unknown {
  const settings = { provider: 'openai-compatible', model, apiKey: 'sk-mock', baseUrl: `http://127.0.0.1:${port}/v1` };
  return {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: { 'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
  };
}
