import { CAMEL_TOKENS, type CliDescription, SNAKE_TOKENS } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, hasFlag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachGemini, scopeGemini } from './scope.ts';
import { toPlantedSettings, toQuietSettings } from './settings.ts';
import { createGeminiTranslator } from './translate.ts';

export const gemini: CliDescription = {
  type: 'gemini',
  title: 'Gemini CLI',
  command: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  tried: { package: '@google/gemini-cli', version: '0.61.0' },
  maker: 'google',
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planGemini,
  stream: {
    create: createGeminiTranslator,
    begins: (first) => textAt(first, 'type') === 'init',
  },
  signIn: {
    envKeys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    folder: '.gemini',
    files: ['oauth_creds.json', 'google_accounts.json'],
    settings: ['settings.json', '.env'],
  },
  keys: /^(?:GEMINI|GOOGLE)_/,
  state: [
    {
      folder: '.gemini',
      parentKey: 'GEMINI_CLI_HOME',
      parent: '',
      login: ['oauth_creds.json', 'mcp-oauth-tokens.json'],
      tokens: [...SNAKE_TOKENS, ...CAMEL_TOKENS],
      copies: [
        'google_accounts.json',
        'gemini-credentials.json',
        'settings.json',
        'GEMINI.md',
        'installation_id',
        'trustedFolders.json',
        '.env',
      ],
      folders: ['commands', 'extensions', 'policies', 'skills'],
    },
  ],
  ownChanges: { rewritten: ['.gemini/settings.json'] },
  profile: { scope: scopeGemini, commandLists: 'beginnings' },
  emitTool: { attach: attachGemini },
  mockClient: {
    model: 'gemini-2.5-flash',
    args: [],
    toSettings: ({ port, trusts }) => ({
      env: { GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`, GEMINI_API_KEY: 'mock-key' },
      files: {
        '.gemini/settings.json': JSON.stringify(toQuietSettings('gemini-api-key')),
        ...(trusts === undefined ? {} : { '.gemini/trustedFolders.json': JSON.stringify({ [trusts]: 'TRUST_FOLDER' }) }),
      },
    }),
  },
  probe: {
    tools: { write: 'write_file', shell: 'run_shell_command', emit: 'mcp_ralph_emit_event', check: 'mcp_ralph_run_check' },
    toPlants: (mark) => ({ '.gemini/settings.json': JSON.stringify(toPlantedSettings(mark)) }),
  },
};

/** `gemini … -p PROMPT`; without `-p` the prompt comes by standard input. Without `--skip-trust` it refuses folders it does not know. */
function planGemini({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--approval-mode', '-y');
  const format = findFlagValue(user, '-o', '--output-format') ?? 'stream-json';
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    isBypass ? flag(['--yolo']) : [],
    flag(['--skip-trust']),
    flag(['-o', '--output-format'], 'stream-json'),
  );
  return {
    command: spec.command ?? 'gemini',
    args: [...user, ...ours, ...(place === 'arg' ? ['-p', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'stream-json' ? 'gemini' : 'text',
    warnings: spec.agent === undefined ? [] : ['gemini has no agents: `agent` is ignored'],
  };
}
