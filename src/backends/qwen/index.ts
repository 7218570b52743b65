import type { CliDescription } from '../describe/description.ts';
import { SNAKE_TOKENS } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, hasFlag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { toPlantedSettings, toQuietSettings } from '../gemini/settings.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachQwen, scopeQwen } from './scope.ts';
import { createQwenTranslator } from './translate.ts';

/** Qwen Code. */
export const qwen: CliDescription = {
  type: 'qwen',
  title: 'Qwen Code',
  command: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  tried: { package: '@qwen-code/qwen-code', version: '0.24.4' },
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planQwen,
  stream: {
    create: createQwenTranslator,
    begins: (first) => textAt(first, 'type') === 'system' && 'permission_mode' in first,
  },
  signIn: {
    envKeys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
    folder: '.qwen',
    files: ['oauth_creds.json'],
    settings: ['settings.json', '.env'],
  },
  keys: /^(?:OPENAI|DASHSCOPE|QWEN)_/,
  state: [
    {
      folder: '.qwen',
      login: ['oauth_creds.json'],
      tokens: SNAKE_TOKENS,
      copies: ['settings.json', 'QWEN.md', 'installation_id', 'trustedFolders.json', '.env'],
      folders: ['agents', 'commands', 'extensions', 'skills'],
    },
  ],
  ownChanges: { rewritten: ['.qwen/settings.json'] },
  profile: { scope: scopeQwen, commandLists: 'beginnings' },
  emitTool: { attach: attachQwen },
  mockClient: {
    model: 'mock-model',
    args: ['--auth-type', 'openai'],
    toSettings: ({ port, model }) => ({
      env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'sk-mock', OPENAI_MODEL: model },
      files: { '.qwen/settings.json': JSON.stringify(toQuietSettings('openai')) },
    }),
  },
  probe: {
    tools: { write: 'write_file', shell: 'run_shell_command', emit: 'mcp__ralph__emit_event', check: 'mcp__ralph__run_check' },
    toPlants: (mark) => ({
      '.qwen/settings.json': JSON.stringify({ ...toPlantedSettings(mark), permissions: { allow: ['run_shell_command'] } }),
    }),
  },
};

/** `qwen … -p PROMPT`; without `-p` the prompt comes by standard input. */
function planQwen({ spec, prompt, place, watchesLimits }: InvocationOrder): Invocation {
  const user = spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--approval-mode', '-y');
  const format = findFlagValue(user, '-o', '--output-format') ?? 'stream-json';
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    isBypass ? flag(['--yolo']) : [],
    flag(['-o', '--output-format'], 'stream-json'),
    // Else a model that thinks for long looks like one that was refused.
    watchesLimits && format === 'stream-json' ? flag(['--include-partial-messages']) : [],
  );
  return {
    command: spec.command ?? 'qwen',
    args: [...user, ...ours, ...(place === 'arg' ? ['-p', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'stream-json' ? 'qwen' : 'text',
    warnings: spec.agent === undefined ? [] : ['qwen has no agents: `agent` is ignored'],
  };
}
