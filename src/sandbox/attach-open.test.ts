import { expect, test } from 'vitest';
import type { ScopeOrder } from '../backends/index.ts';
import { planEmitAttach } from './attach-emit.ts';
import { planOpenScope } from './attach-open.ts';

const SERVER = { command: '/r/ralph', args: ['mcp'] };
const TOOL = { description: '', inputSchema: {} };

function plan(cli: ScopeOrder['cli'], changes: Partial<Pick<ScopeOrder, 'args' | 'permissions' | 'env'>> = {}) {
  const attach = planEmitAttach({ cli, server: SERVER, tool: TOOL, folder: '/p', isAlone: false, checks: [] });
  return planOpenScope({ cli, args: ['--mine'], permissions: 'bypass', env: {}, attach, ...changes });
}

test('an agent that nothing holds back keeps its own arguments and permissions', () => {
  for (const cli of ['claude', 'codex', 'copilot', 'pi', 'qwen'] as const) {
    const { args, permissions } = plan(cli);
    expect(args[0]).toBe('--mine');
    expect(args.length).toBeGreaterThan(1);
    expect(permissions).toBe('bypass');
  }
});

test('where it would be asked about the tool, the tool is allowed', () => {
  expect(plan('claude', { permissions: 'default' }).args.slice(-2)).toEqual(['--allowedTools', 'mcp__ralph__emit_event']);
  expect(plan('copilot', { permissions: 'default' }).args.slice(-2)).toEqual(['--allow-tool', 'ralph(emit_event)']);
  expect(plan('claude').args).not.toContain('--allowedTools');
});

test("opencode's configuration keeps what the user says in it", () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{"model": "m", "mcp": {"mine": {"enabled": true}}}' };
  const config = JSON.parse(plan('opencode', { env }).env['OPENCODE_CONFIG_CONTENT'] ?? '');
  expect(config).toMatchObject({ model: 'm', mcp: { mine: { enabled: true }, ralph: { command: ['/r/ralph', 'mcp'] } } });
  expect(config).not.toHaveProperty('permission');
});

test('a configuration that cannot be read is left as it is', () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{ // mine\n}' };
  expect(plan('opencode', { env }).env['OPENCODE_CONFIG_CONTENT']).toBe('{ // mine\n}');
});
