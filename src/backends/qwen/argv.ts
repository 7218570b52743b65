import { addFlags, findFlagValue, flag, hasFlag } from '../flags.ts';
import type { Invocation, InvocationOrder } from '../invocation.ts';

/** `qwen … -p PROMPT`; without `-p` the prompt comes by standard input. */
export function planQwen({ spec, prompt, place, watchesLimits }: InvocationOrder): Invocation {
  const user = spec.args;
  const isBypass = spec.permissions === 'bypass' && !hasFlag(user, '--approval-mode', '-y');
  const format = findFlagValue(user, '-o', '--output-format') ?? 'stream-json';
  const ours = addFlags(
    user,
    flag(['-m', '--model'], spec.model),
    isBypass ? flag(['--yolo']) : [],
    flag(['-o', '--output-format'], 'stream-json'),
    // Else a model that thinks for long looks like one that was refused.
    watchesLimits && format === 'stream-json' ? flag(['--include-partial-messages']) : [],
  );
  return {
    command: spec.command ?? 'qwen',
    args: [...user, ...ours, ...(place === 'arg' ? ['-p', prompt] : [])],
    stdin: place === 'arg' ? 'none' : 'prompt',
    env: {},
    format: format === 'stream-json' ? 'qwen' : 'text',
    warnings: spec.agent === undefined ? [] : ['qwen has no agents: `agent` is ignored'],
  };
}
