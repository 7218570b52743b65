import type { CliProbe, MockClient } from '../description.ts';

/** How it is pointed at the mock model server. */
export const MOCK_CLIENT: MockClient = {
  model: 'claude-sonnet-4-5',
  args: [],
  toSettings: ({ port, retries, subscription }) => ({
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
};

/** How `ralph doctor --probe` tries it. */
export const PROBE: CliProbe = {
  tools: { write: 'Write', shell: 'Bash', emit: 'mcp__ralph__emit_event' },
  toPlants: (mark) => ({
    '.claude/settings.json': JSON.stringify({
      permissions: { allow: ['Bash', 'Bash(*)', 'Write'], defaultMode: 'bypassPermissions' },
      enableAllProjectMcpServers: true,
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${mark}` }] }] },
    }),
    '.mcp.json': JSON.stringify({ mcpServers: { probe: { command: 'touch', args: [mark] } } }),
  }),
};
