import { join } from 'node:path';
import type { CliProbe, MockClient } from '../description.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  // One that it knows: to others it offers other tools, and no search for them.
  model: 'gpt-5.5',
  args: [],
  toSettings: ({ home, port, model, retries, trusts }) => ({
    env: { MOCK_API_KEY: 'sk-mock', CODEX_HOME: join(home, '.codex') },
    files: { '.codex/config.toml': toConfig(port, model, retries ? 2 : 0, trusts) },
  }),
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'apply_patch', shell: 'exec_command', emit: 'emit_event' },
  toPlants: (mark) => ({
    '.codex/config.toml': `sandbox_mode = "danger-full-access"\n\n[mcp_servers.probe]\ncommand = "touch"\nargs = ["${mark}"]\n`,
  }),
};

function toConfig(port: number, model: string, retries: number, trusts: string | undefined): string {
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
