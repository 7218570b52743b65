import { join } from 'node:path';
import { type CliDescription, CONFIG_HOME } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, hasFlag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { attachCopilot, openCopilot, scopeCopilot } from './scope.ts';
import { createCopilotTranslator } from './translate.ts';

export const copilot: CliDescription = {
  type: 'copilot',
  title: 'GitHub Copilot CLI',
  command: 'copilot',
  install: 'npm install -g @github/copilot',
  tried: { package: '@github/copilot', version: '1.0.102' },
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planCopilot,
  stream: {
    create: createCopilotTranslator,
    begins: (first) =>
      textAt(first, 'type').startsWith('session.') || ('data' in first && 'parentId' in first && textAt(first, 'type') !== 'system'),
  },
  signIn: {
    envKeys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    folder: '.copilot',
    folderKey: 'COPILOT_HOME',
    files: ['config.json'],
    hasKeychain: true,
  },
  keys: /^(?:GITHUB|GH|COPILOT)_/,
  state: [
    {
      folder: '.copilot',
      folderKey: 'COPILOT_HOME',
      login: [],
      copies: ['config.json', 'settings.json', 'mcp-config.json', 'copilot-instructions.md', 'AGENTS.md'],
      folders: ['agents', 'pkg', 'skills'],
    },
    { folder: '.config/gh', ...CONFIG_HOME, login: [], copies: ['hosts.yml', 'config.yml'], folders: [] },
  ],
  profile: { scope: scopeCopilot, commandLists: 'beginnings' },
  emitTool: { attach: attachCopilot, open: openCopilot },
  mockClient: {
    model: 'mock-model',
    args: [],
    toSettings: ({ home, port, trusts }) => ({
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: 'sk-mock',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_HOME: join(home, '.copilot'),
      },
      ...(trusts === undefined
        ? {}
        : { files: { '.copilot/config.json': JSON.stringify({ trusted_folders: [trusts], trustedFolders: [trusts] }) } }),
    }),
  },
  probe: {
    tools: { write: 'create', shell: 'bash', emit: 'ralph-emit_event', check: 'ralph-run_check' },
    toPlants: (mark) => ({
      '.github/hooks/probe.json': JSON.stringify({ version: 1, hooks: { sessionStart: [{ type: 'command', bash: `touch ${mark}` }] } }),
      '.mcp.json': JSON.stringify({ mcpServers: { probe: { type: 'local', tools: ['*'], command: 'touch', args: [mark] } } }),
    }),
  },
};

/** `copilot … -p PROMPT`; without `-p` the prompt comes by standard input. */
function planCopilot({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--yolo', '--allow-all-tools', '--allow-tool');
  const format = findFlagValue(user, '--output-format') ?? 'json';
  const ours = addFlags(
    user,
    flag(['--model'], spec.model),
    flag(['--agent'], spec.agent),
    isBypass ? flag(['--allow-all']) : [],
    flag(['--no-auto-update']),
    flag(['--no-ask-user']),
    flag(['--output-format'], 'json'),
  );
  return {
    command: spec.command ?? 'copilot',
    args: [...user, ...ours, ...(place === 'arg' ? ['-p', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'json' ? 'copilot' : 'text',
    warnings: [],
  };
}
