import { describe, expect, test } from 'vitest';
import type { EmitAttachOrder } from '../backends/index.ts';
import { parseJson } from '../core/index.ts';
import { canAttachEmit, planEmitAttach } from './attach-emit.ts';

const ORDER: Omit<EmitAttachOrder, 'cli'> = {
  server: { command: '/r/bin/ralph', args: ['mcp', '--hat', 'critic "q"', '--events', '/w/.agent/events.jsonl'] },
  tool: { description: 'Publish.', inputSchema: { type: 'object', properties: { topic: { enum: ['a'] } } } },
  folder: '/w/.ralph/runs/1/private/1.1',
  isAlone: true,
  checks: [],
};

const plan = (cli: EmitAttachOrder['cli'], changes: Partial<EmitAttachOrder> = {}) => planEmitAttach({ ...ORDER, ...changes, cli });

test('every CLI that takes servers or extensions for one call gets the tool; the others get none', () => {
  for (const cli of ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen', 'acp'] as const) {
    expect(canAttachEmit(cli)).toBe(true);
    expect(plan(cli)).not.toBeNull();
  }
  for (const cli of ['cline', 'auggie', 'amp', 'kiro', 'custom', 'scripted', 'native', 'auto'] as const) {
    expect(canAttachEmit(cli)).toBe(false);
    expect(plan(cli)).toBeNull();
  }
});

describe.each(['claude', 'copilot', 'qwen'] as const)('%s', (cli) => {
  test('gets the server as one argument of JSON, with the arguments unchanged', () => {
    const args = plan(cli)?.args ?? [];
    const config = args.flatMap((word) => (word.startsWith('{') ? [parseJson(word)] : []));
    expect(config).toMatchObject([{ mcpServers: { ralph: { command: '/r/bin/ralph', args: ORDER.server.args } } }]);
  });
});

test("the user's own servers are left out only where the hat is held back", () => {
  expect(plan('claude')?.args).toContain('--strict-mcp-config');
  expect(plan('claude', { isAlone: false })?.args).not.toContain('--strict-mcp-config');
  expect(plan('gemini')?.args).toEqual(['--allowed-mcp-server-names', 'ralph']);
  expect(plan('gemini', { isAlone: false })?.args).toEqual([]);
  expect(plan('qwen', { isAlone: false })?.args).not.toContain('--allowed-mcp-server-names');
});

test('codex gets a table of TOML whose texts are quoted', () => {
  expect(plan('codex')?.args).toEqual([
    '-c',
    'mcp_servers.ralph={command="/r/bin/ralph",args=["mcp","--hat","critic \\"q\\"","--events","/w/.agent/events.jsonl"],default_tools_approval_mode="approve",startup_timeout_sec=30}',
  ]);
});

test('gemini gets the server by a settings file of its own home, trusted', () => {
  expect(plan('gemini')?.settings).toMatchObject({
    path: '.gemini/settings.json',
    merge: { mcpServers: { ralph: { command: '/r/bin/ralph', trust: true } } },
  });
});

test('opencode gets the server by its configuration in the environment', () => {
  const config = parseJson(plan('opencode')?.env['OPENCODE_CONFIG_CONTENT'] ?? '');
  expect(config).toMatchObject({ mcp: { ralph: { type: 'local', command: ['/r/bin/ralph', ...ORDER.server.args], enabled: true } } });
});

test('pi gets an extension in the private folder, with the schema of the tool in it', () => {
  const attached = plan('pi');
  const [file] = attached?.files ?? [];
  expect(attached?.args).toEqual(['-e', `${ORDER.folder}/${file?.path}`]);
  expect(file?.content).toContain('"enum":["a"]');
});

test('an agent of the protocol is told of the server when its session begins', () => {
  expect(plan('acp')?.servers).toEqual([{ name: 'ralph', command: '/r/bin/ralph', args: ORDER.server.args }]);
});

test('each CLI is told in its own words that the tool may be used', () => {
  const allow = Object.fromEntries(
    (['claude', 'gemini', 'opencode', 'pi', 'copilot', 'qwen'] as const).map((cli) => [cli, plan(cli)?.allow]),
  );
  expect(allow).toEqual({
    claude: ['mcp__ralph__emit_event'],
    gemini: ['mcp_ralph_emit_event'],
    opencode: ['ralph_emit_event'],
    pi: ['emit_event'],
    copilot: ['ralph(emit_event)'],
    qwen: ['mcp__ralph__emit_event'],
  });
});
