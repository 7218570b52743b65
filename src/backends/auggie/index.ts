import { CAMEL_TOKENS, type CliDescription } from '../describe/description.ts';
import { addFlags, findFlagValue, flag, withoutSwitch } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';
import { textAt } from '../stream/read-fields.ts';
import { createAuggieTranslator } from './translate.ts';

export const auggie: CliDescription = {
  type: 'auggie',
  title: 'Auggie',
  command: 'auggie',
  install: 'npm install -g @augmentcode/auggie',
  tried: { package: '@augmentcode/auggie', version: '0.36.0' },
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planAuggie,
  losesPath: true,
  stream: {
    create: createAuggieTranslator,
    begins: (first) => textAt(first, 'type') === 'result' && 'request_id' in first,
  },
  signIn: {
    envKeys: ['AUGMENT_SESSION_AUTH', 'AUGMENT_API_TOKEN'],
    folder: '.augment',
    files: ['session.json'],
  },
  keys: /^AUGMENT_/,
  state: [{ folder: '.augment', login: ['session.json'], tokens: CAMEL_TOKENS, copies: ['settings.json'], folders: ['commands', 'rules'] }],
  mockClient: {
    model: 'mock-model',
    args: [],
    toSettings: ({ port }) => ({
      env: {
        AUGMENT_SESSION_AUTH: JSON.stringify({ accessToken: 'mock', tenantURL: `http://127.0.0.1:${port}/`, scopes: ['read', 'write'] }),
        AUGMENT_DISABLE_AUTO_UPDATE: '1',
      },
    }),
  },
};

/** `auggie -p --output-format json -i PROMPT`; without `-i` the prompt comes by standard input. Printing, it asks for no permission. */
function planAuggie({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-p', '--print');
  const format = findFlagValue(user, '--output-format') ?? 'json';
  const ours = addFlags(user, flag(['-m', '--model'], spec.model), flag(['-p']), flag(['--output-format'], 'json'));
  return {
    command: spec.command ?? 'auggie',
    args: [...user, ...ours, ...(place === 'arg' ? ['-i', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'json' ? 'auggie' : 'text',
    warnings: spec.agent === undefined ? [] : ['auggie has no agents: `agent` is ignored'],
  };
}
