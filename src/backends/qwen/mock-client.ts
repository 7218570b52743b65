import type { CliProbe, MockClient } from '../description.ts';
import { toPlantedSettings, toQuietSettings } from '../gemini/mock-client.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'mock-model',
  args: ['--auth-type', 'openai'],
  toSettings: ({ port, model }) => ({
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'sk-mock', OPENAI_MODEL: model },
    files: { '.qwen/settings.json': JSON.stringify(toQuietSettings('openai')) },
  }),
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'write_file', shell: 'run_shell_command', emit: 'mcp__ralph__emit_event', check: 'mcp__ralph__run_check' },
  toPlants: (mark) => ({
    '.qwen/settings.json': JSON.stringify({ ...toPlantedSettings(mark), permissions: { allow: ['run_shell_command'] } }),
  }),
};
