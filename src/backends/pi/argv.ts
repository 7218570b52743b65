import { addFlags, findFlagValue, flag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `pi -p --mode json PROMPT`. It has no permissions: it always runs its tools. */
export function planPi({ spec, prompt, place }: InvocationOrder): Invocation {
  const user = withoutSwitch(spec.args, '-p', '--print');
  const format = findFlagValue(user, '--mode') ?? 'json';
  const ours = addFlags(user, flag(['--model'], spec.model), flag(['-p']), flag(['--mode'], 'json'));
  return {
    command: spec.command ?? 'pi',
    args: [...user, ...ours, ...(place === 'arg' ? [prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'json' ? 'pi' : 'text',
    warnings: spec.agent === undefined ? [] : ['pi has no agents: `agent` is ignored'],
  };
}
