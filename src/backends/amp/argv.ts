import { addFlags, flag, hasFlag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `amp --dangerously-allow-all -x PROMPT`; `-x` alone reads the prompt from standard input. */
export function planAmp({ spec, prompt, place }: InvocationOrder): Invocation {
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
