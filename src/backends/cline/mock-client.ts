import type { MockClient } from '../description.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock-model',
  args: ['-P', 'openai-compatible'],
  toSettings: ({ port, model }) => ({
    env: {},
    files: { '.cline/data/settings/providers.json': JSON.stringify(toProviders(port, model)) },
  }),
};

function toProviders(port: number, model: string): unknown {
  const settings = { provider: 'openai-compatible', model, apiKey: 'sk-mock', baseUrl: `http://127.0.0.1:${port}/v1` };
  return {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: { 'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
  };
}
