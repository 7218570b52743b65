import { addFlags, findFlagValue, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `copilot … -p PROMPT`; without `-p` the prompt comes by standard input. */
export function planCopilot({ spec, prompt, place }: InvocationOrder): Invocation {
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
