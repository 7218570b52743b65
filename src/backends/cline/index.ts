import { CAMEL_TOKENS, type CliDescription } from '../describe/description.ts';
import { addFlags, flag } from '../describe/flags.ts';
import { type Invocation, type InvocationOrder, toFilePrompt } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { createClineTranslator } from './translate.ts';

export const cline: CliDescription = {
  type: 'cline',
  title: 'Cline',
  command: 'cline',
  install: 'npm install -g cline',
  tried: { package: 'cline', version: '3.0.65' },
  takes: ['arg', 'file'],
  isPromptPositional: true,
  plan: planCline,
  stream: {
    create: createClineTranslator,
    begins: (first) => ['hook_event', 'agent_event', 'run_result'].includes(textAt(first, 'type')),
  },
  signIn: {
    envKeys: ['CLINE_API_KEY'],
    folder: '.cline/data',
    files: ['settings/providers.json', 'secrets.json'],
  },
  keys: /^(?!GITHUB_|GH_)/,
  state: [
    {
      folder: '.cline',
      login: ['data/secrets.json'],
      tokens: CAMEL_TOKENS,
      copies: ['data/globalState.json', 'data/settings/providers.json'],
      folders: ['rules'],
    },
  ],
  mockClient: {
    model: 'mock-model',
    args: ['-P', 'openai-compatible'],
    toSettings: ({ port, model }) => ({
      env: {},
      files: { '.cline/data/settings/providers.json': JSON.stringify(toProviders(port, model)) },
    }),
  },
};

/** `cline --json PROMPT`. It takes no prompt by standard input: a long one is a file that it is told to read. It approves by itself. */
function planCline({ spec, prompt, promptFile, place }: InvocationOrder): Invocation {
  const user = spec.args;
  const ours = addFlags(user, flag(['-m', '--model'], spec.model), flag(['--json']));
  return {
    command: spec.command ?? 'cline',
    args: [...user, ...ours, place === 'arg' ? prompt : toFilePrompt(promptFile)],
    stdin: 'none',
    env: {},
    format: 'cline',
    warnings: spec.agent === undefined ? [] : ['cline has no agents: `agent` is ignored'],
  };
}

function toProviders(port: number, model: string): unknown {
  const settings = { provider: 'openai-compatible', model, apiKey: 'sk-mock', baseUrl: `http://127.0.0.1:${port}/v1` };
  return {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    modes: {},
    providers: { 'openai-compatible': { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } },
  };
}
