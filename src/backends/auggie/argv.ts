import { addFlags, findFlagValue, flag, withoutSwitch } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `auggie -p --output-format json -i PROMPT`; without `-i` the prompt comes by standard input. Printing, it asks for no permission. */
export function planAuggie({ spec, prompt, place }: InvocationOrder): Invocation {
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
