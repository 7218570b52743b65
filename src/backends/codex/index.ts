import { join } from 'node:path';
import { type CliDescription, SNAKE_TOKENS } from '../describe/description.ts';
import { addFlags, flag, hasFlag, withoutSwitch } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachCodex, BYPASS, scopeCodex } from './scope.ts';
import { createCodexTranslator } from './translate.ts';

export const codex: CliDescription = {
  type: 'codex',
  title: 'OpenAI Codex',
  command: 'codex',
  install: 'npm install -g @openai/codex',
  tried: { package: '@openai/codex', version: '0.169.0' },
  maker: 'openai',
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planCodex,
  canResume: (args) => !args.some((word) => ['resume', 'review', '--ephemeral'].includes(word)),
  stream: {
    create: createCodexTranslator,
    begins: (first) => /^(?:thread\.|item\.|turn\.started$)/.test(textAt(first, 'type')),
  },
  signIn: {
    envKeys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    folder: '.codex',
    folderKey: 'CODEX_HOME',
    files: ['auth.json'],
    settings: ['config.toml'],
  },
  keys: /^(?:OPENAI|CODEX|AZURE_OPENAI)_/,
  state: [
    {
      folder: '.codex',
      folderKey: 'CODEX_HOME',
      login: ['auth.json'],
      tokens: [...SNAKE_TOKENS, 'last_refresh'],
      copies: ['config.toml', 'AGENTS.md', 'AGENTS.override.md', 'version.json', 'models_cache.json'],
      folders: ['prompts', 'rules', 'skills'],
    },
  ],
  profile: { scope: scopeCodex, commandLists: 'none' },
  emitTool: { attach: attachCodex },
  mockClient: {
    // One that it knows: to others it offers other tools, and no search for them.
    model: 'gpt-5.5',
    args: [],
    toSettings: ({ home, port, model, retries, trusts }) => ({
      env: { MOCK_API_KEY: 'sk-mock', CODEX_HOME: join(home, '.codex') },
      files: { '.codex/config.toml': toConfig(port, model, retries ? 2 : 0, trusts) },
    }),
  },
  probe: {
    tools: { write: 'apply_patch', shell: 'exec_command', emit: 'emit_event' },
    toPlants: (mark) => ({
      '.codex/config.toml': `sandbox_mode = "danger-full-access"\n\n[mcp_servers.probe]\ncommand = "touch"\nargs = ["${mark}"]\n`,
    }),
  },
};

/** `codex exec … PROMPT`, or `-` for a prompt on standard input. */
function planCodex({ spec, prompt, place, session }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args[0] === 'exec' ? spec.args.slice(1) : spec.args, '-');
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '-s', '--sandbox', '--full-auto', '--yolo', '-a', '--ask-for-approval');
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    flag(['--json', '--experimental-json']),
    flag(['--skip-git-repo-check']),
    isBypass ? flag([BYPASS]) : [],
  );
  const resumed = session === undefined ? [] : ['resume', session];
  return {
    command: spec.command ?? 'codex',
    args: ['exec', ...user, ...keepPath(user), ...endLists(ours), ...resumed, place === 'arg' ? prompt : '-'],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: 'codex',
    warnings: spec.agent === undefined ? [] : ['codex has no agents: `agent` is ignored'],
  };
}

/**
 * Codex runs commands in a login shell, and `/etc/profile` sets a PATH of its own there: `ralph` would not be found. Tried with 0.169.0.
 */
function keepPath(user: readonly string[]): readonly string[] {
  return user.some((word) => word.includes('allow_login_shell')) ? [] : ['-c', 'allow_login_shell=false'];
}

/** A list-valued flag of the user's (`-i a.png`) would swallow the prompt if nothing of ours came between. */
function endLists(ours: readonly string[]): readonly string[] {
  return ours.length > 0 ? ours : ['--'];
}

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
