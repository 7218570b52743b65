import type { CliDescription } from '../description.ts';
import { addFlags, findFlagValue, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';
import { textAt } from '../json-fields.ts';
import { SNAKE_TOKENS } from '../state-folder.ts';
import { MOCK_CLIENT, PROBE } from './mock-client.ts';
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
  mockClient: MOCK_CLIENT,
  probe: PROBE,
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
