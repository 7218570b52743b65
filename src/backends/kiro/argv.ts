import { addFlags, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `kiro-cli chat --no-interactive --trust-all-tools [--agent A] PROMPT`; without a prompt it reads standard input. */
export function planKiro({ spec, prompt, place }: InvocationOrder): Invocation {
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
