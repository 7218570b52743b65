import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BackendType, BUILT_IN_CARDS, BUILT_IN_POLICIES, resolveProfile } from '../core/index.ts';
import { mayChangeTree, toCapabilities } from './capabilities.ts';
import { planScope } from './plan-scope.ts';
import type { ScopeOrder, ScopePlan } from './scope-plan.ts';

/** `UPDATE_GOLDEN=1 npx vitest run --project unit src/sandbox` writes the files anew; read the difference before you keep it. */
const UPDATE = process.env['UPDATE_GOLDEN'] === '1';
const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'copilot', 'qwen'] as const;

function plan(cli: BackendType, profile: string, more: Partial<ScopeOrder> = {}): ScopePlan {
  const may = toCapabilities(resolveProfile(BUILT_IN_POLICIES[profile] ?? null, BUILT_IN_CARDS));
  return planScope({
    cli,
    may,
    qualityCommands: ['npm test'],
    args: [],
    permissions: 'bypass',
    env: {},
    folder: '/private/1.1',
    attach: null,
    isConfined: false,
    ...more,
  });
}

function toText(cli: BackendType): string {
  const sections = Object.keys(BUILT_IN_POLICIES).flatMap((profile) =>
    [false, true].map((isConfined) => {
      const { args, env, files, permissions, prompt, limits } = plan(cli, profile, { isConfined });
      return [
        `## ${profile}${isConfined ? ', in the sandbox of the operating system' : ''}`,
        `args: ${JSON.stringify(args)}`,
        `permissions: ${permissions}, prompt: ${prompt}`,
        ...Object.entries(env).map(([name, value]) => `env: ${name}=${value}`),
        ...files.map(({ path, content }) => `file: ${path}\n${content.trimEnd()}`),
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
    };
    const without = plan(cli, 'critic');
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

  it('gives copilot and qwen no command outside the sandbox that an ending makes write', () => {
    const commandsOf = (cli: BackendType, isConfined: boolean): string => plan(cli, 'critic', { isConfined }).args.join(' ');
    for (const cli of ['copilot', 'qwen'] as const) {
      expect(commandsOf(cli, false)).not.toMatch(/git (?:log|diff|status)/);
      expect(commandsOf(cli, true)).toContain('git log');
    }
    expect(commandsOf('qwen', false)).not.toContain('npm test');
    expect(plan('qwen', 'critic').limits.join(' ')).toContain('cannot run the tests');
  });

  it('keeps what the user configured of opencode, but for its permissions', () => {
    const given = JSON.stringify({ model: 'a/b', permission: 'allow', mcp: { mine: {} } });
    const { env } = plan('opencode', 'explorer', { env: { OPENCODE_CONFIG_CONTENT: given, OPENCODE_PERMISSION: '"allow"' } });
    const config = JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '') as Record<string, unknown>;
    expect([config['model'], config['mcp'], (config['permission'] as Record<string, unknown>)['*']]).toEqual(['a/b', { mine: {} }, 'deny']);
    expect(JSON.parse(env['OPENCODE_PERMISSION'] ?? '')).toEqual(config['permission']);
  });

  it.each(['npm test; rm -rf .', 'npm test > x', 'npm test $(x)', 'a,b', 'x)', '*', "a'b", 'npm test\nrm'])(
    'writes %j into no list of allowed commands, and says so',
    (command) => {
      for (const cli of CLIS) {
        const { args, env, files, limits } = plan(cli, 'critic', { qualityCommands: [command] });
        expect(JSON.stringify([args.slice(0), env, files])).not.toContain(JSON.stringify(command).slice(1, -1).concat(')'));
        expect(limits.join(' ')).toContain('cannot be written into a list of allowed commands');
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
