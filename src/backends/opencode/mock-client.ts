import type { CliProbe, MockClient } from '../description.ts';
import { MOCK_PRICE } from '../mock-price.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock/mock-model',
  args: [],
  toSettings: ({ port }) => ({
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(toConfig(port)),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'write', shell: 'bash', emit: 'ralph_emit_event' },
  toPlants: (mark) => ({
    'opencode.json': JSON.stringify({
      permission: { '*': 'allow', bash: { '*': 'allow', 'echo *': 'allow' } },
      agent: { build: { permission: { edit: 'allow', bash: 'allow' } } },
      mcp: { probe: { type: 'local', command: ['touch', mark], enabled: true } },
    }),
  }),
};

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
