import type { CliDescription } from '../description.ts';
import { addFlags, flag, hasFlag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { textAt } from '../json-fields.ts';
import { SNAKE_TOKENS } from '../state-folder.ts';
import { MOCK_CLIENT, PROBE } from './mock-client.ts';
import { attachCodex, scopeCodex } from './scope.ts';
import { createCodexTranslator } from './translate.ts';

/** OpenAI Codex. */
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
  mockClient: MOCK_CLIENT,
  probe: PROBE,
};

const BYPASS = '--dangerously-bypass-approvals-and-sandbox';

/** `codex exec … PROMPT`, or `-` for a prompt on standard input. */
function planCodex({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args[0] === 'exec' ? spec.args.slice(1) : spec.args, '-');
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '-s', '--sandbox', '--full-auto', '--yolo', '-a', '--ask-for-approval');
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    flag(['--json', '--experimental-json']),
    flag(['--skip-git-repo-check']),
    isBypass ? flag([BYPASS]) : [],
  );
  return {
    command: spec.command ?? 'codex',
    args: ['exec', ...user, ...keepPath(user), ...endLists(ours), place === 'arg' ? prompt : '-'],
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
