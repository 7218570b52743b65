import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import type { EmitAttachOrder, ScopeOrder, ScopePlan } from '../backends/describe/scope-plan.ts';
import type { BackendType } from '../core/backends/backend-spec.ts';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { BUILT_IN_POLICIES, mayChangeTree, resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { parseJson } from '../core/values/json.ts';
import { canAttachEmit, listToolChecks, planEmitAttach, planOpenScope, planScope } from './plan-scope.ts';

/** `UPDATE_GOLDEN=1 npx vitest run --project unit src/sandbox` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen'] as const;

/** With the tools of Ralph's own server, as a run attaches them. */
function plan(cli: BackendType, profile: string, more: Partial<ScopeOrder> = {}): ScopePlan {
  const may = toCapabilities(resolveProfile(BUILT_IN_POLICIES[profile] ?? null, BUILT_IN_CARDS));
  const qualityCommands = more.qualityCommands ?? ['npm test'];
  const checks = listToolChecks(cli, may, qualityCommands);
  const server = { command: '/r/bin/ralph', args: ['mcp', ...checks.map((line) => `--check=${line}`)] };
  const tools = [{ name: 'emit_event', description: 'Publish.', inputSchema: {} }] as const;
  return planScope({
    cli,
    may,
    qualityCommands,
    args: [],
    permissions: 'bypass',
    env: {},
    folder: '/private/1.1',
    cwd: '/project',
    attach: planEmitAttach({ cli, server, tools, folder: '/private/1.1', isAlone: !mayChangeTree(may), checks }),
    isConfined: false,
    ...more,
  });
}

function toText(cli: BackendType): string {
  const sections = Object.keys(BUILT_IN_POLICIES).flatMap((profile) =>
    [false, true].map((isConfined) => {
      const { args, env, files, settings, permissions, prompt, limits } = plan(cli, profile, { isConfined });
      return [
        `## ${profile}${isConfined ? ', in the sandbox of the operating system' : ''}`,
        `args: ${JSON.stringify(args)}`,
        `permissions: ${permissions}, prompt: ${prompt}`,
        ...Object.entries(env).map(([name, value]) => `env: ${name}=${value}`),
        ...files.map(({ path, content }) => (path.startsWith('emit/') ? `file: ${path}` : `file: ${path}\n${content.trimEnd()}`)),
        ...settings.map(({ path, merge }) => `settings: ${path} ${JSON.stringify(merge)}`),
        ...limits.map((limit) => `limit: ${limit}`),
      ].join('\n');
    }),
  );
  return `# ${cli}\n\n${sections.join('\n\n')}\n`;
}

describe('a profile in the words of a CLI, as people can read it in golden/', () => {
  it.each(CLIS)('%s.txt is what it is started with', (cli) => {
    const file = new URL(`./golden/${cli}.txt`, import.meta.url);
    if (UPDATE) writeFileSync(file, toText(cli));
    expect(toText(cli)).toBe(readFileSync(file, 'utf8'));
  });

  it('says of other CLIs that they can be told nothing, and leaves their arguments alone', () => {
    const { args, permissions, limits } = plan('cline', 'critic', { args: ['--yes'] });
    expect([args, permissions, limits]).toEqual([['--yes'], 'bypass', ['cline can be told nothing of a profile by its flags.']]);
  });

  it.each(CLIS)('takes from %s what its user wrote to lift the scope', (cli) => {
    const lifting = [
      '--yolo',
      '--dangerously-skip-permissions',
      '--dangerously-bypass-approvals-and-sandbox',
      '--allow-all',
      '--auto',
      '--full-auto',
    ];
    const own: Readonly<Partial<Record<BackendType, readonly string[]>>> = {
      claude: ['--dangerously-skip-permissions', '--allowedTools', 'Bash', 'Write', '--permission-mode=bypassPermissions'],
      codex: ['--full-auto', '-s', 'danger-full-access', '-c', 'sandbox_mode="danger-full-access"', '-c', 'approval_policy=never'],
      gemini: ['--yolo', '-y', '--approval-mode', 'yolo'],
      opencode: ['--auto', '--agent', 'build'],
      pi: ['--tools', 'bash,write'],
      copilot: ['--allow-all', '--allow-tool', 'shell', 'write'],
      qwen: ['--yolo', '--allowed-tools', 'run_shell_command'],
    };
    const { args } = plan(cli, 'explorer', { args: [...(own[cli] ?? []), '--debug'] });
    expect(args[0]).toBe('--debug');
    for (const word of [...lifting, 'Bash', 'danger-full-access', 'build', 'shell', 'sandbox_mode="danger-full-access"'])
      expect(args).not.toContain(word);
  });

  it.each(CLIS)('never gives a hat of %s that may not write its bypass without taking the tools away that write', (cli) => {
    for (const profile of ['explorer', 'planner', 'critic'])
      for (const isConfined of [false, true]) {
        const { args, env, files, permissions } = plan(cli, profile, { isConfined });
        const all = JSON.stringify([args, env, files]);
        if (permissions === 'bypass') expect(all).toMatch(/deny|exclude-tools/);
      }
  });

  it.each(CLIS)('attaches a tool to %s without losing a rule', (cli) => {
    const attach = {
      args: ['--attached'],
      env: { OPENCODE_CONFIG_CONTENT: '{"mcp":{"ralph":{}}}' },
      files: [],
      allow: ['ralph(emit_event)'],
      checks: [],
    };
    const without = plan(cli, 'critic', { attach: null });
    const { args, env } = plan(cli, 'critic', { attach });
    expect([...args, JSON.stringify(env)].join(' ')).toMatch(/--attached/);
    for (const word of without.args.filter((part) => part.startsWith('-'))) expect(args).toContain(word);
    if (cli === 'opencode') {
      const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, Record<string, unknown>>;
      expect([config['mcp'], config['permission']?.['*'], config['permission']?.['ralph(emit_event)']]).toEqual([
        { ralph: {} },
        'deny',
        'allow',
      ]);
    }
  });

  it.each(['gemini', 'copilot', 'qwen'] as const)(
    'gives %s, which looks at the beginning of a command only, no shell but a tool that runs the tests',
    (cli) => {
      for (const isConfined of [false, true]) {
        const { args, env, files, limits } = plan(cli, 'critic', { isConfined });
        const all = JSON.stringify([args, env, files]);
        // Git's own commands stand behind the wall of the operating system.
        expect(all.includes('git log')).toBe(isConfined && cli !== 'gemini');
        expect(all).not.toMatch(/\(npm test\)|"npm test"/);
        expect(limits.join(' ')).not.toContain('npm test');
      }
      const without = plan(cli, 'critic', { attach: null });
      expect(without.limits.join(' ')).toContain('`npm test` cannot be run');
    },
  );

  it('gives a command that no list can hold to claude and opencode by the tool', () => {
    const line = 'tsc -p . && vitest run "a b"';
    for (const cli of ['claude', 'opencode'] as const) {
      const { args, env, limits } = plan(cli, 'critic', { qualityCommands: ['npm test', line] });
      expect(JSON.stringify([args, env])).toMatch(/run_check/);
      expect(limits.join(' ')).not.toContain('vitest');
    }
  });

  it.each([
    ['claude', /--setting-sources","",/],
    ['codex', /trust_level=\\"untrusted\\"/],
    ['gemini', /GEMINI_CLI_TRUSTED_FOLDERS_PATH/],
    ['opencode', /OPENCODE_DISABLE_PROJECT_CONFIG/],
    ['pi', /--no-extensions/],
    ['copilot', /"trustedFolders":\[\]/],
    ['qwen', /QWEN_CODE_SYSTEM_SETTINGS_PATH/],
  ] as const)('lets %s read no settings of the project for a hat that is held, and leaves the others alone', (cli, sign) => {
    const toAll = (profile: string): string => {
      const { args, env, settings } = plan(cli, profile);
      return JSON.stringify([args, env, settings]);
    };
    for (const profile of ['explorer', 'planner', 'critic']) expect(toAll(profile)).toMatch(sign);
    expect(toAll('creator')).not.toMatch(sign);
  });

  it("reads the user's own settings of claude where they count", () => {
    const { args } = plan('claude', 'critic', { userSettings: true });
    expect(args[args.indexOf('--setting-sources') + 1]).toBe('user');
  });

  it('keeps what the user configured of opencode, but for its permissions', () => {
    const given = JSON.stringify({ model: 'a/b', permission: 'allow', mcp: { mine: {} } });
    const { env } = plan('opencode', 'explorer', { attach: null, env: { OPENCODE_CONFIG_CONTENT: given, OPENCODE_PERMISSION: '"allow"' } });
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>;
    expect([config['model'], config['mcp'], (config['permission'] as Record<string, unknown>)['*']]).toEqual(['a/b', { mine: {} }, 'deny']);
    expect(JSON.parse(env['OPENCODE_PERMISSION'] ?? '')).toEqual(config['permission']);
  });

  it.each(['npm test; rm -rf .', 'npm test > x', 'npm test $(x)', 'a,b', 'x)', '*', "a'b", 'npm test\nrm'])(
    'writes %j into no list of allowed commands, and says so',
    (command) => {
      for (const cli of CLIS) {
        const { args, env, files, limits } = plan(cli, 'critic', { qualityCommands: [command], attach: null });
        expect(JSON.stringify([args.slice(0), env, files])).not.toContain(JSON.stringify(command).slice(1, -1).concat(')'));
        expect(limits.join(' ')).toMatch(/cannot be (?:written into a list of allowed commands|run: )/);
      }
    },
  );
});

describe('what a profile comes to', () => {
  it('lets explorer, planner and critic change nothing, creator and editor everything', () => {
    const writers = Object.keys(BUILT_IN_POLICIES).filter((name) =>
      mayChangeTree(toCapabilities(resolveProfile(BUILT_IN_POLICIES[name] ?? null, BUILT_IN_CARDS))),
    );
    expect(writers).toEqual(['creator', 'editor']);
  });
});

const ORDER: Omit<EmitAttachOrder, 'cli'> = {
  server: { command: '/r/bin/ralph', args: ['mcp', '--hat', 'critic "q"', '--events', '/w/.agent/events.jsonl'] },
  tools: [{ name: 'emit_event', description: 'Publish.', inputSchema: { type: 'object', properties: { topic: { enum: ['a'] } } } }],
  folder: '/w/.ralph/runs/1/private/1.1',
  isAlone: true,
  checks: [],
};

const attach = (cli: EmitAttachOrder['cli'], changes: Partial<EmitAttachOrder> = {}) => planEmitAttach({ ...ORDER, ...changes, cli });

test('every CLI that takes servers or extensions for one call gets the tool; the others get none', () => {
  for (const cli of ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen', 'acp'] as const) {
    expect(canAttachEmit(cli)).toBe(true);
    expect(attach(cli)).not.toBeNull();
  }
  for (const cli of ['cline', 'auggie', 'amp', 'kiro', 'custom', 'scripted', 'native', 'auto'] as const) {
    expect(canAttachEmit(cli)).toBe(false);
    expect(attach(cli)).toBeNull();
  }
});

describe.each(['claude', 'copilot', 'qwen'] as const)('%s', (cli) => {
  test('gets the server as one argument of JSON, with the arguments unchanged', () => {
    const args = attach(cli)?.args ?? [];
    const config = args.flatMap((word) => (word.startsWith('{') ? [parseJson(word)] : []));
    expect(config).toMatchObject([{ mcpServers: { ralph: { command: '/r/bin/ralph', args: ORDER.server.args } } }]);
  });
});

test("the user's own servers are left out only where the hat is held back", () => {
  expect(attach('claude')?.args).toContain('--strict-mcp-config');
  expect(attach('claude', { isAlone: false })?.args).not.toContain('--strict-mcp-config');
  expect(attach('gemini')?.args).toEqual(['--allowed-mcp-server-names', 'ralph']);
  expect(attach('gemini', { isAlone: false })?.args).toEqual([]);
  expect(attach('qwen', { isAlone: false })?.args).not.toContain('--allowed-mcp-server-names');
});

test('codex gets a table of TOML whose texts are quoted', () => {
  expect(attach('codex')?.args).toEqual([
    '-c',
    'mcp_servers.ralph={command="/r/bin/ralph",args=["mcp","--hat","critic \\"q\\"","--events","/w/.agent/events.jsonl"],default_tools_approval_mode="approve",startup_timeout_sec=30}',
  ]);
});

test('gemini gets the server by a settings file of its own home, trusted', () => {
  expect(attach('gemini')?.settings).toMatchObject({
    path: '.gemini/settings.json',
    merge: { mcpServers: { ralph: { command: '/r/bin/ralph', trust: true } } },
  });
});

test('opencode gets the server by its configuration in the environment', () => {
  const config = parseJson(attach('opencode')?.env['OPENCODE_CONFIG_CONTENT'] ?? '');
  expect(config).toMatchObject({ mcp: { ralph: { type: 'local', command: ['/r/bin/ralph', ...ORDER.server.args], enabled: true } } });
});

test('pi gets an extension in the private folder, with the schema of the tool in it', () => {
  const attached = attach('pi');
  const [file] = attached?.files ?? [];
  expect(attached?.args).toEqual(['-e', `${ORDER.folder}/${file?.path}`]);
  expect(file?.content).toContain('"enum":["a"]');
});

test('an agent of the protocol is told of the server when its session begins', () => {
  expect(attach('acp')?.servers).toEqual([{ name: 'ralph', command: '/r/bin/ralph', args: ORDER.server.args }]);
});

test('each CLI is told in its own words that the tool may be used', () => {
  const allow = Object.fromEntries(
    (['claude', 'gemini', 'opencode', 'pi', 'copilot', 'qwen'] as const).map((cli) => [cli, attach(cli)?.allow]),
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

describe('with more tools than the one that publishes', () => {
  const text = { description: 'More.', inputSchema: { type: 'object' } };
  const tools = [...ORDER.tools, { name: 'ask_person', ...text }, { name: 'read_events', ...text }] as const;
  const serverOf = (word: string | undefined): unknown => parseJson(word ?? '');

  test('each CLI that keeps lists of allowed tools is told of each', () => {
    const allow = (cli: EmitAttachOrder['cli']) => attach(cli, { tools, checks: ['npm test'] })?.allow;
    expect(allow('claude')).toEqual(['emit_event', 'ask_person', 'read_events', 'run_check'].map((name) => `mcp__ralph__${name}`));
    expect(allow('gemini')).toContain('mcp_ralph_ask_person');
    expect(allow('opencode')).toContain('ralph_ask_person');
    expect(allow('copilot')).toContain('ralph(ask_person)');
    expect(allow('qwen')).toContain('mcp__ralph__ask_person');
    expect(allow('pi')).toEqual(['emit_event', 'ask_person']);
  });

  test('a hat with a profile may call what it is allowed', () => {
    const { args } = plan('copilot', 'critic', { attach: attach('copilot', { tools }) });
    expect(args[args.indexOf('--available-tools') + 1]?.split(',')).toEqual(
      expect.arrayContaining(['ralph-emit_event', 'ralph-ask_person']),
    );
  });

  test('a CLI with a limit for calls waits for longer than any person is waited for', () => {
    const dayMs = 86_400_000;
    const [gemini, opencode] = [
      attach('gemini', { tools })?.settings?.merge,
      attach('opencode', { tools })?.env['OPENCODE_CONFIG_CONTENT'],
    ];
    expect(gemini).toMatchObject({ mcpServers: { ralph: { timeout: expect.toSatisfy((ms: number) => ms > dayMs) } } });
    expect(serverOf(opencode)).toMatchObject({ mcp: { ralph: { timeout: expect.toSatisfy((ms: number) => ms > dayMs) } } });
    expect(attach('codex', { tools })?.args.join(' ')).toMatch(/tool_timeout_sec=90000\}/);
    expect(attach('codex')?.args.join(' ')).not.toContain('tool_timeout_sec');
  });
});

const SERVER = { command: '/r/ralph', args: ['mcp'] };
const TOOLS = [{ name: 'emit_event', description: '', inputSchema: {} }] as const;

function open(cli: ScopeOrder['cli'], changes: Partial<Pick<ScopeOrder, 'args' | 'permissions' | 'env'>> = {}) {
  const attach = planEmitAttach({ cli, server: SERVER, tools: TOOLS, folder: '/p', isAlone: false, checks: [] });
  return planOpenScope({ cli, args: ['--mine'], permissions: 'bypass', env: {}, attach, ...changes });
}

test('an agent that nothing holds back keeps its own arguments and permissions', () => {
  for (const cli of ['claude', 'codex', 'copilot', 'pi', 'qwen'] as const) {
    const { args, permissions } = open(cli);
    expect(args[0]).toBe('--mine');
    expect(args.length).toBeGreaterThan(1);
    expect(permissions).toBe('bypass');
  }
});

test('where it would be asked about the tool, the tool is allowed', () => {
  expect(open('claude', { permissions: 'default' }).args.slice(-2)).toEqual(['--allowedTools', 'mcp__ralph__emit_event']);
  expect(open('copilot', { permissions: 'default' }).args.slice(-2)).toEqual(['--allow-tool', 'ralph(emit_event)']);
  expect(open('claude').args).not.toContain('--allowedTools');
});

test("opencode's configuration keeps what the user says in it", () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{"model": "m", "mcp": {"mine": {"enabled": true}}}' };
  const config = JSON.parse(open('opencode', { env }).env['OPENCODE_CONFIG_CONTENT'] ?? '');
  expect(config).toMatchObject({ model: 'm', mcp: { mine: { enabled: true }, ralph: { command: ['/r/ralph', 'mcp'] } } });
  expect(config).not.toHaveProperty('permission');
});

test('a configuration that cannot be read is left as it is', () => {
  const env = { OPENCODE_CONFIG_CONTENT: '{ // mine\n}' };
  expect(open('opencode', { env }).env['OPENCODE_CONFIG_CONTENT']).toBe('{ // mine\n}');
});
