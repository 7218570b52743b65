import { join } from 'node:path';
import type { Usage } from '../../core/backends/usage.ts';
import { type JsonObject, parseJson } from '../../core/values/json.ts';
import { ClaudeStream } from '../claude/translate.ts';
import { type CliDescription, SNAKE_TOKENS } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, hasFlag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { toPlantedSettings, toQuietSettings } from '../gemini/settings.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { numberAt, objectAt, textAt, toUsage, withoutCached } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';
import { attachQwen, scopeQwen } from './scope.ts';

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

/** Translates `qwen -o stream-json`: Claude's stream without costs, whose input tokens include the cached ones. */
function createQwenTranslator(): Translator {
  const stream = new ClaudeStream((result) => readUsage(objectAt(result, 'usage')), readUsage);
  return createJsonTranslator({
    read: (event, turn) => stream.read(event, turn),
    log: { file: findChat, read: readChat, isAtWork: (turn) => turn.isToolOpen },
  });
}

/** The record of the conversation, which also tells the calls of the model that were refused and are made again. */
function findChat({ sessionId }: StreamRecorder, env: Readonly<Record<string, string>>, cwd: string): string | null {
  const home = env['HOME'];
  if (home === undefined || sessionId === null || !/^[\w-]{1,100}$/.test(sessionId)) return null;
  return join(home, '.qwen', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'), 'chats', `${sessionId}.jsonl`);
}

function readChat(line: string, turn: StreamRecorder): void {
  const record = line.includes('qwen-code.api_error') ? parseJson(line) : undefined;
  const event = objectAt(objectAt(record, 'systemPayload'), 'uiEvent');
  if (textAt(event, 'event.name') !== 'qwen-code.api_error') return;
  turn.retry({ message: textAt(event, 'error_message') || 'a call of the model failed', httpStatus: numberAt(event, 'status_code') }, null);
}

function readUsage(usage: JsonObject): Usage {
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  return toUsage({ input: withoutCached(numberAt(usage, 'input_tokens'), cacheRead), output: numberAt(usage, 'output_tokens'), cacheRead });
}
