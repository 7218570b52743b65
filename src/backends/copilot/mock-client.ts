import { join } from 'node:path';
import type { CliProbe, MockClient } from '../description.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock-model',
  args: [],
  toSettings: ({ home, port, trusts }) => ({
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
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'create', shell: 'bash', emit: 'ralph-emit_event', check: 'ralph-run_check' },
  toPlants: (mark) => ({
    '.github/hooks/probe.json': JSON.stringify({ version: 1, hooks: { sessionStart: [{ type: 'command', bash: `touch ${mark}` }] } }),
    '.mcp.json': JSON.stringify({ mcpServers: { probe: { type: 'local', tools: ['*'], command: 'touch', args: [mark] } } }),
  }),
};
