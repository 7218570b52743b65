import { type CliDescription, DATA_HOME } from '../describe/description.ts';
import { addFlags, flag, hasFlag } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';

/** Kiro CLI. Built from its documentation: it could not be tried. */
export const kiro: CliDescription = {
  type: 'kiro',
  title: 'Kiro CLI',
  command: 'kiro-cli',
  install: 'see https://kiro.dev/docs/cli',
  tried: null,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planKiro,
  signIn: {
    envKeys: ['KIRO_API_KEY'],
    folder: '.local/share/kiro-cli',
    files: ['data.sqlite3'],
  },
  keys: /^KIRO_/,
  state: [
    { folder: '.kiro', login: [], copies: ['settings/cli.json', 'settings/mcp.json'], folders: ['agents', 'steering'] },
    { folder: '.local/share/kiro-cli', ...DATA_HOME, login: [], copies: ['data.sqlite3'], folders: [] },
  ],
};

/** `kiro-cli chat --no-interactive --trust-all-tools [--agent A] PROMPT`; without a prompt it reads standard input. */
function planKiro({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = spec.args[0] === 'chat' ? spec.args.slice(1) : spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '-a', '--trust-tools');
  const ours = addFlags(
    user,
    flag(['--no-interactive']),
    isBypass ? flag(['--trust-all-tools']) : [],
    flag(['--model'], spec.model),
    flag(['--agent'], spec.agent),
  );
  return {
    command: spec.command ?? 'kiro-cli',
    args: ['chat', ...ours, ...user, ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: 'text',
    warnings: [],
  };
}
