import { CAMEL_TOKENS, type CliDescription } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, hasFlag, withoutSwitch } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { converseWithClaude } from './converse.ts';
import { attachClaude, openClaude, scopeClaude } from './scope.ts';
import { createClaudeTranslator } from './translate.ts';

export const claude: CliDescription = {
  type: 'claude',
  title: 'Claude Code',
  command: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  tried: { package: '@anthropic-ai/claude-code', version: '2.1.330' },
  maker: 'anthropic',
  takes: ['arg', 'stdin', 'stream'],
  isPromptPositional: true,
  plan: planClaude,
  canResume: (args) => !hasFlag(args, '--resume', '-r', '--continue', '-c', '--session-id', '--no-session-persistence'),
  stream: {
    create: createClaudeTranslator,
    converse: converseWithClaude,
    begins: (first) => textAt(first, 'type') === 'system' && !('permission_mode' in first),
    continues: (line) => ['assistant', 'user', 'result', 'stream_event'].includes(textAt(line, 'type')),
  },
  signIn: {
    envKeys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
    folder: '.claude',
    folderKey: 'CLAUDE_CONFIG_DIR',
    files: ['.credentials.json'],
    settings: ['settings.json'],
  },
  keys: /^(?:ANTHROPIC|CLAUDE)_|^AWS_BEARER_TOKEN_BEDROCK$/,
  state: [
    {
      folder: '.claude',
      folderKey: 'CLAUDE_CONFIG_DIR',
      login: ['.credentials.json'],
      tokens: CAMEL_TOKENS,
      copies: ['settings.json', 'settings.local.json', 'CLAUDE.md', 'keybindings.json'],
      folders: ['agents', 'commands', 'output-styles', 'plugins', 'rules', 'skills'],
      beside: ['.claude.json'],
    },
  ],
  // It moves there what an older version kept in its user's `.claude.json`.
  ownChanges: { made: ['.claude/settings.local.json'] },
  advise: adviseClaude,
  profile: { scope: scopeClaude, commandLists: 'whole lines' },
  emitTool: { attach: attachClaude, open: openClaude },
  mockClient: {
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
  },
  probe: {
    tools: { write: 'Write', shell: 'Bash', emit: 'mcp__ralph__emit_event' },
    toPlants: (mark) => ({
      '.claude/settings.json': JSON.stringify({
        permissions: { allow: ['Bash', 'Bash(*)', 'Write'], defaultMode: 'bypassPermissions' },
        enableAllProjectMcpServers: true,
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${mark}` }] }] },
      }),
      '.mcp.json': JSON.stringify({ mcpServers: { probe: { command: 'touch', args: [mark] } } }),
    }),
  },
};

/**
 * `claude … -p [PROMPT]`. `-p` takes no value: standing last it also ends a list-valued flag of the user's. With `prompt_mode: stream` the prompt is the first message of
 * a conversation, so that it can be told something while it works.
 */
function planClaude({ spec, prompt, place, isRoot, env, session }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-p', '--print');
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--permission-mode', '--permission-prompt-tool');
  const format = findFlagValue(user, '--output-format') ?? 'stream-json';
  const isStream = format === 'stream-json';
  const isOpen = isStream && !hasFlag(user, '--input-format') && spec.promptMode === 'stream';
  const stream = [
    ...(isStream ? [flag(['--verbose']), flag(['--include-partial-messages'])] : []),
    ...(isOpen ? [flag(['--input-format'], 'stream-json'), flag(['--replay-user-messages'])] : []),
  ];
  const ours = addFlags(
    user,
    flag(['--model'], spec.model),
    flag(['--agent'], spec.agent),
    flag(['--resume'], session),
    flag(['--output-format'], 'stream-json'),
    ...stream,
    // Nobody watches an unattended turn: the person's own hooks and plugins are not meant for it.
    spec.userSettings === true ? [] : flag(['--setting-sources'], 'project,local'),
    isBypass ? flag(['--dangerously-skip-permissions']) : [],
  );
  const skips = isBypass || hasFlag(user, '--dangerously-skip-permissions');
  const needsSandboxMark = skips && isRoot && env['IS_SANDBOX'] === undefined;
  return {
    command: spec.command ?? 'claude',
    args: [...user, ...ours, '-p', ...(place === 'arg' && !isOpen ? [prompt] : [])],
    stdin: isOpen ? 'open' : place === 'arg' ? 'none' : 'prompt',
    env: needsSandboxMark ? { IS_SANDBOX: '1' } : {},
    format: isStream ? 'claude' : 'text',
    warnings: [],
  };
}

function adviseClaude({ isRoot }: { readonly isRoot: boolean }): readonly string[] {
  return [
    'Your own settings, with their hooks and plugins, do not count in its turns; a key that only they give needs `cli: {user_settings: true}`.',
    ...(isRoot ? ['You are root: Claude Code skips permissions only with IS_SANDBOX=1, which is set for it.'] : []),
  ];
}
