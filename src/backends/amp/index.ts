import { type CliDescription, CONFIG_HOME, DATA_HOME } from '../describe/description.ts';
import { addFlags, flag, hasFlag, withoutSwitch } from '../describe/flags.ts';
import type { Invocation, InvocationOrder } from '../describe/invocation.ts';

/** Amp. Built from its documentation: its agent runs on the vendor's servers, so it could not be tried. */
export const amp: CliDescription = {
  type: 'amp',
  title: 'Amp',
  command: 'amp',
  install: 'npm install -g @sourcegraph/amp',
  tried: null,
  takes: ['arg', 'stdin'],
  isPromptPositional: true,
  plan: planAmp,
  signIn: {
    envKeys: ['AMP_API_KEY'],
    folder: '.local/share/amp',
    files: ['secrets.json'],
  },
  keys: /^AMP_/,
  state: [
    { folder: '.local/share/amp', ...DATA_HOME, login: [], copies: ['secrets.json'], folders: [] },
    { folder: '.config/amp', ...CONFIG_HOME, login: [], copies: ['settings.json', 'AGENTS.md'], folders: ['commands', 'skills'] },
  ],
};

/** `amp --dangerously-allow-all -x PROMPT`; `-x` alone reads the prompt from standard input. */
function planAmp({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-x', '--execute');
  const ours = addFlags(user, spec.permissions === 'bypass' ? flag(['--dangerously-allow-all']) : []);
  return {
    command: spec.command ?? 'amp',
    args: [...user, ...ours, '-x', ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    // Asked for by the user, its stream is Claude's.
    format: hasFlag(user, '--stream-json', '--stream-json-thinking') ? 'claude' : 'text',
    warnings: [
      ...(spec.model === undefined ? [] : ['amp chooses its models by itself: `model` is ignored (see `amp --help` for modes)']),
      ...(spec.agent === undefined ? [] : ['amp has no agents: `agent` is ignored']),
    ],
  };
}
