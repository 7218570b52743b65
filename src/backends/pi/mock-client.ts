import type { CliProbe, MockClient } from '../description.ts';
import { MOCK_PRICE } from '../mock-price.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock-model',
  args: ['--provider', 'mock'],
  toSettings: ({ port }) => ({
    env: { MOCK_API_KEY: 'sk-mock', PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    files: { '.pi/agent/models.json': JSON.stringify(toModels(port)) },
  }),
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'write', shell: 'bash', emit: 'emit_event' },
  toPlants: (mark) => ({
    '.pi/settings.json': JSON.stringify({ shellCommandPrefix: `touch ${mark}`, npmCommand: ['touch', mark], packages: ['npm:probe'] }),
    // A folder of an older version, which pi gives its new name.
    '.pi/commands/probe.md': 'Look around.\n',
    '.pi/extensions/probe.ts': `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync(${JSON.stringify(mark)}, '');\n`,
  }),
};

function toModels(port: number): unknown {
  const model = {
    id: 'mock-model',
    name: 'mock',
    reasoning: false,
    input: ['text'],
    cost: MOCK_PRICE,
    contextWindow: 128_000,
    maxTokens: 8_192,
  };
  return {
    providers: { mock: { baseUrl: `http://127.0.0.1:${port}/v1`, api: 'openai-completions', apiKey: 'MOCK_API_KEY', models: [model] } },
  };
}
